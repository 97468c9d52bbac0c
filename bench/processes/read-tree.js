import { readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The skill files below directories, and the other files of the skills' folders, as the compiler would look at them. */
export function readTree(directories) {
  const skills = []
  const resources = []
  for (const directory of directories) visit(directory, false)
  return { skills, resources }

  function visit(directory, inSkill) {
    const items = readdirSync(directory, { withFileTypes: true })
    const isSkill = inSkill || items.some(({ name }) => name === 'SKILL.md')
    for (const item of items) {
      if (item.name.startsWith('.') || item.name === 'node_modules') continue
      const path = join(directory, item.name)
      if (item.isDirectory()) visit(path, isSkill)
      else if (item.isFile() && (item.name === 'SKILL.md' || item.name.endsWith('.skill.md')))
        skills.push(path)
      else if (item.isFile() && isSkill) resources.push(path)
    }
  }
}
