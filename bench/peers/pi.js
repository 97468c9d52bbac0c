// Its loader alone: the package's entry would load the whole agent.
import { readFileSync } from 'node:fs'
import { loadSkillsFromDir } from '../node_modules/@mariozechner/pi-coding-agent/dist/core/skills.js'

const [directory, wanted] = process.argv.slice(2)
const { skills } = loadSkillsFromDir({ dir: directory, source: 'path' })
const content = readFileSync(skills.find(({ name }) => name === wanted).filePath, 'utf8')
console.log(JSON.stringify({ seen: skills.length, loaded: content.length }))
