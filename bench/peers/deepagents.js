import { readFileSync } from 'node:fs'
import { listSkills } from 'deepagents'

const [directory, wanted] = process.argv.slice(2)
const skills = listSkills({ projectSkillsDir: directory })
const content = readFileSync(skills.find(({ name }) => name === wanted).path, 'utf8')
console.log(JSON.stringify({ seen: skills.length, loaded: content.length }))
