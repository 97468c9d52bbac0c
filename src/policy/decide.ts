import { thrownText } from '../base/attempt.js'
import { reachOut } from '../base/permissions.js'
import { FOREIGN_NAMES, type ToolRule } from '../patterns/tool-pattern.js'
import { deniedBy, isAllowed, policyOf, trustOf } from '../patterns/tool-rules.js'
import { labelOf } from '../skill/names.js'
import {
  type AgentCall,
  asMeant,
  grantedTo,
  isGranted,
  type Limits,
  type RuleGroup,
  type RuleList,
  rulesFor,
} from './limits.js'

/** The answer of a step of the decision, or of the last one. */
export interface Decision {
  /** `ask`: a person decides. */
  decision: 'allow' | 'ask' | 'deny'
  /** The step that decided. */
  step: 1 | 2 | 3 | 4 | 5 | 6
  /** The code of the error that a denied call throws. */
  code: 'TOOL_NOT_FOUND' | 'TOOL_DENIED' | 'PERMISSION_MISSING' | null
  /** The owner of the list or rule that decided, or the tool itself. */
  by: string
  /** The rule that decided, as it is written. */
  rule: string | null
  /** Why, as the end of a sentence about the call. */
  reason: string
  /** The skill whose metadata decided, and its key there; null where a host did. */
  written: { skill: string; key: string } | null
}

/** The answer of one step: a decision, or null with the reason to ask the next step. */
export type StepAnswer = Omit<Decision, 'decision'> & { decision: Decision['decision'] | null }

/** A step: each can only narrow what the steps before it let through. */
export type Step = (call: AgentCall, limits: Limits) => StepAnswer

export const STEPS: readonly Step[] = [exists, allowedTools, lists, permissions, rules, approval]
/** The steps that may deny. */
const DENYING = STEPS.filter(step => step !== approval)

/**
 * Decides whether an agent may make a call, must ask first, or may not. Runs nothing but the host's guard.
 * With `isAny`, the steps deny only what they deny for all arguments, and the guard is not called.
 */
export function decide(call: AgentCall, limits: Limits, steps = STEPS): Decision {
  for (const step of steps) {
    const answer = step(call, limits)
    if (answer.decision !== null) return answer as Decision
  }
  return { ...passed(6, 'nothing denies it'), decision: 'allow' }
}

/** True if some arguments could make a call of the tool allowed, or asked about. */
export function mayBeAllowed(call: AgentCall, limits: Limits): boolean {
  return decide(call.isAny ? call : { ...call, isAny: true }, limits, DENYING).decision !== 'deny'
}

/** The answers of the steps, up to the one that decides. */
export function decisionSteps(call: AgentCall, limits: Limits): StepAnswer[] {
  const answers: StepAnswer[] = []
  for (const step of STEPS) {
    const answer = step(call, limits)
    answers.push(answer)
    if (answer.decision !== null) break
  }
  return answers
}

/** Ends a sentence with a reason, which may have an end of its own already. */
export function ended(reason: string): string {
  return /[.!?…]$/.test(reason.trim()) ? reason.trim() : `${reason.trim()}.`
}

function exists({ isThere }: AgentCall): StepAnswer {
  return isThere
    ? KNOWN
    : { ...passed(1, 'there is no such tool for agents'), decision: 'deny', code: 'TOOL_NOT_FOUND' }
}

function allowedTools(call: AgentCall, { allowedTools }: Limits): StepAnswer {
  for (const list of allowedTools) {
    const { answer, rule } = isAllowed(rulesFor(list, call), asMeant(call, list))
    if (!answer) return denied(2, list, rule?.text ?? null, `the \`allowed-tools\` of ${list.by}`)
  }
  return NOT_LEFT_OUT
}

function lists(call: AgentCall, { allow, deny }: Limits): StepAnswer {
  for (const list of allow) {
    if (list.rules.length === 0) continue
    const { answer, rule } = isAllowed(rulesFor(list, call), asMeant(call, list))
    if (!answer) return denied(3, list, rule?.text ?? null, `the list \`allow\` of ${list.by}`)
  }
  for (const list of deny) {
    const rule = deniedBy(rulesFor(list, call), asMeant(call, list))
    if (rule) return denied(3, list, rule.text, `the list \`deny\` of ${list.by}`)
  }
  return NOT_LISTED
}

function permissions({ guards, name }: AgentCall, { permissions }: Limits): StepAnswer {
  const missing = guards.required.filter(one => !isGranted(one, permissions))
  const [first] = missing
  if (first === undefined) return PERMITTED
  const refuser = permissions.find(({ granted }) => !granted.includes(first))
  const why = refuser
    ? `${refuser.by} does not grant ${missing.join(', ')}`
    : `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not granted`
  const by = refuser?.by ?? 'the runtime'
  const written = { skill: name, key: 'permissions' }
  return { step: 4, decision: 'deny', code: 'PERMISSION_MISSING', by, rule: null, reason: why, written }
}

function rules(call: AgentCall, limits: Limits): StepAnswer {
  const said = ruleAnswer(call, limits)
  const guarded = said?.decision === 'deny' || call.isAny ? null : guardAnswer(call, limits)
  const answer = guarded && (!said || stricter(guarded.decision, said.decision)) ? guarded : said
  if (!answer) return UNMATCHED
  return { step: 5, code: answer.decision === 'deny' ? 'TOOL_DENIED' : null, ...answer }
}

/** A guard that fails, or answers anything else, must not let a call through. */
function guardAnswer(call: AgentCall, { guard }: Limits): Omit<Decision, 'step' | 'code'> | null {
  if (!guard) return null
  const said = { by: 'the guard', rule: null, written: null }
  try {
    const answer = guard(call)
    if (answer === undefined) return null
    if (answer === 'ask') return { ...said, decision: 'ask', reason: 'the guard asks' }
    const reason = answer === 'deny' ? 'the guard denies it' : 'the guard gave no answer that it may give'
    return { ...said, decision: 'deny', reason }
  } catch (error) {
    return { ...said, decision: 'deny', reason: `the guard throws: ${thrownText(error)}` }
  }
}

function approval(call: AgentCall, limits: Limits): StepAnswer {
  const { guards, name, isRemote = false } = call
  const granted = grantedTo(guards, limits)
  const isGated = isRemote || (guards.gated ?? reachOut(granted))
  const by = `"${name}"`
  const written = { skill: name, key: guards.gated === undefined ? 'permissions' : 'gated' }
  if (!isGated) return { ...passed(6, 'it needs no approval'), decision: 'allow', by, written }
  const opened = limits.preApproved.find(list => preApproves(list, call))
  if (opened) {
    const own = { by: opened.by, written: { skill: opened.skill ?? '', key: 'allowed-tools' } }
    return {
      ...passed(6, `${opened.by} is open, and its \`allowed-tools\` has it`),
      decision: 'allow',
      ...own,
    }
  }
  const why = guards.gated
    ? 'it is gated'
    : isRemote
      ? "it is a server's"
      : `it is granted ${granted.filter(one => one !== 'read').join(', ')}`
  if (limits.skipsApproval)
    return { ...passed(6, `${why}, and approval is skipped`), decision: 'allow', by: 'the runtime' }
  return { ...passed(6, why), decision: 'ask', by, written }
}

/**
 * True where the `allowed-tools` of a skill that is open matches a call; by the name of what does more than
 * read.
 */
function preApproves(list: RuleList, call: AgentCall): boolean {
  const rules = rulesFor(list, call).filter(rule => policyOf(rule) === 'deny' || mayCover(rule, call))
  const { answer, rule } = isAllowed(rules, asMeant(call, list))
  return answer && rule !== null
}

function passed(step: Decision['step'], reason: string): StepAnswer {
  return { step, decision: null, code: null, by: 'the runtime', rule: null, reason, written: null }
}

// The answers of most steps about most of ten thousand tools.
const KNOWN = Object.freeze(passed(1, 'agents may know of the tool'))
const NOT_LEFT_OUT = Object.freeze(passed(2, 'no `allowed-tools` leaves it out'))
const NOT_LISTED = Object.freeze(passed(3, 'no list `allow` leaves it out, and no list `deny` has it'))
const PERMITTED = Object.freeze(passed(4, 'it has the permissions that it requires'))
const UNMATCHED = Object.freeze(passed(5, 'no rule matches it'))

function denied(
  step: Decision['step'],
  { by, skill }: RuleList,
  rule: string | null,
  list: string,
): StepAnswer {
  const why = rule === null ? 'does not have it' : `denies it with ${JSON.stringify(rule)}`
  const written = skill === undefined ? null : { skill, key: 'allowed-tools' }
  return { step, decision: 'deny', code: 'TOOL_DENIED', by, rule, reason: `${list} ${why}`, written }
}

/** The decision behind each error of a denied call, for its event. */
const decisions = new WeakMap<object, Decision>()

export function keepDecision<Denied extends object>(error: Denied, decision: Decision): Denied {
  decisions.set(error, decision)
  return error
}

/** The decision that an error came of; undefined where it came of none. */
export function decisionOf(error: unknown): Decision | undefined {
  return typeof error === 'object' && error !== null ? decisions.get(error) : undefined
}

type Answer = 'allow' | 'ask' | 'deny'

interface RuleAnswer {
  decision: Answer
  by: string
  rule: string
  reason: string
  written: { skill: string; key: string } | null
}

/** The answer of the first group of rules that matches; null if none does. */
function ruleAnswer(call: AgentCall, { rules }: Limits): RuleAnswer | null {
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

function listAnswer(call: AgentCall, list: RuleList, group: RuleGroup): RuleAnswer | null {
  if (list.rules.length === 0) return null
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
function countingRules(call: AgentCall, list: RuleList, { mayAllow }: RuleGroup): readonly ToolRule[] {
  const rules = rulesFor(list, call)
  return rules.filter(rule => policyOf(rule) !== 'allow' || (mayAllow && mayCover(rule, call)))
}

/**
 * False for a tag or a glob where the tool can do more than read, or where only a server says what it does.
 */
function mayCover(rule: ToolRule, call: AgentCall): boolean {
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
