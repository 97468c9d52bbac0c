import { posix } from 'node:path'
import { AgentAppsError } from '../../../src/base/error.js'
import { nearest } from '../../../src/base/nearest.js'
import { isBroken, type NameRecord } from '../../../src/index/index-format.js'
import { matchPattern } from '../../../src/patterns/tool-pattern.js'
import { namespaceOf } from '../../../src/skill/names.js'
import { withLabels } from '../../../src/skill/near-tool.js'
import { type SearchedIndex, withTools } from './bundle-directory.js'
import { type Dependency, ToolDependencies } from './tool-dependencies.js'

/**
 * Removes the tools that a bundle does not keep. It keeps the tools that a pattern names, with all their
 * dependencies, and the project's main skill, which governs the tools that a program registers. A name is
 * kept in every directory that has it, so that it still refers to the same tool. Broken tools are kept, so
 * that they are still reported.
 *
 * @param directories the library's among them
 * @param keep undefined: all, as a program may call any tool by its name
 * @throws OPTIONS_INVALID for a pattern that names nothing
 */
export async function keptTools(
  directories: readonly SearchedIndex[],
  keep: readonly string[] | undefined,
): Promise<SearchedIndex[]> {
  if (keep === undefined) return [...directories]
  const all = directories.flatMap(({ records }) => [...records.tools])
  const none = keep.find(pattern => !all.some(([name, record]) => isNamed(pattern, name, record)))
  if (none !== undefined) {
    const names = all.map(([name]) => name)
    const problem = `The pattern ${JSON.stringify(none)} of \`keep\` names no tool.`
    throw new AgentAppsError('OPTIONS_INVALID', problem, { hint: hintFor(none, names) })
  }
  const named = all
    .filter(([name, record]) => keep.some(pattern => isNamed(pattern, name, record)))
    .map(([name]): Dependency => ({ kind: 'tool', name }))
  const kept = await reached([...named, ...projectMain(directories)], new ToolDependencies(directories))
  for (const [name, record] of all) if (isBroken(record)) kept.add(name)
  return directories.map(directory => withTools(directory, name => kept.has(name)))
}

function isNamed(pattern: string, name: string, record: NameRecord): boolean {
  return matchPattern(pattern, name, isBroken(record) ? [] : record.frontmatter.tags)
}

/** The main skill at the top of the first of the project's directories that has one. */
function projectMain(directories: readonly SearchedIndex[]): Dependency[] {
  const atTop = directories
    .filter(({ isOwn }) => isOwn)
    .map(({ records }) => [...records.tools].filter(([, record]) => isMainAtTop(record)))
  const first = atTop.find(mains => mains.length > 0) ?? []
  return first.map(([name]) => ({ kind: 'lender', name }))
}

function hintFor(pattern: string, names: string[]): string {
  if (/[\s,]/.test(pattern)) return 'Pass each pattern separately; the command takes `--keep` once for each.'
  const near = nearest(pattern, withLabels(names))
  return near === null ? '`agent-apps list` shows the tools.' : `Did you mean "${near}"?`
}

function isMainAtTop(record: NameRecord): boolean {
  if (isBroken(record)) return false
  const { name, role } = record.frontmatter
  return role === 'main' && namespaceOf(name) === '' && posix.dirname(record.file) === '.'
}

/**
 * The names of all tools that some dependencies lead to, directly or by others, including their own names.
 */
async function reached(from: readonly Dependency[], dependencies: ToolDependencies): Promise<Set<string>> {
  const known = new Map(from.map(one => [keyOf(one), one]))
  const names = new Set<string>()
  // A map's iteration also visits entries added on the way.
  for (const one of known.values()) {
    if (one.kind === 'tool' || one.kind === 'lender') names.add(one.name)
    for (const next of await dependencies.of(one)) {
      const key = keyOf(next)
      if (!known.has(key)) known.set(key, next)
    }
  }
  return names
}

function keyOf(dependency: Dependency): string {
  const { kind, name } = dependency
  const { dir = '', namespace = '' } = { dir: '', namespace: '', ...dependency }
  return [kind, name, dir, namespace].join('\0')
}
