import { isFollowUp, type Message } from 'agent-apps/compiler'

export interface RuleGroup {
  rule: string
  severity: Message['severity']
  messages: readonly [Message, ...Message[]]
  /** True if these keep skills from loading. */
  isFatal: boolean
}

const URGENCY = { error: 0, warning: 1, info: 2 } as const

/**
 * Groups diagnostics by rule, the most urgent first: errors before warnings, causes before their consequences, rules that
 * keep skills from loading, then the rule with the most places.
 */
export function ruleGroups(diagnostics: readonly Message[]): RuleGroup[] {
  const byRule = new Map<string, [Message, ...Message[]]>()
  for (const message of diagnostics) {
    const key = `${message.severity} ${message.ruleId}`
    const group = byRule.get(key)
    if (group) group.push(message)
    else byRule.set(key, [message])
  }
  return [...byRule.values()]
    .map(messages => ({
      rule: messages[0].ruleId ?? '',
      severity: messages[0].severity,
      messages,
      isFatal: messages.some(({ fatal }) => fatal === true),
    }))
    .sort(
      (a, b) =>
        URGENCY[a.severity] - URGENCY[b.severity] ||
        Number(isFollowUp(a.messages[0])) - Number(isFollowUp(b.messages[0])) ||
        Number(b.isFatal) - Number(a.isFatal) ||
        b.messages.length - a.messages.length,
    )
}

/** Errors and warnings, errors first. */
export function failures(diagnostics: readonly Message[]): Message[] {
  return diagnostics
    .filter(({ severity }) => severity !== 'info')
    .sort((a, b) => URGENCY[a.severity] - URGENCY[b.severity])
}
