import { everyTool } from '../find/all-tools.js'
import { guardsOf } from '../policy/guards-of.js'
import type { Globals } from '../state/context.js'
import type { Origin, ToolDef } from '../state/tool-def.js'
import { hasHooks } from './required-tools.js'
import type { RuntimeLifecycle } from './runtime-lifecycle.js'
import type { InstanceState } from './tool-instance.js'

/** A tool as a user is shown it, who wants to know which one is behind a name. */
export interface ToolState extends Pick<Origin, 'layer' | 'shadows'> {
  name: string
  /** Its file, relative to `entry`; empty for a tool that a program registered. */
  file: string
  /** The path entry's directory, absolute. */
  entry: string
  /** Where it runs: here, or with a server. */
  executor: 'local' | 'remote'
  /**
   * `active`: it can be called. `idle`: it has hooks, and is initialised when it is called. `disabled`: its
   * metadata says `enabled: false`.
   */
  state: InstanceState | 'disabled'
  /** Whether an agent's call needs approval. Undefined: where it is granted more than `read`. */
  gated: boolean | undefined
  /** Why it cannot be called, or is configured wrongly. */
  problems: string[]
}

/** Every tool that is found by its name, those that are left out too. */
export async function tools(globals: Globals): Promise<ToolState[]> {
  const all = await everyTool(globals)
  return all.map(tool => stateOf(tool, globals))
}

function stateOf(tool: ToolDef, globals: Globals): ToolState {
  const { name, origin } = tool
  const { layer, entry, file, shadows } = origin
  // It is the only one that a runtime makes.
  const lifecycle = globals.lifecycle as RuntimeLifecycle | undefined
  const problem = lifecycle?.known(tool)?.problem
  return {
    name,
    layer,
    entry,
    file,
    shadows,
    executor: layer === 'remote' ? 'remote' : 'local',
    state: phaseOf(tool, lifecycle),
    gated: guardsOf(tool).gated,
    problems: problem ? [problem.message] : [],
  }
}

function phaseOf(tool: ToolDef, lifecycle: RuntimeLifecycle | undefined): ToolState['state'] {
  if (tool.frontmatter.metadata.enabled === false) return 'disabled'
  if (lifecycle?.inactive.has(tool.name)) return 'inactive'
  return hasHooks(tool) ? (lifecycle?.known(tool)?.state ?? 'idle') : 'active'
}
