import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { ToolDef } from 'agent-apps'
import { isJsonObject } from '../src/base/json.js'
import { fileOf } from './open-runtime.js'
import { type Output, printable } from './output.js'

/** The file in which the `skills` command records the skills that it installed into a project. */
export const LOCK_FILE = 'skills-lock.json'

/** The source of an installed skill. Fields that the lock file lacks are null. */
export interface InstalledFrom {
  source: string
  sourceType: string | null
  ref: string | null
  skillPath: string | null
}

interface LockedSkill extends InstalledFrom {
  /** The hash of the skill's folder as it was installed. */
  computedHash: string | null
}

/** The lock file of a project: its skills by name, and the file's problem, if any. */
export interface SkillsLock {
  skills: ReadonlyMap<string, LockedSkill>
  problem: string | null
}

/** Reads the lock file of a folder; empty without one. */
export function readSkillsLock(folder: string): SkillsLock {
  const nothing = new Map<string, LockedSkill>()
  const file = join(folder, LOCK_FILE)
  try {
    // Reading a pipe or device would never end.
    if (!statSync(file).isFile()) return { skills: nothing, problem: 'it is not a regular file' }
    const lock: unknown = JSON.parse(readFileSync(file, 'utf8'))
    const skills = isJsonObject(lock) ? lock.skills : undefined
    if (!isJsonObject(skills)) return { skills: nothing, problem: 'it has no object `skills`' }
    const locked = Object.entries(skills).flatMap(([name, entry]): [string, LockedSkill][] =>
      isJsonObject(entry) && typeof entry.source === 'string'
        ? [[name, lockedSkill(entry, entry.source)]]
        : [],
    )
    return { skills: new Map(locked), problem: null }
  } catch (error) {
    const isAbsent = (error as NodeJS.ErrnoException).code === 'ENOENT'
    return { skills: nothing, problem: isAbsent ? null : (error as Error).message }
  }
}

function lockedSkill(entry: Record<string, unknown>, source: string): LockedSkill {
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  return {
    source,
    sourceType: text(entry.sourceType),
    ref: text(entry.ref),
    skillPath: text(entry.skillPath),
    computedHash: text(entry.computedHash),
  }
}

/** Reports a lock file that cannot be read. */
export function noteLock({ problem }: SkillsLock, output: Output): void {
  if (problem !== null) output.note(`${LOCK_FILE} is not used: ${printable(problem)}`)
}

/** The source of a tool; null if the lock file does not list it. */
export function installedFrom(tool: ToolDef, lock: SkillsLock): InstalledFrom | null {
  const locked = lockedAs(tool, lock)
  if (locked === null) return null
  const { computedHash: _, ...from } = locked
  return from
}

export function shownSource({ source, ref, skillPath }: InstalledFrom): string {
  return `${source}${ref === null ? '' : `@${ref}`}${skillPath === null ? '' : ` ${skillPath}`}`
}

/** True if a tool's folder differs from what the lock file says was installed. */
export function isChangedSinceInstalled(tool: ToolDef, lock: SkillsLock): boolean {
  const hash = lockedAs(tool, lock)?.computedHash ?? null
  return hash !== null && hash !== '' && hash !== folderHash(dirname(fileOf(tool.origin)))
}

/** The entry of a folder skill. The lock file lists it by its own name, from which the folder's name is derived. */
function lockedAs({ kind, name, frontmatter, origin }: ToolDef, { skills }: SkillsLock): LockedSkill | null {
  if (kind !== 'folder' || origin.layer !== 'project') return null
  const folder = basename(dirname(fileOf(origin)))
  for (const [key, entry] of skills)
    if (key === name || key === frontmatter.title || folderName(key) === folder) return entry
  return null
}

/** The name of the folder that a skill is installed into. */
function folderName(name: string): string | undefined {
  return name
    .toLowerCase()
    .match(/[a-z0-9._]+/g)
    ?.join('-')
}

/**
 * The hash of a skill's folder as `skills` computes it: SHA-256 over the path and content of each file, sorted by path,
 * without links, `.git` and `node_modules`.
 */
export function folderHash(folder: string): string {
  const files = filesBelow(folder).map(file => relative(folder, file).replaceAll('\\', '/'))
  const hash = createHash('sha256')
  for (const file of files.sort((a, b) => a.localeCompare(b)))
    hash.update(file).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap(item => {
    const path = join(folder, item.name)
    if (item.isDirectory())
      return item.name === '.git' || item.name === 'node_modules' ? [] : filesBelow(path)
    return item.isFile() ? [path] : []
  })
}
