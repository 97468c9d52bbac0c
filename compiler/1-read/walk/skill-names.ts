import type { Dirent } from 'node:fs'
import { orNull } from '../../../src/base/attempt.js'
import type { ToolKind } from '../../../src/skill/frontmatter.js'
import { readRegularFile } from '../../files/regular-file.js'
import { fallbackName } from '../../records/walked.js'
import { peekDirectory } from './look.js'

const SKILL_FILE = /^skill\.md$/i
const SINGLE_FILE = /.\.skill\.(?:md|ts|js|mts|mjs)$/
/** Almost the name of a skill file: `SKILLS.md`, `review.skills.md`. */
const NEAR_FILE = /^(?:(.+)\.)?skills?\.(?:md|markdown)$/i

/** True for `SKILL.md` in any case. */
export function isSkillMd(name: string): boolean {
  return SKILL_FILE.test(name)
}

/** True for the name of a single-file skill: `review.skill.md`, `review.skill.ts`. */
export function isSingleFile(name: string): boolean {
  return SINGLE_FILE.test(name)
}

export function kindOf(name: string): 'file' | 'code' {
  return name.endsWith('.md') ? 'file' : 'code'
}

/** The file that makes a folder a skill: SKILL.md, or else the first that differs from it in case only. */
export function skillFileOf(listing: readonly Dirent[]): Dirent | undefined {
  let first: Dirent | undefined
  for (const item of listing) {
    if (!SKILL_FILE.test(item.name) || item.isDirectory()) continue
    if (item.name === 'SKILL.md') return item
    first ??= item
  }
  return first
}

export function isSkillFolder(folder: string): boolean {
  return skillFileOf(peekDirectory(folder)) !== undefined
}

/** The intended name of a file that begins like a skill and has almost its name; else null. */
export function nameMeant(name: string, file: string): string | null {
  const near = SKILL_FILE.test(name) ? null : NEAR_FILE.exec(name)
  // An unreadable file with such a name is not known to be a skill.
  if (near === null || orNull(() => readRegularFile(file, 3).toString()) !== '---') return null
  const [, stem] = near
  return stem === undefined ? 'SKILL.md' : `${stem}.skill.md`
}

/**
 * The names that an unreadable skill seems to define.
 *
 * @param folderNames the possible names of its folder; only a folder skill takes its name from them
 */
export function namesOf(kind: ToolKind, path: string, ...folderNames: string[]): string[] {
  const names = (kind === 'folder' ? folderNames : ['']).flatMap(
    folderName => fallbackName({ path, kind, folderName }) ?? [],
  )
  return [...new Set(names)]
}
