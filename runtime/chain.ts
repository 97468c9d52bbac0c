import { disk } from '#disk'
import { CLOCK_TICK } from '../src/clock-tick.js'
import type { HookTrigger } from '../src/hooks.js'
import type { JsonObject } from '../src/json.js'
import { type DirectoryState, directoryStates, isStillFresh } from './directory-state.js'
import type { Globals } from './globals.js'
import { lazy } from './lazy.js'
import { pathsKey } from './paths-key.js'
import { indexStamp } from './read-index.js'
import type { ToolDef } from './tool-def.js'
import { sourceOf } from './tool-source.js'

const finding = lazy(() => import('./find-cascade.js'))

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
  /** True where `${…}` in the tool's content is filled in, by what it inherits. */
  interpolate?: boolean
  /** Schemas that are inherited, as far as the tool has none of its own. */
  schemas?: Schemas
}

export interface Schemas {
  params?: JsonObject
  returns?: JsonObject
}

/** A tool's cascade as a runtime keeps it. */
export interface KnownCascade {
  /** The configuration of each middleware around it, by key. */
  middleware: ReadonlyMap<string, unknown>
  /** Their keys, outermost first. */
  order: readonly string[]
  /** Its own `$hook`: how it runs as a middleware. */
  hook: readonly HookTrigger[]
  /** The plain keys of its metadata, effective: those that middleware may be named after. */
  toolKeys: readonly string[]
  /** Its own `$self`: its default arguments as a middleware. */
  selfDefaults?: JsonObject
  resolvedChain: Chain
  /** The paths that `${…}` in the configurations reads, sorted. */
  deps: readonly string[]
  tool: ToolDef
  /** The tools whose files it depends on. */
  sources: readonly ToolDef[]
  /** What the directories were when it was resolved; null where nobody looks. */
  stamp?: string | null
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })

/**
 * What runs around a tool: as it was compiled, where it was and what it depends on is the same; else resolved now.
 *
 * @throws CASCADE_INVALID where the tool's metadata, or that of one it inherits from, has a fault
 */
export function chainOf(tool: ToolDef, globals: Globals): Chain | Promise<Chain> {
  const key = `${tool.name}\0${pathsKey(globals)}`
  const known = globals.cache.cascade.get(key)
  if (known?.tool === tool && isCurrent(known, globals)) return known.resolvedChain
  const running = globals.settling.get(key)
  if (running?.tool === tool) return running.chain
  const settling = { tool, chain: settle(tool, key, globals) }
  globals.settling.set(key, settling)
  return settling.chain
}

async function settle(tool: ToolDef, key: string, globals: Globals): Promise<Chain> {
  return (await finding()).settleCascade(tool, key, globals)
}

/** True for a directory that is the project's own. */
export function isOwn({ layer, external }: DirectoryState): boolean {
  return layer === 'project' && !external
}

/** True where what a cascade was resolved from is as it was; under `trust` nobody looks. */
function isCurrent({ sources, stamp }: KnownCascade, globals: Globals): boolean {
  // Without files, only registering changes anything, and that forgets what was resolved.
  if (globals.config.freshness === 'trust' || disk === null) return true
  return stamp !== null && stamp === stampOf(globals) && areFresh(sources, globals)
}

/** What tells one state of the directories' tops and indexes from another; null where it may change unseen. */
export function stampOf(globals: Globals): string | null {
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
