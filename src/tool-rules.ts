import { matchGlob } from './glob.js'
import { pathGet } from './path-expression.js'
import {
  type ArgumentConstraint,
  type KeyConstraint,
  type MatchedTool,
  selectsTool,
  type ToolRule,
} from './tool-pattern.js'

/** A call that rules are asked about. */
export interface ToolCall extends MatchedTool {
  args: unknown
  /** The readable text that the tool gives for the call, like its command; what bare specifiers match. */
  key?: string
}

/** What rules say of a call, and which rule said it; null where none did. */
export interface RuleDecision<Answer> {
  answer: Answer
  rule: ToolRule | null
}

/** The library's tool whose operations are always allowed but where a rule denies them. */
const ALWAYS_ALLOWED = 'context-manager'

/**
 * Whether `allowed-tools` lets a call through. Without rules (the field is absent) everything is; with none in the
 * list, nothing. A rule with `$deny` that matches wins, wherever it stands.
 */
export function isAllowed(rules: readonly ToolRule[] | undefined, call: ToolCall): RuleDecision<boolean> {
  const denying = rules?.find(rule => isDenied(rule, call))
  if (denying) return { answer: false, rule: denying }
  if (rules === undefined || (call.isLibrary && call.name === ALWAYS_ALLOWED))
    return { answer: true, rule: null }
  const allowing = rules.find(rule => rule.options.deny === undefined && matchesCall(rule, call, false))
  return { answer: allowing !== undefined, rule: allowing ?? null }
}

/** What `trust.rules` say of a call: the first rule that matches, which asks where it names no policy; null where none does. */
export function trustOf(
  rules: readonly ToolRule[],
  call: ToolCall,
): RuleDecision<'allow' | 'ask' | 'deny'> | null {
  const rule = rules.find(one =>
    one.options.deny ? isDenied(one, call) : matchesCall(one, call, one.options.policy === 'deny'),
  )
  if (rule === undefined) return null
  const policy = rule.options.deny ? 'deny' : (rule.options.policy ?? 'ask')
  return { answer: policy as 'allow' | 'ask' | 'deny', rule }
}

function isDenied(rule: ToolRule, call: ToolCall): boolean {
  return rule.options.deny !== undefined && matchesCall(rule, call, true)
}

/** True where a rule selects the tool and its constraints fit. For denying, one on something absent fits too. */
function matchesCall(rule: ToolRule, call: ToolCall, denying: boolean): boolean {
  return (
    selectsTool(rule, call) &&
    rule.arguments.every(constraint => fits(constraint, call.args, denying)) &&
    (rule.keys.length === 0 || rule.keys.some(constraint => fitsKey(constraint, call.key, denying)))
  )
}

function fits({ path, glob }: ArgumentConstraint, args: unknown, denying: boolean): boolean {
  const value = pathGet(args, path)
  if (value === undefined || value === null) return denying
  const items = Array.isArray(value) ? value : [value]
  const matches = (item: unknown): boolean => isScalar(item) && matchGlob(glob, String(item))
  // For denying, one forbidden item is enough.
  return denying ? items.some(matches) : items.length > 0 && items.every(matches)
}

function isScalar(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

/** What lets a shell run a second command behind, beside or inside the first. */
const CHAINS_COMMANDS = /[;&|<>`\n\r]|\$\(/

function fitsKey({ prefix, glob, exact }: KeyConstraint, key: string | undefined, denying: boolean): boolean {
  if (key === undefined) return denying
  if (exact !== undefined) return key === exact
  // A rule for one command must not let a second one ride along; one that denies looks at all of them.
  if (CHAINS_COMMANDS.test(key)) return denying && commandsIn(key).some(one => fitsPattern(one))
  return fitsPattern(key)

  function fitsPattern(text: string): boolean {
    if (glob) return matchGlob(glob, text)
    return prefix !== undefined && text.startsWith(prefix) && /^(?:$|\s)/.test(text.slice(prefix.length))
  }
}

/** The commands that a text could run, roughly: what stands between the signs that chain them. */
function commandsIn(text: string): string[] {
  return [text, ...text.split(/[;&|<>`\n\r()]+|\$\(/)].map(part => part.trim())
}
