import { isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { parsePatterns } from '../../../src/patterns/tool-pattern.js'
import { WORKSPACE_TAG } from '../../../src/skill/names.js'
import { type SearchedIndex, withTools } from './bundle-directory.js'

/** The library's tools that only agents need, whose code needs the AI SDK. */
const AGENTS: readonly string[] = ['agent', 'context-manager']

/**
 * Leaves out of the library what a bundle does not need: its tools for files and processes, which not every host has, and
 * those for agents, unless a skill is run by one or names them. With the tools for processes comes `task`, which starts
 * agents.
 *
 * @param directories the library's among them
 * @param keep the patterns of what the bundle is to have
 */
export function libraryInBundle(
  directories: readonly SearchedIndex[],
  keep: readonly string[] = [],
  host?: 'node',
): SearchedIndex[] {
  const own = directories.filter(({ isLibrary }) => !isLibrary).flatMap(recordsOf)
  const hasAgents = host === 'node' || isMentioned(keep.join(' ')) || own.some(needsAgents)
  return directories.map(directory => {
    const { tools } = directory.records
    const isKept = (name: string): boolean => {
      const record = tools.get(name)
      if (!record || isBroken(record)) return true
      const isAway = host !== 'node' && record.frontmatter.tags.includes(WORKSPACE_TAG)
      return !isAway && (hasAgents || !AGENTS.includes(name))
    }
    return directory.isLibrary ? withTools(directory, isKept) : directory
  })
}

function recordsOf({ records }: SearchedIndex): ToolRecord[] {
  return [...records.tools.values()].flatMap(record => (isBroken(record) ? [] : [record]))
}

function needsAgents({ frontmatter }: ToolRecord): boolean {
  const { agent, delegate, 'requires-tools': required } = frontmatter.metadata
  if (agent) return true
  return [delegate, required, frontmatter['allowed-tools']]
    .flat()
    .some(one => typeof one === 'string' && isMentioned(one))
}

/** True for a list of patterns of which one names one of the tools itself, and does not forbid it; globs name none. */
function isMentioned(list: string): boolean {
  return parsePatterns(list).some(
    ({ text, options }) => options.deny === undefined && AGENTS.includes(text.replace(/^\$|\(.*/gs, '')),
  )
}
