import type { ResolvedCascade } from '../../src/cascade/types.js'
import { cascadeIn } from '../../src/index/cascade-record.js'
import { currentIndex, directoryStates, withNames } from '../directory/look-up.js'
import { knownTool } from '../find/find-tool.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { areCascadesValid } from './chain-of.js'

/**
 * The names of a tool's peers: under `trust` as its index has them, where its cascades hold; else as they
 * were resolved now.
 */
export async function peersOf(
  tool: ToolDef,
  resolved: readonly ResolvedCascade[],
  nameOf: (id: string) => string,
  globals: Globals,
): Promise<string[]> {
  // External directories were compiled as projects of their own, whose promotions do not apply here.
  const states = directoryStates(globals).filter(({ external, library }) => !external || library)
  for (const state of states) await seedPeers(state, globals)
  const isCompiled = isSeeded(tool, globals)
  completePeers(resolved, nameOf, globals, isCompiled ? undefined : tool.name)
  return [...(globals.cache.cyclicPeers?.get(tool.name) ?? [])]
}

/** True where a name means this tool, and its index says who its peers are. */
function isSeeded(tool: ToolDef, globals: Globals): boolean {
  const source = sourceOf(tool)
  return (
    globals.config.freshness === 'trust' &&
    // A registered tool may be middleware, or a base, in another one's stead.
    globals.tools.programmaticTools.size === 0 &&
    knownTool(tool.name, globals) === tool &&
    globals.cache.cyclicPeers?.has(tool.name) === true &&
    source !== undefined &&
    source.names.via !== 'disk' &&
    globals.cache.cyclicPeersSeededDirs?.has(source.state.dir) === true
  )
}

/** Takes all peers of a directory from its index, once, where the cascades that it was compiled with hold. */
async function seedPeers(state: DirectoryState, globals: Globals): Promise<void> {
  const { cache } = globals
  cache.cyclicPeersSeededDirs ??= new Set()
  cache.cyclicPeers ??= new Map()
  const { cyclicPeers, cyclicPeersSeededDirs } = cache
  if (cyclicPeersSeededDirs.has(state.dir)) return
  await withNames(state, globals, async () => {
    const index = currentIndex(state, globals)
    if (!index || !areCascadesValid(index.header, state, globals)) return
    for (const name of index.names()) {
      const peers = cascadeIn(index, name)?.peers
      // The first directory that has a name is the one that it means.
      if (peers && !cyclicPeers.has(name)) cyclicPeers.set(name, new Set(peers))
    }
    cyclicPeersSeededDirs.add(state.dir)
  })
}

/** Adds what was resolved and is not known; of the tool `anew` what was resolved counts. */
export function completePeers(
  resolved: Iterable<ResolvedCascade>,
  nameOf: (id: string) => string,
  { cache }: Globals,
  anew?: string,
): void {
  cache.cyclicPeers ??= new Map()
  for (const { tool, peers } of resolved) {
    if (peers.length === 0) {
      if (tool.name === anew) cache.cyclicPeers.delete(tool.name)
    } else if (tool.name === anew || !cache.cyclicPeers.has(tool.name))
      cache.cyclicPeers.set(tool.name, new Set(peers.map(nameOf)))
  }
}
