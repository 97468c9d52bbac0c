// Validates every skill before it is listed; it says nothing of those that are as they should be.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSkillMd, parseFrontmatter, readProperties, validate } from 'skills-ref'

const [directory, wanted] = process.argv.slice(2)
const skills = []
for (const name of readdirSync(directory)) {
  const folder = join(directory, name)
  const problems = await validate(folder)
  if (problems.length > 0) throw new Error(`${name}: ${problems[0]}`)
  skills.push(await readProperties(folder))
}
const [, body] = parseFrontmatter(readFileSync(await findSkillMd(join(directory, wanted)), 'utf8'))
console.log(JSON.stringify({ seen: skills.length, loaded: body.length }))
