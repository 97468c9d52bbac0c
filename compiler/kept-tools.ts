import { posix } from 'node:path'
import { AgentAppsError } from '../src/error.js'
import { isBroken, type NameRecord, type ToolRecord } from '../src/index-format.js'
import { parseReference } from '../src/reference.js'
import { matchPattern } from '../src/tool-pattern.js'
import { cascadesOf, type IndexedDirectory, isPartOfOthers, withTools } from './bundle-directory.js'

/**
 * The directories without the tools that a bundle does not keep. Kept are those that a pattern names, with the tools that
 * their metadata leads to; and middleware, directives and main skills, which others are made of. What code calls by
 * name cannot be seen.
 *
 * @throws OPTIONS_INVALID for a pattern that names nothing
 */
export function keptTools<Directory extends IndexedDirectory>(
  directories: readonly Directory[],
  keep: readonly string[] | undefined,
): Directory[] {
  if (keep === undefined) return [...directories]
  const all = directories.flatMap(({ tools }) => [...tools])
  for (const pattern of keep) {
    if (all.some(([name, record]) => isNamed(pattern, name, record))) continue
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `The pattern ${JSON.stringify(pattern)} of \`keep\` names no tool.`,
      {
        hint: 'See `agent-apps list` for those there are.',
      },
    )
  }
  const kept = new Set(
    all
      .filter(
        ([name, record]) => isPartOfOthers(record) || keep.some(pattern => isNamed(pattern, name, record)),
      )
      .map(([name]) => name),
  )
  const led = directories.map(directory => ({ directory, leads: leadsIn(directory) }))
  for (const name of kept) for (const { leads } of led) for (const one of leads(name)) kept.add(one)
  return directories.map(directory => ({ ...directory, ...withTools(directory, name => kept.has(name)) }))
}

function isNamed(pattern: string, name: string, record: NameRecord): boolean {
  return matchPattern(pattern, name, isBroken(record) ? [] : record.frontmatter.tags)
}

/** The names that a tool's delegate and metadata lead to. */
function leadsIn(directory: IndexedDirectory): (name: string) => string[] {
  const cascades = cascadesOf(directory)
  const { tools } = directory
  return name => {
    const record = tools.get(name)
    if (!record || isBroken(record)) return []
    const { chain = [], body, sources = [] } = cascades.get(name) ?? {}
    const addressed = [...sources, ...(body ? [body] : [])].map(([, one]) => one)
    return [...referred(record, tools), ...addressed, ...chain.map(one => one.name)]
  }
}

/** What a tool's own metadata names: by name, or by the file of the directory. */
function referred(
  { file, frontmatter: { metadata } }: ToolRecord,
  tools: IndexedDirectory['tools'],
): string[] {
  return [metadata.delegate, metadata.$inherit, metadata['requires-tools']].flat().flatMap(one => {
    const reference = typeof one === 'string' ? parseReference(one) : null
    if (reference?.kind === 'name') return [reference.name]
    if (reference?.kind !== 'path') return []
    const path = posix.join(posix.dirname(file), reference.path)
    return [...tools]
      .filter(([, record]) => record.file === path || record.file === `${path}/SKILL.md`)
      .map(([name]) => name)
  })
}
