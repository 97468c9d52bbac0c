import { disk } from '#disk'
import { runtimeClosed } from '../../src/base/error.js'
import { isBroken } from '../../src/index/index-format.js'
import { isName } from '../../src/skill/names.js'
import { inSearchOrder, lookUp, lookUpMissing, pathsKey } from '../directory/look-up.js'
import { lazy } from '../host/later.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import { defaultGlobals } from '../state/globals.js'
import type { Resolution, ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { toolOf } from './make-tool.js'

const completing = lazy(() => import('./complete-tool.js'))
const faults = lazy(() => import('./call-faults.js'))
const references = lazy(() => import('./resolve-reference.js'))

/** Null entries that are kept: a process that asks for random names forever must not grow without bound. */
const MISSING_KEPT = 10_000

/**
 * Finds the tool that a reference names: a bare name over the path entries, a path or `file://` URI directly,
 * or `layer://<layer>/<name>` past the shadowing.
 *
 * @returns null for what does not exist, and for a bare name whose file is broken; `diagnostics` then tells
 * @throws TOOL_BROKEN for a path or `file://` URI whose file is broken, OPTIONS_INVALID where the reference
 *   is not a string
 */
export async function findTool(ref: string, globals: Globals = defaultGlobals()): Promise<ToolDef | null> {
  const known = knownTool(ref, globals)
  if (known !== undefined) return known
  // Another disk than the bundle's does not have its files.
  if (globals.bundle && disk.via !== 'bundle') return globals.bundle.findTool(ref)
  const resolution = await resolve(ref, globals)
  if (resolution?.broken) (await faults()).refuseBrokenPath(ref, resolution.broken)
  return resolution?.tool ?? null
}

/**
 * The tool that a reference led to before; null where it led to none, undefined where it must be looked up.
 */
export function knownTool(ref: string, globals: Globals): ToolDef | null | undefined {
  return typeof ref === 'string' && globals.config.freshness === 'trust'
    ? globals.cache.tool.get(`${ref}\0${pathsKey(globals)}`)
    : undefined
}

/** Finds what a reference leads to, and keeps tools and what is missing for the next time. */
export async function resolve(ref: string, globals: Globals): Promise<Resolution> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  if (typeof ref !== 'string') throw (await faults()).noReference(ref)
  const key = `${ref}\0${pathsKey(globals)}`
  // Under `check`, a look-up that began before this call may have missed what the caller wrote.
  const running = globals.config.freshness === 'trust' && globals.resolving.get(key)
  if (running) return running
  const started = resolveUncached(ref, globals)
  globals.resolving.set(key, started)
  try {
    const resolution = await started
    // A tool may have been registered meanwhile.
    const isCurrent = globals.resolving.get(key) === started
    if (isCurrent && !resolution?.broken) keep(key, resolution?.tool ?? null, globals)
    return resolution
  } finally {
    if (globals.resolving.get(key) === started) globals.resolving.delete(key)
  }
}

function keep(key: string, tool: ToolDef | null, { cache, missing, stats }: Globals): void {
  cache.tool.set(key, tool)
  missing.delete(key)
  if (tool) return
  stats.missing++
  missing.add(key)
  for (const oldest of missing) {
    if (missing.size <= MISSING_KEPT) break
    missing.delete(oldest)
    cache.tool.delete(oldest)
  }
}

async function resolveUncached(text: string, globals: Globals): Promise<Resolution> {
  const registered = registeredTool(text, globals)
  if (registered) return { tool: registered }
  if (isName(text)) return resolveName(text, () => true, globals)
  return (await references()).resolveReference(text, globals, resolveName)
}

/** A registered tool of exactly this name, or for a URI one whose source it is. */
function registeredTool(ref: string, { tools: { programmaticTools } }: Globals): ToolDef | undefined {
  const named = programmaticTools.get(ref)
  if (named || !/^[a-z][a-z0-9+.-]*:\/\//i.test(ref)) return named
  return [...programmaticTools.values()].find(({ src }) => src === ref)
}

/**
 * Looks a name up in the directories that are searched, in order. Only when all miss, files are looked for that
 * were added since they were compiled, or since they were read.
 */
async function resolveName(
  name: string,
  isSearched: (state: DirectoryState) => boolean,
  globals: Globals,
): Promise<Resolution> {
  const searched: DirectoryState[] = []
  for (const state of inSearchOrder(globals)) {
    if (!isSearched(state)) continue
    searched.push(state)
    const found = await lookUp(state, name, globals)
    if (found) return resolutionOf(found, globals)
  }
  for (const state of searched) {
    const found = await lookUpMissing(state, name, globals)
    if (found) return resolutionOf(found, globals)
  }
  return null
}

async function resolutionOf(found: Found, globals: Globals): Promise<Resolution> {
  const { record } = found
  if (isBroken(record)) return (await faults()).brokenTool({ ...found, record }, globals)
  const tool = toolOf({ ...found, record }, globals)
  if (!record.dynamic) return { tool }
  return (await completing()).completeTool(tool, sourceOf(tool) ?? { ...found, record }, globals)
}
