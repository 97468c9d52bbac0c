import { AgentAppsError } from '../../src/base/error.js'
import { isPermission, PERMISSIONS, type Permission } from '../../src/base/permissions.js'
import { parsePatterns, type ToolRule } from '../../src/patterns/tool-pattern.js'
import { policyOf } from '../../src/patterns/tool-rules.js'
import type { Limits, RuleList } from '../../src/policy/limits.js'
import { namespaceOf } from '../../src/skill/names.js'
import { filledPatterns } from '../directory/host-folders.js'
import { aboveOf } from '../state/agent.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import type { AgentPolicy, Patterns } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { guardsOf } from './guards-of.js'

/** A call, and those above it, as policies see them. */
export interface PolicyCall {
  readonly tool: ToolDef
  readonly args: unknown
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  readonly caller: PolicyCall | undefined
  /** The call that a middleware serves. */
  readonly served?: PolicyCall | undefined
}

/** The limits of the calls that an agent makes from one call or host, for any tool. */
export interface AgentLimits extends Pick<Limits, 'guard' | 'skipsApproval' | 'permissions'> {
  allowedTools: readonly Listed[]
  allow: readonly Listed[]
  deny: readonly Listed[]
  /** The rules of the runtime and of the agents. */
  hostRules: readonly Listed[]
  /** `allowed-tools` of open skills: calls that they match need no approval. */
  preApproved: readonly Listed[]
  /** The `trust.rules` of the skills whose agents call. */
  callerRules: readonly Listed[]
}

/** Gathers the limits of a call: of the runtime's policy, the agents above it, and the skills that call. */
export function agentLimits(globals: Globals, call: Pick<PolicyCall, 'options' | 'caller'>): AgentLimits {
  const { policy = {}, projects } = globals.config
  const isAsked = globals.isUntrusted === true && globals.config.isOwnProgram !== true
  const configured = isAsked ? undefined : projects?.policy
  const { approval = configured?.approval ?? {} } = policy
  const gathered = new Gathered()
  gathered.addPolicy('the runtime', policy)
  if (projects?.policy) gathered.addProject(projects.policy, isAsked)
  const allowlist = approval.mode === 'allowlist' ? hostRules('approval.allow', approval.allow ?? []) : []
  gathered.hostRules[0]?.rules.push(...allowlist.map(allowing))
  for (let one: typeof call | undefined = call; one; one = one.caller && invocationOf(one.caller)) {
    const { caller, options } = one
    if (options?.policy) {
      if (caller) refuseAllowing(options.policy)
      gathered.addPolicy('the policy', options.policy, caller === undefined)
    }
    const { spawned = [], skills = [] } = aboveOf(options) ?? {}
    for (const policy of spawned) {
      refuseAllowing(policy)
      gathered.addPolicy('the policy that it was spawned with', policy, false)
    }
    for (const skill of skills) gathered.addSkill(skill, globals)
    if (caller && options?.as === 'agent') gathered.addSkill(caller.tool, globals)
  }
  const { isGranted, permissions, ...lists } = gathered
  return {
    ...lists,
    preApproved: [],
    permissions: isGranted ? permissions : [],
    guard: policy.guard,
    skipsApproval: approval.mode === 'yolo',
  }
}

/** The call that a middleware serves, or the call itself. */
export function invocationOf(call: PolicyCall): PolicyCall {
  let invoked = call
  while (invoked.served) invoked = invoked.served
  return invoked
}

class Gathered {
  readonly allowedTools: Listed[] = []
  readonly allow: Listed[] = []
  readonly deny: Listed[] = []
  readonly permissions: { by: string; granted: readonly Permission[] }[] = []
  readonly hostRules: (Listed & { rules: ToolRule[] })[] = []
  readonly callerRules: Listed[] = []
  /** True if a host grants permissions, which a tool can only narrow for its own calls. */
  isGranted = false

  addPolicy(by: string, policy: AgentPolicy, isHosts = true): void {
    const list = (option: keyof AgentPolicy, patterns: Patterns = []): Listed & { rules: ToolRule[] } => ({
      by,
      namespace: '',
      rules: [...hostRules(option, patterns)],
    })
    if (policy.allowedTools !== undefined) this.allowedTools.push(list('allowedTools', policy.allowedTools))
    if (policy.allow !== undefined) this.allow.push(list('allow', policy.allow))
    if (policy.deny !== undefined) this.deny.push(list('deny', policy.deny))
    this.hostRules.push(list('rules', policy.rules))
    if (policy.permissions === undefined) return
    this.permissions.push({ by, granted: policy.permissions.map(checkedPermission) })
    if (isHosts) this.isGranted = true
  }

  /** @param isAsked true until the project is trusted: its configuration can then only narrow */
  addProject(policy: AgentPolicy, isAsked: boolean): void {
    const { deny, rules } = policy
    this.addPolicy("the project's configuration", isAsked ? { deny, rules } : policy)
    const added = this.hostRules.at(-1)
    if (isAsked && added) added.rules = added.rules.filter(rule => policyOf(rule) !== 'allow')
  }

  addSkill(tool: ToolDef, globals: Globals): void {
    const patterns = filledPatterns(tool, globals)
    const mayRestrict = globals.config.policy?.readAllowedTools !== 'pre-approve'
    if (patterns !== undefined && mayRestrict) this.allowedTools.push(listIn(tool, skillRules(patterns)))
    const { rules } = guardsOf(tool)
    if (rules.length > 0) this.callerRules.push(listIn(tool, rules))
  }
}

/** The rule that a pattern of an allowlist stands for. */
function allowing(rule: ToolRule): ToolRule {
  return policyOf(rule) === 'deny' ? rule : { ...rule, options: { policy: 'allow' } }
}

function checkedPermission(permission: Permission): Permission {
  if (isPermission(permission)) return permission
  throw new AgentAppsError(
    'OPTIONS_INVALID',
    `The option \`permissions\` has ${JSON.stringify(permission)}, which is not a permission.`,
    { hint: `The permissions are ${PERMISSIONS.join(', ')}.` },
  )
}

/** A tool that calls others as an agent may only narrow what they may do. */
function refuseAllowing({ rules = [] }: AgentPolicy): void {
  const allows = hostRules('rules', rules).find(rule => policyOf(rule) === 'allow')
  if (!allows) return
  throw new AgentAppsError(
    'OPTIONS_INVALID',
    `The option \`rules\` has ${JSON.stringify(allows.text)}: inside a call, rules may only ask or deny.`,
    { hint: 'Give rules that allow to `createRuntime` or `forAgent`.' },
  )
}

/** Rules, with the namespace in which their names are looked up. */
export interface Listed extends RuleList {
  namespace: string
}

export function listIn({ name }: ToolDef, rules: readonly ToolRule[]): Listed {
  return { by: `"${name}"`, namespace: namespaceOf(name), skill: name, rules }
}

/** Parsed patterns by text, since each call needs those of all policies and skills above it. */
const parsed = new Map<string, readonly ToolRule[]>()
const PARSED_MAX = 1000

/**
 * Parses a host's list of patterns.
 *
 * @throws OPTIONS_INVALID for a malformed pattern: it could be the one that denies
 */
export function hostRules(option: string, patterns: Patterns): readonly ToolRule[] {
  const rules = typeof patterns === 'string' ? rulesIn(patterns) : patterns.flatMap(rulesIn)
  const faulty = rules.find(({ problem }) => problem)
  if (!faulty?.problem) return rules
  throw new AgentAppsError(
    'OPTIONS_INVALID',
    `The option \`${option}\` has the pattern ${JSON.stringify(faulty.text)}, which cannot be read: ${faulty.problem.message}.`,
    { hint: 'docs/patterns.md shows how patterns are written.' },
  )
}

/** Parses a skill's list of patterns; none if one of them is malformed. */
export function skillRules(patterns: string): readonly ToolRule[] {
  const rules = rulesIn(patterns)
  return rules.some(({ problem }) => problem) ? [] : rules
}

function rulesIn(list: string): readonly ToolRule[] {
  const known = parsed.get(list)
  if (known) return known
  if (parsed.size >= PARSED_MAX) parsed.clear()
  const rules = parsePatterns(list)
  parsed.set(list, rules)
  return rules
}
