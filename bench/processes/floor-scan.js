// Reads every skill and takes name and description out by one regular expression.
import { readFileSync } from 'node:fs'
import { readTree } from './read-tree.js'

const FIELDS = /^---\n[\s\S]*?^name: *(.+)$[\s\S]*?^description: *(.+)$[\s\S]*?^---$/m

const skills = new Map()
for (const file of readTree(process.argv.slice(2)).skills) {
  const [, name, description] = FIELDS.exec(readFileSync(file, 'utf8')) ?? []
  skills.set(name, { description, file })
}
