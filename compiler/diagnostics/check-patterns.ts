import type { JsonValue } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { FOREIGN_NAMES, parsePatterns, selectsTool, type ToolRule } from '../../src/patterns/tool-pattern.js'
import { limits } from '../files/limits.js'
import { type Finding, finding } from './diagnostics.js'
import type { Locator } from './source-text.js'

const LIBRARY_NAMES: readonly string[] = [
  'agent',
  'agent-discover',
  'bash',
  'context-manager',
  'edit',
  'glob',
  'grep',
  'list',
  'read',
  'skill-describe',
  'skill-list',
  'task',
  'todoread',
  'todowrite',
  'webfetch',
  'write',
]

/** Other hosts' tools that the library has no counterpart of, and a name from `createCallbackRef`. */
const OTHER_NAMES: readonly string[] = [
  'Agent',
  'AskUserQuestion',
  'BashOutput',
  'EnterPlanMode',
  'ExitPlanMode',
  'KillShell',
  'LSP',
  'ListMcpResourcesTool',
  'NotebookEdit',
  'NotebookRead',
  'ReadMcpResourceTool',
  'SlashCommand',
  'TaskCreate',
  'TaskGet',
  'TaskList',
  'TaskOutput',
  'TaskStop',
  'TaskUpdate',
  'ToolSearch',
  'callback-00000000',
]

const KNOWN = new Set([...LIBRARY_NAMES, ...[...FOREIGN_NAMES.values()].flat(), ...OTHER_NAMES])

/** True for the name of a library tool or of another host's tool. */
export function isKnownElsewhere(name: string): boolean {
  return KNOWN.has(name)
}

/**
 * Finds the faulty patterns of `allowed-tools`: those that cannot be parsed, and those that match no tool
 * known everywhere. The latter may match a tool of the project, which can only be checked with the whole
 * project.
 */
export function checkPatterns(value: JsonValue | undefined, at: Locator): Finding[] {
  const lists = Array.isArray(value) ? [...value.entries()] : [[null, value] as const]
  return lists
    .flatMap(([index, list]) =>
      typeof list === 'string' ? faultsIn(list).map(fault => ({ ...fault, index, list })) : [],
    )
    .slice(0, limits.findingsPerRule)
    .map(({ rule, problem, index, list }) => {
      const field = ['allowed-tools', ...(index === null ? [] : [index])] as const
      const place = at.within(list, problem?.offset ?? rule.offset, ...field)
      return problem
        ? finding('pattern-invalid', place, shortened(rule.text), problem.message)
        : finding('pattern-unmatched', place, rule.text)
    })
}

function faultsIn(
  list: string,
): { rule: ToolRule; problem?: { message: string; offset: number } | undefined }[] {
  return parsePatterns(list)
    .filter(rule => rule.problem !== undefined || !mayBeKnown(rule))
    .map(rule => ({ rule, problem: rule.problem }))
}

/** True for a rule that may match a known tool; tags and tools of MCP servers are known at run time only. */
function mayBeKnown(rule: ToolRule): boolean {
  if (rule.selects === 'tag' || /^["']?mcp/.test(rule.text)) return true
  return selectorOf(rule) === undefined ? matchesAny(rule, KNOWN) : KNOWN.has(selectorOf(rule) ?? '')
}

function selectorOf({ selects, text }: ToolRule): string | undefined {
  return selects === 'name' ? /^[\w-]+(?::[\w-]+)?(?=\(|$)/.exec(text)?.[0] : undefined
}

/** True where a pattern that was reported as `pattern-unmatched` matches one of these tools. */
export function patternMatches(pattern: string, names: ReadonlySet<string>): boolean {
  const [rule] = parsePatterns(pattern)
  if (rule === undefined) return false
  const name = selectorOf(rule)
  return name === undefined ? matchesAny(rule, names) : names.has(name)
}

/** True for a rule that selects one of these tools, or may select one that is known everywhere. */
export function matchesKnown(rule: ToolRule, names: ReadonlySet<string>): boolean {
  return mayBeKnown(rule) || patternMatches(rule.text, names)
}

/** True where a pattern names tools that hosts have of their own, which `hostTools` matches. */
export function isOfHost(pattern: string, hostTools: readonly string[]): boolean {
  const [rule] = parsePatterns(pattern)
  if (rule === undefined) return false
  const name = selectorOf(rule) ?? pattern
  // A glob may select one of the names, or be no wider than one of the globs.
  return hostTools
    .flatMap(parsePatterns)
    .some(host => selectsTool(host, { name, tags: [] }) || selectsTool(rule, { name: host.text, tags: [] }))
}

/** The name nearest to a pattern's single name, among these and those known everywhere; else null. */
export function nearestToPattern(pattern: string, names: ReadonlySet<string>): string | null {
  const [rule] = parsePatterns(pattern)
  const name = rule && selectorOf(rule)
  return name === undefined ? null : nearest(name, [...names, ...KNOWN])
}

function matchesAny(rule: ToolRule, names: Iterable<string>): boolean {
  for (const name of names)
    if (selectsTool(rule, { name, tags: [], isLibrary: true }, false, true)) return true
  return false
}

const SHOWN_MAX = 200

function shortened(text: string): string {
  return text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text
}
