import { disk } from '#disk'
import { type CascadeRecord, isBroken } from '../src/index-format.js'
import { areFresh, type ChainStep, isOwn, type KnownCascade } from './chain.js'
import { type DirectoryState, directoryStates, lookUp } from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'
import { inheritedSchemas, makeChain, makeStep } from './make-chain.js'
import { toolOf } from './make-tool.js'
import type { ToolDef } from './tool-def.js'
import { sourceOf } from './tool-source.js'

/** A cascade as its record in an index has it; null where it does not hold. */
export async function chainOfRecord(
  tool: ToolDef,
  { chain, body, metadata = {}, sources = [] }: CascadeRecord,
  toolKeys: readonly string[],
  globals: Globals,
  host: Disk,
): Promise<KnownCascade | null> {
  const steps: ChainStep[] = []
  for (const entry of chain) {
    const def = await middlewareFor(entry.name, tool, globals)
    if (def === null) return null
    steps.push(makeStep(entry, def))
  }
  const states = directoryStates(globals, host)
  const home = sourceOf(tool)?.state
  // The library, and what somebody else compiled, is a project of its own.
  const project = home && (home.library || home.external) ? [home] : states.filter(isOwn)
  const tools: ToolDef[] = []
  // Under `trust` nobody looks at what it depends on.
  const needed = globals.config.freshness === 'trust' ? [] : sources
  for (const [directory, name] of body ? [...needed, body] : needed) {
    const state = directory === 'library' ? states.find(({ library }) => library) : project[directory]
    const found = state && (await lookUp(state, name, globals, host))
    // What was read anew changed after the chain was compiled.
    if (!found || isBroken(found.record) || found.names.via === 'disk') return null
    tools.push(toolOf({ ...found, record: found.record }, globals, host))
  }
  const bodyTool = body && tools.pop()
  // A tool without a delegate is nobody's body, whatever an index says.
  if (bodyTool && typeof bodyTool.frontmatter.metadata.delegate !== 'string') return null
  const schemas = inheritedSchemas(tool, key => metadata[key])
  const parts = { ...(bodyTool && { body: bodyTool }), ...(schemas && { schemas }) }
  const known = { tool, chain: makeChain(steps, parts), toolKeys, sources: tools }
  return areFresh(tools, globals) ? known : null
}

/**
 * The middleware of a name around a tool: a registered one, else one of the tool's own layer, else the library's.
 * So a chain does not depend on what lies in other people's directories. What has another role is passed over.
 */
export async function middlewareFor(name: string, tool: ToolDef, globals: Globals): Promise<ToolDef | null> {
  const registered = globals.tools.programmaticTools.get(name)
  if (registered?.frontmatter.role === 'middleware') return registered
  if (disk === null) return null
  for (const state of layerDirectories(tool, directoryStates(globals, disk))) {
    const found = await lookUp(state, name, globals, disk)
    if (found && !isBroken(found.record) && found.record.frontmatter.role === 'middleware')
      return toolOf({ ...found, record: found.record }, globals, disk)
  }
  return null
}

/** Where middleware and directives of a tool are looked for: its own layer, then the library. */
export function layerDirectories({ origin }: ToolDef, states: readonly DirectoryState[]): DirectoryState[] {
  const home = states.find(({ dir, layer }) => dir === origin.entry && layer === origin.layer)
  const own =
    home?.library || (!home && origin.layer !== 'programmatic')
      ? []
      : home?.external
        ? [home]
        : states.filter(({ layer, external }) => !external && layer === (home?.layer ?? 'project'))
  return [...own, ...states.filter(({ library }) => library)]
}
