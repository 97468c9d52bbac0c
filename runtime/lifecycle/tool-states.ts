import { isDisabled } from '../../src/catalog/offered-tool.js'
import { isBroken } from '../../src/index/index-format.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { everyTool, type Named } from '../find/all-tools.js'
import { guardsOf, isEnabled } from '../policy/guards-of.js'
import type { Globals } from '../state/context.js'
import type { Origin, ToolDef } from '../state/tool-def.js'
import { hasHooks, type RuntimeLifecycle } from './runtime-lifecycle.js'
import type { InstanceState } from './tool-instance.js'

/** A tool as a user is shown it: its source, what it shadows, and its state. */
export interface ToolState extends Pick<Origin, 'layer' | 'shadows'> {
  name: string
  /** Its file, relative to `entry`; empty for a registered tool. */
  file: string
  /** The path entry's directory, absolute. */
  entry: string
  /** `remote`: it runs on a server. */
  executor: 'local' | 'remote'
  /**
   * `active`: it can be called. `idle`: it has hooks, and is initialised when it is called. `disabled`: its
   * metadata or the runtime's `config` says `enabled: false`. `broken`: a fault of its file or of its metadata keeps it
   * from running.
   */
  state: InstanceState | 'disabled' | 'broken'
  /** True if an agent's call needs approval. Undefined: it does if it is granted more than `read`. */
  gated: boolean | undefined
  /** The reasons why it cannot be called or is misconfigured. */
  problems: string[]
}

/** Lists every tool that a name finds, and the broken ones. */
export async function tools(globals: Globals): Promise<ToolState[]> {
  const broken: ToolState[] = []
  const all = await everyTool(globals, found => broken.push(...brokenState(found)))
  return [...all.map(tool => stateOf(tool, globals)), ...broken]
}

/** The state of a name whose file has faults; empty for any other. */
function brokenState({ name, state: { dir: entry, layer }, record }: Named): ToolState[] {
  if (!isBroken(record)) return []
  const { broken, file } = record
  const is = { executor: 'local', state: 'broken', gated: undefined } as const
  return [{ name, layer, entry, file, shadows: [], ...is, problems: [broken.reason] }]
}

function stateOf(tool: ToolDef, globals: Globals): ToolState {
  const { name, origin } = tool
  const { layer, entry, file, shadows } = origin
  // The only implementation.
  const lifecycle = globals.lifecycle as RuntimeLifecycle | undefined
  const problem = lifecycle?.known(tool)?.problem
  const { gated, faults } = guardsOf(tool)
  const unmet = unmetVersion(tool)
  const broken = unmet ? [...faults, unmet] : faults
  return {
    name,
    layer,
    entry,
    file,
    shadows,
    executor: layer === 'remote' ? 'remote' : 'local',
    state: broken.length > 0 ? 'broken' : phaseOf(tool, lifecycle, globals),
    gated,
    problems: [...broken, ...(problem ? [problem] : [])].map(({ message }) => message),
  }
}

function phaseOf(
  tool: ToolDef,
  lifecycle: RuntimeLifecycle | undefined,
  globals: Globals,
): ToolState['state'] {
  if (isDisabled(tool.frontmatter) || !isEnabled(tool, globals)) return 'disabled'
  if (lifecycle?.inactive.has(tool.name)) return 'inactive'
  return hasHooks(tool) ? (lifecycle?.known(tool)?.state ?? 'idle') : 'active'
}
