import { disk } from '#disk'
import type { HookTrigger } from '../src/cascade-types.js'
import { AgentAppsError } from '../src/error.js'
import { type CascadeRecord, cascadeKeyText } from '../src/index-format.js'
import { isJsonObject, type JsonObject } from '../src/json.js'
import {
  CLOCK_TICK,
  currentIndex,
  type DirectoryState,
  directoryFiles,
  directoryStates,
  isStillFresh,
  withNames,
} from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'
import { lazy } from './lazy.js'
import { pathsKey } from './paths-key.js'
import { indexStamp } from './read-index.js'
import type { ToolDef } from './tool-def.js'
import { sourceOf } from './tool-source.js'

const compiled = lazy(() => import('./compiled-chain.js'))

/** A middleware around a tool, ready to be run. */
export interface ChainStep {
  name: string
  def: ToolDef
  /** Its configuration. */
  args: unknown
  /** Called directly, with no chain of its own. */
  static: boolean
  /** Set where it wraps every entry, or the whole invocation. */
  hook?: readonly HookTrigger[]
  /** True where `args` holds `${…}`, to be filled in when it runs. */
  isVolatile?: true
}

/** What runs around a tool, outermost first. */
export interface Chain {
  /** All of it, hooks in their places. */
  steps: readonly ChainStep[]
  /** Those that run in their place. */
  entries: readonly ChainStep[]
  /** Those that wrap every entry and the tool, outermost first. */
  nextHooks: readonly ChainStep[]
  /** Those that wrap the whole invocation, outermost first. */
  invokeHooks: readonly ChainStep[]
  /** The tool whose `delegate` is the body, where that is inherited. */
  body?: ToolDef
  /** Schemas that are inherited, as far as the tool has none of its own. */
  schemas?: Schemas
}

export interface Schemas {
  params?: JsonObject
  returns?: JsonObject
}

/** A tool's cascade as a runtime keeps it. */
export interface KnownCascade {
  tool: ToolDef
  chain: Chain
  /** The keys that middleware may be named after: a registered one of such a name makes the chain another. */
  toolKeys: readonly string[]
  /** The tools whose files it depends on. */
  sources: readonly ToolDef[]
  /** What the directories were when it was resolved; null where nobody looks. */
  stamp?: string | null
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })

/** The schemas of a tool that are not its own, among what its metadata comes to. */
export function inheritedSchemas(
  { frontmatter }: ToolDef,
  effective: (key: 'params' | 'returns') => unknown,
): Schemas | undefined {
  const schemas: Schemas = {}
  for (const key of ['params', 'returns'] as const) {
    const schema = frontmatter[key] ? undefined : effective(key)
    if (isJsonObject(schema)) schemas[key] = schema
  }
  return Object.keys(schemas).length > 0 ? schemas : undefined
}

/** Sorts steps by where they run. */
export function makeChain(
  steps: readonly ChainStep[],
  { body, schemas }: Pick<Chain, 'body' | 'schemas'> = {},
): Chain {
  if (steps.length === 0 && !body && !schemas) return EMPTY_CHAIN
  const hooked = (trigger: HookTrigger) => steps.filter(({ hook }) => hook?.includes(trigger))
  return Object.freeze({
    steps,
    entries: steps.filter(({ hook }) => hook === undefined),
    nextHooks: hooked('$next'),
    invokeHooks: hooked('$invoke'),
    ...(body && { body }),
    ...(schemas && { schemas }),
  })
}

/**
 * What runs around a tool: as it was compiled, where it was and what it depends on is the same; else resolved now.
 *
 * @throws CASCADE_INVALID where the tool's metadata, or that of one it inherits from, has a fault
 */
export function chainOf(tool: ToolDef, globals: Globals): Chain | Promise<Chain> {
  const key = `${tool.name}\0${pathsKey(globals)}`
  const known = globals.cache.cascade.get(key)
  if (known?.tool === tool && isCurrent(known, globals)) return known.chain
  const running = globals.settling.get(key)
  if (running?.tool === tool) return running.chain
  const settling = { tool, chain: settle(tool, key, globals) }
  globals.settling.set(key, settling)
  return settling.chain
}

/** Resolves a chain and keeps it, unless middleware was registered meanwhile. */
async function settle(tool: ToolDef, key: string, globals: Globals): Promise<Chain> {
  const { cache, settling } = globals
  const isWanted = (): boolean => settling.get(key)?.tool === tool
  const stamp = stampOf(globals)
  try {
    const known = (await compiledCascade(tool, globals)) ?? (await computedCascade(tool, globals))
    if (isWanted()) cache.cascade.set(key, { ...known, stamp })
    return known.chain
  } finally {
    if (isWanted()) settling.delete(key)
  }
}

async function computedCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const { resolveCascade } = await import('./cascade-on-demand.js')
  globals.stats.cascadesComputed++
  return resolveCascade(tool, globals)
}

/** A cascade as the compiler resolved it; null where there is none that holds here. */
async function compiledCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade | null> {
  const source = sourceOf(tool)
  const host = disk
  if (!source || source.names.via !== 'index' || host === null) return null
  const { state } = source
  return withNames(state, globals, host, async () => {
    const index = currentIndex(state, globals, host)
    if (index !== source.names || index?.header.cascadeKey !== cascadeKey(state, globals, host)) return null
    if (await hasAdditions(globals, host)) return null
    return recordedCascade(tool, state, index.cascade?.(tool.name), globals, host)
  })
}

async function recordedCascade(
  tool: ToolDef,
  state: DirectoryState,
  record: CascadeRecord | undefined,
  globals: Globals,
  host: Disk,
): Promise<KnownCascade | null> {
  // Somebody else's directory was compiled as a project of its own, whose promotions count there and not here.
  if (record?.open || (record && state.external && !state.library)) return null
  const { metadata } = tool.frontmatter
  const toolKeys = Object.keys({ ...metadata, ...record?.metadata })
  if (isOverridden(toolKeys, globals) || mayHaveOtherBases(tool, record, globals, host)) return null
  if (record?.problem) throw cascadeInvalid(tool, record.problem.message, record.problem.hint)
  const isPlain = !record || (record.chain.length === 0 && !record.metadata)
  return isPlain && (!record?.sources || globals.config.freshness === 'trust')
    ? { tool, chain: EMPTY_CHAIN, toolKeys, sources: [] }
    : (await compiled()).chainOfRecord(tool, record, toolKeys, globals, host)
}

/** True where a base may be another tool than the compiler found, or one that it did not find may be there. */
function mayHaveOtherBases(
  { frontmatter: { metadata } }: ToolDef,
  record: CascadeRecord | undefined,
  globals: Globals,
  host: Disk,
): boolean {
  const { programmaticTools } = globals.tools
  if (record?.problem) {
    const others = directoryStates(globals, host).some(one => !isOwn(one) && !one.library)
    return others || programmaticTools.size > 0
  }
  const references = [metadata.$inherit].flat()
  const names = record?.sources?.map(([, name]) => name) ?? []
  return [...references, ...names].some(ref => typeof ref === 'string' && programmaticTools.has(ref))
}

/** True where something stands at the top of a directory that was not there when it was compiled: it may be a main skill or middleware. */
async function hasAdditions(globals: Globals, host: Disk): Promise<boolean> {
  if (globals.config.freshness === 'trust') return false
  const { addedNames } = await directoryFiles()
  for (const state of directoryStates(globals, host).filter(isOwn)) {
    const index = currentIndex(state, globals, host)
    const added = index && (await addedNames(state, index, globals, host))
    if (added && added.names().length > 0) return true
  }
  return false
}

/** True for a directory that is the project's own. */
export function isOwn({ layer, external }: DirectoryState): boolean {
  return layer === 'project' && !external
}

/** What a directory's `cascadeKey` has to be for its cascades to hold; null where a directory has no index. */
function cascadeKey(state: DirectoryState, globals: Globals, host: Disk): string | null {
  const states = directoryStates(globals, host)
  const library = states.find(one => one.library)
  const inputOf = (one: DirectoryState) => currentIndex(one, globals, host)?.header.cascadeInput ?? null
  const shipped = library ? inputOf(library) : null
  const inputs = state.library ? [] : (state.external ? [state] : states.filter(isOwn)).map(inputOf)
  if (inputs.includes(null)) return null
  const text = cascadeKeyText(inputs as string[], shipped)
  if (globals.cascadeKey?.text !== text) globals.cascadeKey = { text, digest: host.digestText(text) }
  return globals.cascadeKey.digest
}

/** True where a program registered middleware that one of these keys is named after. */
function isOverridden(keys: readonly string[], { tools }: Globals): boolean {
  return keys.some(key => tools.programmaticTools.get(key)?.frontmatter.role === 'middleware')
}

/** True where what a cascade was resolved from is as it was; under `trust` nobody looks. */
function isCurrent({ sources, stamp }: KnownCascade, globals: Globals): boolean {
  if (globals.config.freshness === 'trust') return true
  return stamp !== null && stamp === stampOf(globals) && areFresh(sources, globals)
}

/** What tells one state of the directories' tops and indexes from another; null where it may change unseen. */
function stampOf(globals: Globals): string | null {
  const host = disk
  if (globals.config.freshness === 'trust' || host === null) return null
  const times = directoryStates(globals, host).map(({ dir }) => [
    host.directoryTime(dir),
    indexStamp(host, dir),
  ])
  const isSettled = times.every(([time]) => time === null || Number(time) < Date.now() - CLOCK_TICK)
  return isSettled ? times.flat().join() : null
}

/** True where the files that tools came from are as they were; under `trust` nobody looks. */
export function areFresh(tools: readonly ToolDef[], { config }: Globals): boolean {
  const host = disk
  if (config.freshness === 'trust' || tools.length === 0 || host === null) return true
  return tools.every(tool => {
    const source = sourceOf(tool)
    return !source || isStillFresh(source.state, source.names, source.record.file, host)
  })
}

export function cascadeInvalid(tool: ToolDef, message: string, hint: string): AgentAppsError {
  return new AgentAppsError(
    'CASCADE_INVALID',
    `The metadata of "${tool.name}" cannot be resolved: ${message}.`,
    {
      hint,
      tool: tool.name,
    },
  )
}
