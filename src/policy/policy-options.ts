import { isStringArray } from '../base/json.js'
import type { Kind, OptionTable } from '../base/options.js'

/** Patterns of tools. */
export const PATTERNS: Kind = ['a string or an array of strings', value => isStringArray([value].flat())]

/** The limits of an agent, in a program, in a call that spawns one, or in a file. */
export const LIMITS = {
  allow: PATTERNS,
  deny: PATTERNS,
  permissions: 'strings',
  rules: PATTERNS,
} satisfies OptionTable

/** How a person is asked. */
export const APPROVAL = {
  mode: ['ask', 'allowlist', 'yolo'],
  allow: PATTERNS,
  remember: ['session', 'project'],
} satisfies OptionTable

/** An agent that has an id, and the tools that it may use. */
export const NAMED_AGENT = {
  id: 'string',
  tools: 'object',
  permissions: 'strings',
  rules: PATTERNS,
} satisfies OptionTable
export const AGENT_TOOLS = { allow: PATTERNS, deny: PATTERNS } satisfies OptionTable
