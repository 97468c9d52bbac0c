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

/** The most missing names that are cached, so that random names do not fill the memory. */
const MISSING_KEPT = 10_000

/**
 * Finds the tool of a reference: a name among the registered tools, then in the path entries; a path or `file://` URI
 * directly; `layer://<layer>/<name>` regardless of shadowing.
 *
 * @returns null if it does not exist, or if the file of a bare name is broken, which adds a diagnostic
 * @throws TOOL_BROKEN for a path or `file://` URI whose file is broken; OPTIONS_INVALID unless the reference is a
 *   string
 */
export async function findTool(ref: string, globals: Globals = defaultGlobals()): Promise<ToolDef | null> {
  const known = knownTool(ref, globals)
  if (known !== undefined) return known
  // Only the bundle's own disk has its files.
  if (globals.bundle && disk.via !== 'bundle') return globals.bundle.findTool(ref)
  const resolution = await resolve(ref, globals)
  if (resolution?.broken) (await faults()).refuseBrokenPath(ref, resolution.broken)
  return resolution?.tool ?? null
}

/**
 * Returns the cached tool of a reference, null if it is known to be missing; undefined if it must be looked up.
 */
export function knownTool(ref: string, globals: Globals): ToolDef | null | undefined {
  return typeof ref === 'string' && globals.config.freshness === 'trust'
    ? globals.cache.tool.get(`${ref}\0${pathsKey(globals)}`)
    : undefined
}

/** Resolves a reference, and caches the result for `knownTool` unless it is broken. */
export async function resolve(ref: string, globals: Globals): Promise<Resolution> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  if (typeof ref !== 'string') throw (await faults()).noReference(ref)
  const key = `${ref}\0${pathsKey(globals)}`
  // Under `check`, an earlier look-up may have missed what the caller wrote.
  const running = globals.config.freshness === 'trust' && globals.resolving.get(key)
  if (running) return running
  const started = resolveUncached(ref, globals)
  globals.resolving.set(key, started)
  try {
    const resolution = await started
    // Registering a tool removes the look-up.
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

/** Finds a registered tool by exact name, or by the URI of its source. */
function registeredTool(ref: string, { tools: { programmaticTools } }: Globals): ToolDef | undefined {
  const named = programmaticTools.get(ref)
  if (named || !/^[a-z][a-z0-9+.-]*:\/\//i.test(ref)) return named
  return [...programmaticTools.values()].find(({ src }) => src === ref)
}

/**
 * Looks a name up in the searched directories, in order. If all miss, looks for files that were added since the
 * directories were compiled or read.
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
