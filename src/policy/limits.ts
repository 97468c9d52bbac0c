import type { Permission } from '../base/permissions.js'
import type { RuleIndex } from '../patterns/rule-index.js'
import type { MatchedTool, ToolRule } from '../patterns/tool-pattern.js'
import type { ToolCall } from '../patterns/tool-rules.js'
import type { Guards } from './guards.js'

/** An agent's call, as the decision sees it. */
export interface AgentCall extends ToolCall {
  /** False for a tool that no agent may know of: hidden, disabled, a middleware or a main skill. */
  isThere: boolean
  /** True for a server's tool that the host did not declare: its own metadata does not count. */
  isRemote?: boolean
  guards: Guards
}

/** Rules, and who wrote them. */
export interface RuleList {
  /** Whom to name: `the agent`, `"review"`. */
  by: string
  rules: readonly ToolRule[]
  /** `MatchedTool.isMeant`, in the namespace that they are written in. */
  isMeant?: boolean
  /** The skill that they are written in; absent for a host's. */
  skill?: string
  /** The rules by the names that they could select, if many tools are compared with them. */
  index?: RuleIndex
}

/** The rules that could select a tool. */
export function rulesFor({ rules, index }: RuleList, tool: MatchedTool): readonly ToolRule[] {
  return index ? index.of(tool) : rules
}

/** A call under the name that the list's author uses. */
export function asMeant(call: AgentCall, { isMeant }: RuleList): AgentCall {
  return isMeant === undefined ? call : { ...call, isMeant }
}

/** Lists of rules of which only the strictest answer counts. */
export interface RuleGroup {
  lists: readonly RuleList[]
  /** True if an allow rule counts. */
  mayAllow: boolean
}

/** All that limits an agent's call. Lists are evaluated one by one, never merged. */
export interface Limits {
  /** `allowed-tools` of agents, and of the skills whose agents call. */
  allowedTools: readonly RuleList[]
  /** A list that is not empty admits only the tools that it matches. */
  allow: readonly RuleList[]
  deny: readonly RuleList[]
  /** A permission is granted where all grant it. Empty: none is. */
  permissions: readonly { by: string; granted: readonly Permission[] }[]
  /** The first group with an answer decides. */
  rules: readonly RuleGroup[]
  /**
   * `allowed-tools` of open skills. A call that one of them matches needs no approval, unless a rule or the
   * guard asks.
   */
  preApproved: readonly RuleList[]
  /** Called after the rules. It can only make an answer stricter. */
  guard?: ((call: AgentCall) => unknown) | undefined
  /** True if calls that no rule allows, and that need approval, run without it. */
  skipsApproval: boolean
}

/** The permissions that a tool declares and is granted. */
export function grantedTo({ required, optional }: Guards, { permissions }: Limits): Permission[] {
  const declared = [...new Set([...required, ...optional])]
  return declared.filter(one => isGranted(one, permissions))
}

export function isGranted(permission: Permission, permissions: Limits['permissions']): boolean {
  return permissions.length > 0 && permissions.every(({ granted }) => granted.includes(permission))
}
