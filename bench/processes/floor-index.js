// Reads an index in JSON, makes a Map of it, and reads one skill.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const [index, directory, wanted] = process.argv.slice(2)
const skills = new Map(JSON.parse(readFileSync(index, 'utf8')).map(record => [record.name, record]))
const content = readFileSync(join(directory, skills.get(wanted).file), 'utf8')
if (content.length === 0) throw new Error('nothing was read')
