import { byCodePoint } from '../../src/base/code-point-order.js'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { type Finding, type Message, toDiagnostic } from '../diagnostics/diagnostics.js'
import { type RuleSettings, withSetting } from '../diagnostics/rule-settings.js'
import { type CatalogCost, catalogCost } from '../records/catalog-cost.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { type LinkedPart, type Project, shownPath } from './project.js'

/**
 * The outcome for a file. Found: one of its tools resolves. Shadowed: earlier directories have all its names.
 * Skipped: a fatal diagnostic has the reason.
 */
export type Outcome = 'found' | 'shadowed' | 'skipped'

/** The outcome for one skill file. */
export interface FileReport {
  /** The shown path: relative to `cwd`, `/`-separated. */
  file: string
  outcome: Outcome
  /** The names that it adds to its directory. */
  tools: string[]
}

/** The outcomes for all skill files: found + shadowed + skipped = files. */
export interface Report {
  counts: { files: number; found: number; shadowed: number; skipped: number }
  /** The directories that were read, as shown paths. */
  directories: string[]
  /** The tools that resolve by name, each with its file as shown. */
  skills: { name: string; file: string }[]
  /** The outcome for each skill file. */
  files: FileReport[]
  /** The tokens that it takes to list them in a prompt. */
  catalog: CatalogCost
  /** In order of directory, file and place. */
  diagnostics: Message[]
}

/** One directory's part of a report. */
export interface ReportPart extends LinkedPart {
  /**
   * Files that would be skills if they lay elsewhere (`counts`), and everything else that was not followed or
   * entered.
   */
  skipped: { path: string; finding: Finding; counts: boolean }[]
  /** The findings that only all directories together show. */
  unresolved?: { path: string; finding: Finding }[]
}

/**
 * The report of a command on its directories, in search order.
 *
 * @param unmatched the patterns of `allowed-tools` that no directory has a tool for, each with the name that
 * it may have meant, or none
 */
export async function report(
  parts: readonly ReportPart[],
  unmatched: ReadonlyMap<string, string>,
  { rules, faults }: Pick<Project, 'rules' | 'faults'>,
): Promise<Report> {
  const found = parts.flatMap(part => partDiagnostics(part, unmatched, rules))
  const became = outcomes(parts.map(({ linked }) => linked))
  const files = parts.flatMap((part, index) => fileReports(part, became[index]))
  const counts = { files: files.length, found: 0, shadowed: 0, skipped: 0 }
  for (const { outcome } of files) counts[outcome]++
  return {
    counts,
    directories: parts.map(({ directory }) => shownPath(directory, '')),
    skills: skillReports(parts),
    files,
    catalog: catalogCost(parts.map(({ linked }) => linked)),
    diagnostics: await toMessages([...faults, ...namesOnce(found)]),
  }
}

/**
 * The outcome for each file of all directories: found where one of its tools is the first of its name in
 * search order, shadowed where earlier directories have all its names or where it is a copy, else skipped.
 */
function outcomes(directories: readonly LinkedDirectory[]): Map<string, Outcome>[] {
  const taken = new Set<string>()
  return directories.map(({ units, names, given, copies }) => {
    const became = new Map<string, Outcome>()
    for (const { path } of units) {
      const tools = given.get(path) ?? []
      const found = tools.some(name => !taken.has(name))
      const isCopy = copies.has(path)
      became.set(path, found && !isCopy ? 'found' : tools.length > 0 || isCopy ? 'shadowed' : 'skipped')
    }
    for (const name of names.keys()) taken.add(name)
    return became
  })
}

function skillReports(parts: readonly ReportPart[]): Report['skills'] {
  const skills = new Map<string, { name: string; file: string } | null>()
  for (const { directory, linked } of parts) {
    for (const [name, { unit, tool }] of linked.names) {
      if (linked.copies.has(unit.path)) continue
      // A broken tool keeps its name from later directories, but is not listed itself.
      if (!skills.has(name)) skills.set(name, tool ? { name, file: shownPath(directory, unit.path) } : null)
    }
  }
  return [...skills.values()].filter(skill => skill !== null)
}

function fileReports(
  { directory, linked, skipped }: ReportPart,
  became: Map<string, Outcome> | undefined,
): FileReport[] {
  const read = linked.units.map(({ path }) => ({
    file: shownPath(directory, path),
    outcome: became?.get(path) ?? 'skipped',
    tools: linked.given.get(path) ?? [],
  }))
  const left = skipped
    .filter(({ counts }) => counts)
    .map(({ path }) => ({ file: shownPath(directory, path), outcome: 'skipped' as const, tools: [] }))
  return [...read, ...left]
}

/** The diagnostics of a directory, without patterns that match a skill of another directory. */
function partDiagnostics(
  { directory, linked, skipped, unresolved = [] }: ReportPart,
  unmatched: ReadonlyMap<string, string>,
  rules: RuleSettings,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  const ignored = new Map<string, readonly string[]>()
  for (const unit of linked.units) if (unit.ignored) ignored.set(unit.path, unit.ignored)
  const add = (path: string, found: Diagnostic): void => {
    const set = withSetting(found, rules)
    // An error is never silenced by a comment in the file at fault.
    const isIgnored = ignored.get(path)?.includes(found.rule) && set?.severity !== 'error'
    if (set !== null && !isIgnored) diagnostics.push(set)
  }
  for (const { path, findings } of linked.units) {
    for (const found of [findings, linked.findings.get(path) ?? []])
      for (const finding of found) {
        const shown = amongAll(finding, directory, unmatched)
        if (shown) add(path, toDiagnostic(shownPath(directory, path), shown))
      }
  }
  for (const { path, finding } of unresolved) add(path, toDiagnostic(shownPath(directory, path), finding))
  for (const { path, finding, counts } of skipped) {
    add(path, {
      ...toDiagnostic(shownPath(directory, path), finding),
      ...(counts && { fatal: true as const }),
    })
  }
  return diagnostics.sort((a, b) => byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column)
}

/** Keeps the first mention of each name that may be a host's own tool: a collection names one everywhere. */
function namesOnce(diagnostics: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>()
  return diagnostics.filter(({ rule, severity, reason }) => {
    if (rule !== 'pattern-unmatched' || severity !== 'info') return true
    const [, name = reason] = /^The pattern "([\w-]+)/.exec(reason) ?? []
    const isNew = !seen.has(name)
    seen.add(name)
    return isNew
  })
}

/** A finding of one directory in the light of all directories; null where they show that nothing is wrong. */
function amongAll(
  one: Finding,
  directory: ReportPart['directory'],
  unmatched: ReadonlyMap<string, string>,
): Finding | null {
  const [first = '', second = '', third = ''] = one.found
  if (one.rule === 'pattern-unmatched') {
    const near = unmatched.get(first)
    return near === undefined ? null : { ...one, found: [first, near] }
  }
  // The other file is shown as this one is.
  if (one.rule === 'duplicate-name' && third !== '')
    return { ...one, found: [first, second, shownPath(directory, third)] }
  return one
}

/**
 * A `vfile-message` is an `Error`; where ten thousand are made, their stacks would take longer than the
 * compile.
 */
async function toMessages(diagnostics: Diagnostic[]): Promise<Message[]> {
  if (diagnostics.length === 0) return []
  const { toMessage } = await import('../diagnostics/to-message.js')
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return diagnostics.map(toMessage)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
