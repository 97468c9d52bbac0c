import { readSkillFile } from '../../files/digest.js'
import { parseFile } from './parse-file.js'

const AT_ROOT = { path: 'SKILL.md', kind: 'folder', folderName: 'main', atRoot: true } as const

/**
 * True for a SKILL.md with `role: main`: at the root of a path entry it describes the entry, and owns none of
 * its files.
 */
export function describesEntry(file: string): boolean {
  try {
    const [tool] = parseFile(readSkillFile(file), AT_ROOT).tools
    return tool?.record.frontmatter.role === 'main'
  } catch {
    // An unreadable file is treated as any other skill, and reported when it is read.
    return false
  }
}
