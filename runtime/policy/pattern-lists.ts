import { AgentAppsError } from '../../src/base/error.js'
import { parsePatterns, type ToolRule } from '../../src/patterns/tool-pattern.js'
import type { Written } from '../../src/policy/limits.js'
import { namespaceOf } from '../../src/skill/names.js'
import type { Patterns } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** A list with the namespace that its names are written in. */
export interface Listed extends Written {
  namespace: string
}

/** A list that is written in a skill. */
export function listIn({ name }: ToolDef, rules: readonly ToolRule[]): Listed {
  return { by: `"${name}"`, namespace: namespaceOf(name), skill: name, rules }
}

/** Parsed patterns, by their text: each call asks for those of all policies and skills above it. */
const parsed = new Map<string, readonly ToolRule[]>()
/** More than a process has at a time, other than one that makes up a policy for each call. */
const PARSED_MAX = 1000

/**
 * The rules of a host's list, each of its items read alone.
 *
 * @throws OPTIONS_INVALID for one that cannot be read: it could be the one that denies
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

/** The rules of a skill's list: none, where one of its patterns cannot be read. */
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
