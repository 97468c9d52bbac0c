import { disk } from '#disk'
import type { HookTrigger } from '../src/cascade-types.js'
import { AgentAppsError } from '../src/error.js'
import { cascadeKeyText } from '../src/index-format.js'
import { currentIndex, type DirectoryState, directoryStates, isFileFresh } from './directory-state.js'
import type { Disk } from './disk-seam.js'
import type { Globals } from './globals.js'
import { lazy } from './lazy.js'
import { pathsKey } from './paths-key.js'
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
}

/** A tool's cascade as a runtime keeps it. */
export interface KnownCascade {
  tool: ToolDef
  chain: Chain
  /** The keys that middleware may be named after: a registered one of such a name makes the chain another. */
  toolKeys: readonly string[]
  /** The tools whose files it depends on. */
  sources: readonly ToolDef[]
}

export const EMPTY_CHAIN: Chain = Object.freeze({ steps: [], entries: [], nextHooks: [], invokeHooks: [] })

/** Sorts steps by where they run. */
export function makeChain(steps: readonly ChainStep[], body?: ToolDef): Chain {
  if (steps.length === 0 && !body) return EMPTY_CHAIN
  const hooked = (trigger: HookTrigger) => steps.filter(({ hook }) => hook?.includes(trigger))
  return Object.freeze({
    steps,
    entries: steps.filter(({ hook }) => hook === undefined),
    nextHooks: hooked('$next'),
    invokeHooks: hooked('$invoke'),
    ...(body && { body }),
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
  if (known?.tool === tool && areFresh(known.sources, globals)) return known.chain
  return resolveChain(tool, key, globals)
}

async function resolveChain(tool: ToolDef, key: string, globals: Globals): Promise<Chain> {
  const known = (await compiledCascade(tool, globals)) ?? (await computedCascade(tool, globals))
  globals.cache.cascade.set(key, known)
  return known.chain
}

async function computedCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade> {
  const { resolveCascade } = await import('./cascade-on-demand.js')
  globals.stats.cascadesComputed++
  return resolveCascade(tool, globals)
}

/** A cascade as the compiler resolved it; null where there is none that holds here. */
async function compiledCascade(tool: ToolDef, globals: Globals): Promise<KnownCascade | null> {
  const source = sourceOf(tool)
  if (!source || source.names.via !== 'index' || disk === null) return null
  const { state } = source
  const index = currentIndex(state, globals, disk)
  if (index !== source.names || index?.header.cascadeKey !== cascadeKey(state, globals, disk)) return null
  const record = index.cascade?.(tool.name)
  // Somebody else's directory was compiled as a project of its own, whose promotions count there and not here.
  if (record?.open || (record && state.external && !state.library)) return null
  const toolKeys = Object.keys({ ...tool.frontmatter.metadata, ...record?.metadata })
  if (isOverridden(toolKeys, globals)) return null
  if (record?.problem) throw cascadeInvalid(tool, record.problem.message, record.problem.hint)
  return record
    ? (await compiled()).chainOfRecord(tool, record, toolKeys, globals, disk)
    : { tool, chain: EMPTY_CHAIN, toolKeys, sources: [] }
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

/** True where the files that tools came from are as they were; under `trust` nobody looks. */
export function areFresh(tools: readonly ToolDef[], { config }: Globals): boolean {
  const host = disk
  if (config.freshness === 'trust' || tools.length === 0 || host === null) return true
  return tools.every(tool => {
    const source = sourceOf(tool)
    return !source || isFileFresh(source.state, source.names, source.record.file, host)
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
