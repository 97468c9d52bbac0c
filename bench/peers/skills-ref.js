import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSkillMd, parseFrontmatter, toPrompt } from 'skills-ref'

const [directory, wanted] = process.argv.slice(2)
const prompt = await toPrompt(readdirSync(directory).map(name => join(directory, name)))
const [, body] = parseFrontmatter(readFileSync(await findSkillMd(join(directory, wanted)), 'utf8'))
console.log(JSON.stringify({ seen: prompt.split('<skill>').length - 1, loaded: body.length }))
