import { posix } from 'node:path'
import { AgentAppsError } from '../src/error.js'
import { isBroken, type NameRecord } from '../src/index-format.js'
import { nearest } from '../src/nearest.js'
import { matchPattern } from '../src/tool-pattern.js'
import { type SearchedIndex, withTools } from './bundle-directory.js'
import { type Lead, toolLeads } from './tool-leads.js'

/**
 * The directories without the tools that a bundle does not keep. Kept are those that a pattern names, with all that they
 * lead to, and the project's main skill, under which the tools stand that a program registers. A name is kept in every
 * directory that has it, so that it means the tool that it meant. A broken one is no tool, and goes on saying so.
 *
 * @param directories the library's among them
 * @param keep undefined: all, as a program may call any tool by its name
 * @throws OPTIONS_INVALID for a pattern that names nothing
 */
export function keptTools(
  directories: readonly SearchedIndex[],
  keep: readonly string[] | undefined,
): SearchedIndex[] {
  if (keep === undefined) return [...directories]
  const all = directories.flatMap(({ tools }) => [...tools])
  const none = keep.find(pattern => !all.some(([name, record]) => isNamed(pattern, name, record)))
  if (none !== undefined) {
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `The pattern ${JSON.stringify(none)} of \`keep\` names no tool.`,
      {
        hint: hintFor(
          none,
          all.map(([name]) => name),
        ),
      },
    )
  }
  const named = all
    .filter(([name, record]) => keep.some(pattern => isNamed(pattern, name, record)))
    .map(([name]) => ({ name, isLender: false }))
  const broken = all.filter(([, record]) => isBroken(record)).map(([name]) => name)
  const kept = new Set([
    ...broken,
    ...reached([...named, ...projectMain(directories)], toolLeads(directories)),
  ])
  return directories.map(directory => ({ ...directory, ...withTools(directory, name => kept.has(name)) }))
}

function isNamed(pattern: string, name: string, record: NameRecord): boolean {
  return matchPattern(pattern, name, isBroken(record) ? [] : record.frontmatter.tags)
}

/** The main skill at the top of the first of the project's directories that has one. */
function projectMain(directories: readonly SearchedIndex[]): Lead[] {
  const atTop = directories
    .filter(({ isOwn }) => isOwn)
    .map(({ tools }) => [...tools].filter(([, record]) => isMainAtTop(record)))
  const first = atTop.find(mains => mains.length > 0) ?? []
  return first.map(([name]) => ({ name, isLender: true }))
}

function hintFor(pattern: string, names: string[]): string {
  if (/[\s,]/.test(pattern))
    return 'Give each pattern by itself, to the command each with a `--keep` of its own.'
  const near = nearest(pattern, names)
  return near === null ? 'See `agent-apps list` for those there are.' : `Did you mean "${near}"?`
}

function isMainAtTop(record: NameRecord): boolean {
  return !isBroken(record) && record.frontmatter.role === 'main' && posix.dirname(record.file) === '.'
}

/** All names that some lead to, themselves among them. What only lends its metadata may be led to as a whole later. */
function reached(from: readonly Lead[], leadsOf: (from: Lead) => Lead[]): Iterable<string> {
  const lenders = new Map<string, boolean>()
  const waiting = [...from]
  for (const lead of waiting) {
    const known = lenders.get(lead.name)
    if (known === false || known === lead.isLender) continue
    lenders.set(lead.name, lead.isLender)
    for (const next of leadsOf(lead)) waiting.push(next)
  }
  return lenders.keys()
}
