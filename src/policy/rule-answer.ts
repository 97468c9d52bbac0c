import { reachOut } from '../base/permissions.js'
import { FOREIGN_NAMES, type ToolRule } from '../patterns/tool-pattern.js'
import { policyOf, trustOf } from '../patterns/tool-rules.js'
import { labelOf } from '../skill/names.js'
import { type AgentCall, asMeant, type Limits, type RuleGroup, rulesFor, type Written } from './limits.js'

type Answer = 'allow' | 'ask' | 'deny'

/** The answer of the rules to a call. */
export interface RuleAnswer {
  decision: Answer
  by: string
  rule: string
  reason: string
  written: { skill: string; key: string } | null
}

/** The answer of the first group of rules that matches; null if none does. */
export function ruleAnswer(call: AgentCall, { rules }: Limits): RuleAnswer | null {
  for (const group of rules) {
    let strictest: RuleAnswer | null = null
    for (const list of group.lists) {
      const answer = listAnswer(call, list, group)
      if (answer && (!strictest || stricter(answer.decision, strictest.decision))) strictest = answer
    }
    if (strictest) return strictest
  }
  return null
}

const STRICTNESS: readonly Answer[] = ['allow', 'ask', 'deny']

export function stricter(one: Answer, other: Answer): boolean {
  return STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other)
}

const SAYS = { allow: 'allows it', ask: 'asks', deny: 'denies it' } as const

function listAnswer(call: AgentCall, list: Written, group: RuleGroup): RuleAnswer | null {
  const meant = asMeant(call, list)
  const said = trustOf(countingRules(call, list, group), meant)
  if (!said?.rule) return null
  const { text } = said.rule
  const reason = `the rule ${JSON.stringify(text)} of ${list.by} ${SAYS[said.answer]}`
  const written = list.skill === undefined ? null : { skill: list.skill, key: 'trust' }
  return { decision: said.answer, by: list.by, rule: text, reason, written }
}

/**
 * The rules of a list that count for a tool. One that allows does not where its author may not allow, nor by
 * a tag or a glob where the tool can do more than read: it would cover tools that its author never saw.
 */
export function countingRules(call: AgentCall, list: Written, { mayAllow }: RuleGroup): readonly ToolRule[] {
  const rules = rulesFor(list, call)
  return rules.filter(rule => policyOf(rule) !== 'allow' || (mayAllow && mayCover(rule, call)))
}

/** False for a tag or a glob where the tool can do more than read, or where only a server says what it does. */
export function mayCover(rule: ToolRule, call: AgentCall): boolean {
  const { isRemote = false, guards } = call
  const mustBeNamed = isRemote || reachOut([...guards.required, ...guards.optional])
  return !mustBeNamed || isNamed(rule, call)
}

/** True where a rule names this tool and no other. */
function isNamed({ text }: ToolRule, { name, isLibrary }: AgentCall): boolean {
  const [selector = ''] = text.split('(', 1)
  const label = labelOf(name)
  const names = [name, label, ...(FOREIGN_NAMES.get(name) ?? []), ...(isLibrary ? [`$${label}`] : [])]
  return names.includes(selector.replace(/^(["'])(.*)\1$/s, '$2'))
}
