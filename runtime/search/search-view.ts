import { decide } from '../../src/policy/decide.js'
import { DECLARED, EVERYTHING, NOTHING, type SearchView, searchViewOf } from '../../src/search/rank.js'
import { isThenable } from '../host/later.js'
import type { AgentLimits } from '../policy/agent-limits.js'
import { agentCall, CallLimits } from '../policy/call-limits.js'
import { guardsOf } from '../policy/guards-of.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** The tools that a caller may search. */
export interface Searchable {
  globals: Globals
  /** All tools of the runtime, in the order of its list. */
  all: readonly ToolDef[]
  /** Those of them that the caller may know of. */
  known: readonly ToolDef[]
  /** The limits of the agent that searches; absent where code does, which knows all of them. */
  limits?: AgentLimits
}

/** The view for each list of known tools. The same array means that the list has not changed. */
const views = new WeakMap<readonly ToolDef[], { tools: readonly ToolDef[]; view: SearchView }>()

/**
 * Returns the parts of tools that a caller may search. A tool whose opening needs an approval is searched by its
 * declaration alone.
 */
export async function searchView(tools: readonly ToolDef[], searchable: Searchable): Promise<SearchView> {
  const { known, limits, globals } = searchable
  // Code knows all of them.
  const key = limits ? known : tools
  const made = views.get(key)
  if (made?.tools === tools) return made.view
  const view = searchViewOf(Uint8Array.from(tools, await partsFor(searchable)))
  // A guard may answer otherwise the next time.
  if (!limits || !globals.config.policy?.guard) views.set(key, { tools, view })
  return view
}

/** Returns a function that gives the part of a tool that a caller may search. */
export async function partsFor(searchable: Searchable): Promise<(tool: ToolDef) => number> {
  const { known, limits } = searchable
  if (!limits) return () => EVERYTHING
  const open = await openAmong(searchable, limits)
  const isKnown = new Set(known)
  return tool => {
    if (!isKnown.has(tool)) return NOTHING
    return open.has(tool) ? EVERYTHING : DECLARED
  }
}

/** The tools whose text the caller may read without that anybody is asked. */
async function openAmong({ known, globals }: Searchable, agent: AgentLimits): Promise<ReadonlySet<ToolDef>> {
  const limits = new CallLimits({ ...agent, preApproved: [] }, globals, globals.config.freshness === 'trust')
  const open = new Set<ToolDef>()
  for (const tool of known) {
    const found = limits.of(tool)
    const own = isThenable(found) ? await found : found
    // Computing an approval key would run the tool's code.
    const hasKey = guardsOf(tool).approvalKey !== undefined
    if (!hasKey && decide(agentCall(tool, {}, globals), own).decision === 'allow') open.add(tool)
  }
  return open
}
