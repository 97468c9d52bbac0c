import { indexesOf } from '../values/look-into.js'
import { pathQuery } from '../values/path-expression.js'
import { type GlobProgram, matchGlob } from './match-glob.js'
import { isPathWithin, mayLeadTo } from './match-path.js'
import {
  type ArgumentConstraint,
  isOfLibrary,
  type KeyConstraint,
  type MatchedTool,
  selectsTool,
  type ToolRule,
} from './tool-pattern.js'

/** A call that rules are asked about. */
export interface ToolCall extends MatchedTool {
  args: unknown
  /**
   * True for any call of the tool: rules that depend on its arguments or key may admit it, and do not deny
   * it.
   */
  isAny?: boolean
  /** The readable text that the tool gives for the call, like its command; what bare specifiers match. */
  key?: string
  /**
   * False for a tool that declares permissions, but not `execute`. Globs and prefixes that allow then match
   * any string, not only plain commands. Default: true. Default: true.
   */
  mayExecute?: boolean
}

/** The decision of rules about a call, with the rule; null if none matches. */
export interface RuleDecision<Answer> {
  answer: Answer
  rule: ToolRule | null
}

/** The library's tool whose operations are always allowed but where a rule denies them. */
const ALWAYS_ALLOWED = 'context-manager'

/** True for the library's tool that lists of allowed tools need not name. */
function isAlwaysAllowed(tool: MatchedTool): boolean {
  return tool.name === ALWAYS_ALLOWED && isOfLibrary(tool)
}

/**
 * True if `allowed-tools` lets a call through. Without rules (the field is absent) everything passes; with an
 * empty list, nothing. A matching rule with `$deny` wins at any position.
 */
export function isAllowed(rules: readonly ToolRule[] | undefined, call: ToolCall): RuleDecision<boolean> {
  const denying = rules?.find(rule => isDenied(rule, call))
  if (denying) return { answer: false, rule: denying }
  if (rules === undefined || isAlwaysAllowed(call)) return { answer: true, rule: null }
  const allowing = rules.find(rule => policyOf(rule) !== 'deny' && matchesCall(rule, call, false))
  return { answer: allowing !== undefined, rule: allowing ?? null }
}

/**
 * The decision of `trust.rules` about a call: the first matching rule's, which asks if it names no
 * policy; null if none matches. A rule that asks and matches only one of the commands in a call, or nothing
 * that the call has, does not end the search: a later rule may still deny, and can no longer allow.
 */
export function trustOf(
  rules: readonly ToolRule[],
  call: ToolCall,
): RuleDecision<'allow' | 'ask' | 'deny'> | null {
  let asking: ToolRule | null = null
  for (const rule of rules) {
    const policy = policyOf(rule)
    if (matchesCall(rule, call, policy === 'deny', policy !== 'allow')) {
      return policy === 'allow' && asking ? { answer: 'ask', rule: asking } : { answer: policy, rule }
    }
    if (policy === 'ask' && matchesCall(rule, call, true)) asking ??= rule
  }
  return asking && { answer: 'ask', rule: asking }
}

/** The first rule of a list of denied tools that a call falls under; null where none does. */
export function deniedBy(rules: readonly ToolRule[], call: ToolCall): ToolRule | null {
  return rules.find(rule => matchesCall(rule, call, true)) ?? null
}

/** The decision of a rule for the calls that match it. */
export function policyOf({ options: { deny, policy } }: ToolRule): 'allow' | 'ask' | 'deny' {
  if (deny !== undefined) return 'deny'
  return policy === 'allow' || policy === 'deny' ? policy : 'ask'
}

function isDenied(rule: ToolRule, call: ToolCall): boolean {
  return policyOf(rule) === 'deny' && matchesCall(rule, call, true)
}

/**
 * True where a rule selects the tool and its constraints fit. For denying, one on something absent fits too.
 *
 * @param byEither true for a rule that does not admit, which selects a tool by its name without a namespace,
 *   too
 */
function matchesCall(rule: ToolRule, call: ToolCall, denying: boolean, byEither = denying): boolean {
  if (!selectsTool(rule, call, denying, byEither)) return false
  if (call.isAny) return !denying || (rule.arguments.length === 0 && rule.keys.length === 0)
  return (
    rule.arguments.every(constraint => fits(constraint, call, denying)) &&
    (rule.keys.length === 0 || rule.keys.some(constraint => fitsKey(constraint, call, denying)))
  )
}

/**
 * To allow, all values that the path finds must match; to deny, one is enough, or one that cannot be
 * compared.
 */
function fits(constraint: ArgumentConstraint, call: ToolCall, denying: boolean): boolean {
  const { path, glob, place, isPath } = constraint
  const { args } = call
  const items = itemsIn(pathQuery(args, path))
  if (denying) {
    return items.some(item => {
      if (!isText(item)) return true
      const text = String(item)
      return matchGlob(glob, text, { acrossSlashes: true }) || mayLeadTo(place, text)
    })
  }
  const matches = (text: string): boolean =>
    (isPath ? isPathWithin(constraint, text) : matchGlob(glob, text) && !UP_BY_BACKSLASH.test(text)) &&
    (isCoverable(text, call) || isAnyOrExact(glob))
  return items.every(item => isText(item) && matches(String(item)))
}

/** A `..` beside a backslash, which to some hosts separates as `/` does. */
const UP_BY_BACKSLASH = /(?:^|[\\/])\.\.\\|\\\.\.(?:\/|$)/

/**
 * The items of a list and of all lists in it, each list once, so that one that holds itself has an end. A
 * list that
 * is empty or has holes counts as undefined too.
 */
function itemsIn(list: unknown[]): unknown[] {
  const lists = new Set([list])
  const items: unknown[] = []
  for (const one of lists) {
    let count = 0
    for (const index of indexesOf(one)) {
      count++
      const item = one[index]
      if (Array.isArray(item)) lists.add(item)
      else items.push(item)
    }
    if (count === 0 || count < one.length) items.push(undefined)
  }
  return items
}

/** True for a value that a glob can be compared with; the empty string counts as missing, like null. */
function isText(value: unknown): value is string | number | boolean {
  return (
    (typeof value === 'string' && value !== '') || typeof value === 'number' || typeof value === 'boolean'
  )
}

/** A rule for one command must not let a second one ride along; one that denies looks at all of them. */
function fitsKey(constraint: KeyConstraint, call: ToolCall, denying: boolean): boolean {
  const { key } = call
  if (key === undefined) return denying
  if (constraint.any || key === constraint.exact) return true
  if (denying) return commandsIn(key).some(command => fitsCommand(constraint, command, true))
  return isCoverable(key, call) && fitsCommand(constraint, key, false)
}

/**
 * True for a string that a glob or a prefix may allow. A list of the signs by which a shell runs a second
 * command would
 * never be complete, so of a command nothing may be left over but parts in which a shell finds nothing to run.
 */
function isCoverable(text: string, { mayExecute = true }: ToolCall): boolean {
  return !mayExecute || text.replaceAll(VARIABLE_SIGN, '').replaceAll(PLAIN_PARTS, '') === ''
}

/** The sign before the bare name of a variable. */
const VARIABLE_SIGN = /\$(?=[A-Za-z_])/g
/** Characters that mean nothing to a shell, and quotes in which nothing is filled in. */
const PLAIN_PARTS = /[\p{L}\p{M}\p{N}_./:=@%+,~^ \t-]+|'[^'$`\\\n\r]*'|"[^"$`\\\n\r]*"/gu

/** True for `*`, `**` and a string without wildcards: these match any string, or just this one. */
function isAnyOrExact({ steps = [] }: GlobProgram): boolean {
  return (
    (steps.length === 2 && (steps[0]?.[0] === 'star' || steps[0]?.[0] === 'globstar')) ||
    (steps.length > 0 && steps.every(([kind]) => kind === 'char' || kind === 'match'))
  )
}

function fitsCommand(constraint: KeyConstraint, command: string, denying: boolean): boolean {
  const { exact, prefix, glob, place } = constraint
  if (prefix !== undefined)
    return command.startsWith(prefix) && /^(?:$|[ \t])/.test(command.slice(prefix.length))
  if (denying && place && mayLeadTo(place, command)) return true
  if (glob === undefined) return command === exact
  const acrossSlashes = denying || constraint.acrossSlashes === true
  return place && !acrossSlashes
    ? isPathWithin({ glob, place }, command)
    : matchGlob(glob, command, { acrossSlashes })
}

/** The commands that a string could run, roughly: the parts between the signs that chain them. */
function commandsIn(text: string): string[] {
  return [text, ...text.split(/[;&|<>`\n\r()]+/)].map(part => part.trim())
}
