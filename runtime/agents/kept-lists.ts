import type { JsonObject } from '../../src/base/json.js'
import { directoryStates } from '../directory/look-up.js'
import type { Agent } from '../state/agent.js'
import type { Globals, RuntimeConfig } from '../state/context.js'
import type { AgentPolicy } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** The tools that an agent was listed, and what they were listed from. */
interface KeptList {
  tools: readonly ToolDef[]
  /** Code that is not compiled tells its metadata when it is first looked up. */
  metadata: readonly JsonObject[]
  skills: readonly ToolDef[]
  policy: RuntimeConfig['policy']
  allowed: readonly ToolDef[]
}

const lists = new WeakMap<Globals, Map<string, KeptList>>()
/** Policies whose lists are kept: a host may make one up for each request. */
const KEPT_MAX = 32

/**
 * The tools of which an agent's calls may be allowed; as they were decided about last, where nothing that they
 * depend on has changed. Where files may change, they are decided about anew.
 */
export async function keptList(
  { globals, caller }: Agent,
  policies: readonly (AgentPolicy | undefined)[],
  skills: readonly ToolDef[],
  tools: readonly ToolDef[],
  decide: () => Promise<ToolDef[]>,
): Promise<ToolDef[]> {
  const { config } = globals
  const mayChange = config.freshness !== 'trust' && directoryStates(globals).some(({ library }) => !library)
  // What is withheld of an untrusted project changes with each answer.
  if (mayChange || caller || globals.isUntrusted) return decide()
  const kept = lists.get(globals) ?? new Map<string, KeptList>()
  lists.set(globals, kept)
  const key = JSON.stringify(policies)
  const known = kept.get(key)
  if (
    known &&
    known.policy === config.policy &&
    areSame(known.skills, skills) &&
    areSame(known.tools, tools) &&
    tools.every(({ frontmatter }, number) => frontmatter.metadata === known.metadata[number])
  )
    return [...known.allowed]
  const allowed = await decide()
  const metadata = tools.map(({ frontmatter }) => frontmatter.metadata)
  if (kept.size >= KEPT_MAX) kept.clear()
  kept.set(key, { tools, metadata, skills, policy: config.policy, allowed: [...allowed] })
  return allowed
}

function areSame<Item>(one: readonly Item[], other: readonly Item[]): boolean {
  return one.length === other.length && one.every((item, number) => item === other[number])
}
