// Reads and hashes every file, and reads every skill's frontmatter by js-yaml.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { frontmatter } from './frontmatter.js'
import { readTree } from './read-tree.js'

const { skills, resources } = readTree(process.argv.slice(2))
const read = new Map()
for (const file of skills) {
  const bytes = readFileSync(file)
  read.set(file, { sha256: hash('sha256', bytes), fields: frontmatter(bytes.toString('utf8')) })
}
for (const file of resources) read.set(file, { sha256: hash('sha256', readFileSync(file)) })
