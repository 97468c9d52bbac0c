import { byCodePoint } from '../../src/base/code-point-order.js'
import type { Diagnostic } from '../../src/base/diagnostic.js'
import { type Finding, type Message, toDiagnostic, toMessage } from '../diagnostics/diagnostics.js'
import { type CatalogCost, catalogCost } from '../records/catalog-cost.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { shownPath } from './project.js'
import type { LinkedPart } from './project-part.js'

/**
 * * The outcome for a file. Found: one of its tools resolves. Shadowed: earlier directories have all its
 * names. Skipped: a fatal diagnostic says why.
 */
export type Outcome = 'found' | 'shadowed' | 'skipped'

/** The outcome for one skill file. */
export interface FileReport {
  /** As shown: relative to `cwd`, `/`-separated. */
  file: string
  outcome: Outcome
  /** The names it gives to its directory. */
  tools: string[]
}

/** The outcomes for all skill files: found + shadowed + skipped = files. */
export interface Report {
  counts: { files: number; found: number; shadowed: number; skipped: number }
  /** The tools that resolve by name, each with its file as shown. */
  skills: { name: string; file: string }[]
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
 * * The report of a command on its directories, in search order.
 *
 * @param unmatched the patterns of `allowed-tools` that no directory has a tool for, each with the name that
 * it may have meant, or none
 */
export function report(parts: readonly ReportPart[], unmatched: ReadonlyMap<string, string>): Report {
  const became = outcomes(parts.map(({ linked }) => linked))
  const files = parts.flatMap((part, index) => fileReports(part, became[index]))
  const count = (outcome: Outcome): number => files.filter(file => file.outcome === outcome).length
  return {
    counts: {
      files: files.length,
      found: count('found'),
      shadowed: count('shadowed'),
      skipped: count('skipped'),
    },
    skills: skillReports(parts),
    files,
    catalog: catalogCost(parts.map(({ linked }) => linked)),
    diagnostics: toMessages(parts.flatMap(part => partDiagnostics(part, unmatched))),
  }
}

/**
 * * The outcome for each file of all directories: found where one of its tools is the first of its name in
 * search order, shadowed where earlier directories have all its names, else skipped.
 */
function outcomes(directories: readonly LinkedDirectory[]): Map<string, Outcome>[] {
  const taken = new Set<string>()
  return directories.map(({ units, names, given }) => {
    const became = new Map<string, Outcome>()
    for (const { path } of units) {
      const tools = given.get(path) ?? []
      const found = tools.some(name => !taken.has(name))
      became.set(path, found ? 'found' : tools.length > 0 ? 'shadowed' : 'skipped')
    }
    for (const name of names.keys()) taken.add(name)
    return became
  })
}

function skillReports(parts: readonly ReportPart[]): Report['skills'] {
  const skills = new Map<string, { name: string; file: string } | null>()
  for (const { directory, linked } of parts) {
    for (const [name, { unit, tool }] of linked.names) {
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
): Diagnostic[] {
  const diagnostics: Diagnostic[] = []
  for (const { path, findings } of linked.units) {
    for (const finding of [...findings, ...(linked.findings.get(path) ?? [])]) {
      const shown = amongAll(finding, directory, unmatched)
      if (shown) diagnostics.push(toDiagnostic(shownPath(directory, path), shown))
    }
  }
  for (const { path, finding } of unresolved)
    diagnostics.push(toDiagnostic(shownPath(directory, path), finding))
  for (const { path, finding, counts } of skipped) {
    diagnostics.push({
      ...toDiagnostic(shownPath(directory, path), finding),
      ...(counts && { fatal: true as const }),
    })
  }
  return diagnostics.sort((a, b) => byCodePoint(a.file, b.file) || a.line - b.line || a.column - b.column)
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
function toMessages(diagnostics: Diagnostic[]): Message[] {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return diagnostics.map(toMessage)
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
