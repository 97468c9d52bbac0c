import { decide } from '../../src/policy/decide.js'
import { DECLARED, EVERYTHING, NOTHING, type SearchView } from '../../src/search/rank.js'
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

/** What was made for a list of known tools, whose array says that it is still the same. */
const views = new WeakMap<readonly ToolDef[], { tools: readonly ToolDef[]; view: SearchView }>()

/** What a caller may search of some tools: of those that it would be asked about opening, what they declare. */
export async function searchView(tools: readonly ToolDef[], searchable: Searchable): Promise<SearchView> {
  const { known, limits } = searchable
  if (!limits) return { parts: new Uint8Array(tools.length).fill(EVERYTHING), count: tools.length }
  const made = views.get(known)
  if (made?.tools === tools) return made.view
  const open = await openAmong(searchable, limits)
  const isKnown = new Set(known)
  const partOf = (tool: ToolDef): number =>
    !isKnown.has(tool) ? NOTHING : open.has(tool) ? EVERYTHING : DECLARED
  const view = { parts: Uint8Array.from(tools, partOf), count: isKnown.size }
  views.set(known, { tools, view })
  return view
}

/** The tools whose text the caller may read without that anybody is asked. */
async function openAmong({ known, globals }: Searchable, agent: AgentLimits): Promise<ReadonlySet<ToolDef>> {
  const limits = new CallLimits({ ...agent, preApproved: [] }, globals, globals.config.freshness === 'trust')
  const open = new Set<ToolDef>()
  for (const tool of known) {
    const found = limits.of(tool)
    const own = isThenable(found) ? await found : found
    // A key is made by code, which nobody called.
    const hasKey = guardsOf(tool).approvalKey !== undefined
    if (!hasKey && decide(agentCall(tool, {}, globals), own).decision === 'allow') open.add(tool)
  }
  return open
}
