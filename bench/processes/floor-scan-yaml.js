// Reads every skill and its frontmatter by js-yaml.
import { readFileSync } from 'node:fs'
import { frontmatter } from './frontmatter.js'
import { readTree } from './read-tree.js'

const skills = new Map()
for (const file of readTree(process.argv.slice(2)).skills) {
  skills.set(file, frontmatter(readFileSync(file, 'utf8')))
}
