import type { CascadeTool } from '../../src/cascade/types.js'
import { type CascadeRecord, isBroken, type ToolAddress } from '../../src/index/index-format.js'
import type { ToolFrontmatter } from '../../src/skill/frontmatter.js'
import { namesInScope } from '../../src/skill/namespaces.js'
import { brokenFault, roleFault } from '../../src/skill/skill-faults.js'
import { isStillFresh } from '../directory/file-freshness.js'
import { directoryStates, lookUp } from '../directory/look-up.js'
import { toolOf } from '../find/make-tool.js'
import type { ChainStep, KnownCascade } from '../state/chain.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import { isOwn, reachesOut } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { inheritedParts, knownCascade, makeChain, makeStep } from './make-chain.js'

/** The cascade of an index's record; null if it does not hold. */
export async function chainOfRecord(
  tool: ToolDef,
  { chain, body, deps = [], metadata = {}, sources = [] }: CascadeRecord,
  keys: readonly string[],
  globals: Globals,
): Promise<KnownCascade | null> {
  const steps: ChainStep[] = []
  for (const entry of chain) {
    const found = await middlewareNamed(entry.name, tool, globals)
    if (!found?.tool) return null
    steps.push(makeStep(entry, found.tool))
  }
  // Under `trust` its sources are not checked.
  const needed = globals.config.freshness === 'trust' ? [] : sources
  const tools = await addressedTools(body ? [...needed, body] : needed, tool, globals)
  if (tools === null) return null
  const bodyTool = body && tools.pop()
  // A faulty index may name a body without a delegate.
  if (bodyTool && typeof bodyTool.frontmatter.metadata.delegate !== 'string') return null
  const parts = inheritedParts(tool, bodyTool, key => metadata[key])
  if (!areFresh(tools, globals)) return null
  return knownCascade(tool, { chain: makeChain(steps, parts), keys, deps, sources: tools })
}

/** The tools that a compiled cascade names; null if one is missing or changed since. */
export async function addressedTools(
  addresses: readonly ToolAddress[],
  tool: ToolDef,
  globals: Globals,
): Promise<ToolDef[] | null> {
  const states = directoryStates(globals)
  const home = sourceOf(tool)?.state
  // The library and external directories were compiled as projects of their own.
  const project = home && (home.library || home.external) ? [home] : states.filter(isOwn)
  const tools: ToolDef[] = []
  for (const [directory, name] of addresses) {
    const state = directory === 'library' ? states.find(({ library }) => library) : project[directory]
    const found = state && (await lookUp(state, name, globals))
    // A file that was read again changed after the chain was compiled.
    if (!found || isBroken(found.record) || found.names.via === 'disk') return null
    tools.push(toolOf({ ...found, record: found.record }, globals))
  }
  return tools
}

/** The middleware that a key is named after, or the fault of a tool that may be one. */
type FoundMiddleware = { tool: ToolDef; fault?: never } | { tool?: never; fault: Fault }

type Fault = NonNullable<CascadeTool['fault']>

/**
 * The middleware that a key means which is written in a namespace: there the one of that namespace, else one
 * without a namespace.
 *
 * @param onPassed called with tools that are skipped: they may become middleware when their files change
 */
export async function middlewareFor(
  key: string,
  tool: ToolDef,
  namespace: string,
  globals: Globals,
  onPassed?: (tool: ToolDef) => void,
): Promise<FoundMiddleware | null> {
  for (const name of namesInScope(key, namespace)) {
    const found = await middlewareNamed(name, tool, globals, onPassed)
    if (found) return found
  }
  return null
}

/**
 * The middleware of a name around a tool: a registered one, else one of the tool's own layer, else the
 * library's. So a chain does not depend on what lies in other people's directories. What has another role is
 * passed over.
 */
async function middlewareNamed(
  name: string,
  tool: ToolDef,
  globals: Globals,
  onPassed?: (tool: ToolDef) => void,
): Promise<FoundMiddleware | null> {
  const registered = globals.tools.programmaticTools.get(name)
  if (registered && mayBeMiddleware(registered.frontmatter)) return middlewareOf(registered)
  const home = sourceOf(tool)?.state
  const isOfAsked = home !== undefined && !reachesOut(home, globals)
  for (const state of layerDirectories(tool, directoryStates(globals))) {
    if (!isOfAsked && !reachesOut(state, globals)) continue
    const found = await lookUp(state, name, globals, true)
    if (!found) continue
    const { record } = found
    if (isBroken(record)) return { fault: brokenFault(record.broken) }
    const named = toolOf({ ...found, record }, globals)
    if (mayBeMiddleware(record.frontmatter)) return middlewareOf(named)
    onPassed?.(named)
  }
  return null
}

/** True also for a misspelt role, so that middleware that should guard a tool is not skipped. */
export function mayBeMiddleware({ role, roleMeant }: ToolFrontmatter): boolean {
  return role === 'middleware' || roleMeant === 'middleware'
}

function middlewareOf(tool: ToolDef): FoundMiddleware {
  const { name, frontmatter, origin } = tool
  return frontmatter.role === 'middleware' ? { tool } : { fault: roleFault(origin.file || name) }
}

/** The directories in which a tool's middleware and directives are looked for: its own layer, then the library. */
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

/** True if the files of tools have not changed; under `trust` always. */
export function areFresh(tools: readonly ToolDef[], { config }: Globals): boolean {
  if (config.freshness === 'trust' || tools.length === 0) return true
  return tools.every(tool => {
    const source = sourceOf(tool)
    return !source || isStillFresh(source.state, source.names, source.record.file)
  })
}
