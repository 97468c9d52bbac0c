import { selectsTool, type ToolRule } from '../patterns/tool-pattern.js'
import { isAlwaysAllowed, policyOf } from '../patterns/tool-rules.js'
import {
  type AgentCall,
  asMeant,
  isGranted,
  type Limits,
  type RuleGroup,
  rulesFor,
  type Written,
} from './limits.js'
import { countingRules } from './rule-answer.js'

/**
 * True where some arguments could make a call of a tool allowed, or asked about: what rules say of its
 * arguments is seen only when it is called.
 */
export function mayBeAllowed(call: AgentCall, limits: Limits): boolean {
  return (
    call.isThere &&
    limits.allowedTools.every(list => mayAdmit(list, call)) &&
    limits.allow.every(list => list.rules.length === 0 || mayAdmit(list, call)) &&
    !limits.deny.some(list =>
      rulesFor(list, call).some(rule => isForAll(rule) && selectsTool(rule, call, true)),
    ) &&
    call.guards.required.every(one => isGranted(one, limits.permissions)) &&
    !isSurelyDenied(call, limits.rules)
  )
}

/** True for a rule that asks nothing of the arguments. */
function isForAll({ arguments: constraints, keys }: ToolRule): boolean {
  return constraints.length === 0 && keys.length === 0
}

function mayAdmit(list: Written, call: AgentCall): boolean {
  const meant = asMeant(call, list)
  const denies = (rule: ToolRule): boolean =>
    policyOf(rule) === 'deny' && isForAll(rule) && selectsTool(rule, meant, true)
  const rules = rulesFor(list, call)
  if (rules.some(denies)) return false
  if (isAlwaysAllowed(call)) return true
  return rules.some(rule => policyOf(rule) !== 'deny' && selectsTool(rule, meant))
}

function isSurelyDenied(call: AgentCall, groups: readonly RuleGroup[]): boolean {
  for (const group of groups) {
    const answers = group.lists.map(list => listMaySay(call, list, group))
    if (answers.includes('deny')) return true
    if (answers.includes('other')) return false
  }
  return false
}

/** The decision of a list of rules for any arguments: it denies, may decide something else, or decides nothing. */
function listMaySay(call: AgentCall, list: Written, group: RuleGroup): 'deny' | 'other' | null {
  const meant = asMeant(call, list)
  for (const rule of countingRules(call, list, group)) {
    const policy = policyOf(rule)
    if (!selectsTool(rule, meant, policy === 'deny', policy !== 'allow')) continue
    if (policy !== 'deny') return 'other'
    if (isForAll(rule)) return 'deny'
  }
  return null
}
