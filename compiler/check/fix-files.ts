import { chmodSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { parsePatterns } from '../../src/patterns/tool-pattern.js'
import { type Fix, type ParsedFile, parseFile } from '../1-read/markdown/parse-file.js'
import { parseBare } from '../1-read/read-skills.js'
import { isFatal, type Place } from '../diagnostics/diagnostics.js'
import { placesIn } from '../diagnostics/source-text.js'
import { readRegularFile } from '../files/regular-file.js'
import { temporaryName } from '../files/temporary-files.js'
import { type ProjectDirectory, shownPath } from '../project/project.js'
import type { Stage } from '../project/stage.js'
import { fileOf, type Walk, type WalkedSkill } from '../records/walked.js'

/** The corrections to make, and if files are written. */
export interface Fixing {
  fix: boolean
  dryRun: boolean
  spec: boolean
}

/** A place that was corrected, or that would be. */
export interface FixedPlace extends Place {
  /** A shown path. */
  file: string
  /** The rule that it broke; `allowed-tools` for commas, which only the specification forbids. */
  rule: string
}

/** The corrections made, or to be made. */
export interface Fixed {
  /** In order of file and place. */
  fixes: FixedPlace[]
  /** The changes as a unified diff; empty unless nothing is written. */
  diff: string
}

/**
 * Corrects skill files where no guess is needed. A file whose skills would mean something else afterwards is left
 * unchanged.
 */
export const fixFiles: Stage<
  { directory: ProjectDirectory; walked: Walk; fixing: Fixing },
  { fixed: Fixed }
> = {
  name: 'fix',
  when: ({ fixing }) => fixing.fix,
  idle: () => ({ fixed: { fixes: [], diff: '' } }),
  async run({ directory, walked, fixing }) {
    const fixed: Fixed = { fixes: [], diff: '' }
    for (const skill of walked.skills) {
      if (skill.kind === 'code') continue
      const parsed = await parseBare(skill)
      const fixes = wantedFixes(parsed.fixes, fixing)
      if (fixes.length === 0) continue
      const before = readRegularFile(fileOf(skill)).toString()
      const after = withFixes(before, fixes)
      if (!meansTheSame(parsed, parseFile(Buffer.from(after), { ...skill, kind: skill.kind }))) continue
      const file = shownPath(directory, skill.path)
      const placeAt = placesIn(before)
      fixed.fixes.push(...fixes.map(({ rule, start }) => ({ file, rule, ...placeAt(start) })))
      if (fixing.dryRun) fixed.diff += await diffOf(file, before, after)
      else replaceFile(skill, after)
    }
    return { fixed }
  },
}

/** The fixes that are asked for, in the order of the file. */
function wantedFixes(fixes: readonly Fix[], { spec }: Pick<Fixing, 'spec'>): Fix[] {
  return fixes.filter(({ rule }) => spec || rule !== 'allowed-tools').sort((a, b) => a.start - b.start)
}

/** Applies fixes, which do not overlap, and leaves every other character. */
function withFixes(text: string, fixes: readonly Fix[]): string {
  const pieces = fixes.map(
    ({ start, replacement }, index) => text.slice(fixes[index - 1]?.end ?? 0, start) + replacement,
  )
  return pieces.join('') + text.slice(fixes.at(-1)?.end ?? 0)
}

/** True if every skill of a file keeps its meaning, and no other one breaks. */
function meansTheSame(before: ParsedFile, after: ParsedFile): boolean {
  const isWorse = after.findings.filter(isFatal).length > before.findings.filter(isFatal).length
  const [was, is] = [before, after].map(
    ({ tools }) => new Map(tools.map(tool => [tool.name, meaningOf(tool)])),
  )
  return !isWorse && [...(was ?? [])].every(([name, meaning]) => is?.get(name) === meaning)
}

/** All that matters of a tool, as a string. */
function meaningOf({ content, record: { frontmatter } }: ParsedFile['tools'][number]): string {
  // The title is the name that was replaced.
  const { title: _, 'allowed-tools': allowed, ...rest } = frontmatter
  const patterns = allowed === undefined ? null : parsePatterns(allowed).map(({ text }) => text)
  return JSON.stringify([rest, patterns, content])
}

async function diffOf(file: string, before: string, after: string): Promise<string> {
  // Few runs need it.
  const { createTwoFilesPatch } = await import('diff')
  return createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, { context: 2 })
}

/** Replaces a skill's file, not a link to it, and keeps its permissions. */
function replaceFile(skill: WalkedSkill, text: string): void {
  const file = realpathSync(fileOf(skill))
  const temporary = temporaryName(file)
  // An existing link of that name would be written through.
  rmSync(temporary, { force: true })
  writeFileSync(temporary, text, { flag: 'wx', mode: 0o600 })
  chmodSync(temporary, statSync(file).mode)
  renameSync(temporary, file)
}
