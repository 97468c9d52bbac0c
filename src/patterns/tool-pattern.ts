import { INTERNAL_TAG, isQualifiedName, labelOf, normalizeTags } from '../skill/names.js'
import { pathProblem } from '../values/path-expression.js'
import { compileGlob, GlobProblem, isGlob } from './glob.js'
import { type GlobProgram, matchGlob } from './match-glob.js'
import { type PathGlob, withoutIdleSegments } from './match-path.js'

/** A rule's condition on one argument. */
export interface ArgumentConstraint extends PathGlob {
  /** A path expression over the arguments. */
  path: string
  /** True for a glob with `/`: the target of a matching path must match too. */
  isPath: boolean
}

/** A rule's condition on the tool's approval key: a call in readable form, like a command. */
export type KeyConstraint =
  /** `*`: any key. */
  | { any: true; prefix?: never; glob?: never; exact?: never; place?: never }
  /** `p:*`: the key is `p`, or continues after it with a space or tab. */
  | { prefix: string; any?: never; glob?: never; exact?: never; place?: never }
  /** In a command, and if the glob has no `/`, `*` matches `/` too. A command is not a path. */
  | {
      glob: GlobProgram
      place: GlobProgram | null
      acrossSlashes: boolean
      any?: never
      prefix?: never
      exact?: never
    }
  | { exact: string; place: GlobProgram | null; any?: never; prefix?: never; glob?: never }

/** One token of a pattern list, compiled: plain data that an index can store. */
export interface ToolRule {
  /** The token as written. */
  text: string
  /** The offset in the list. */
  offset: number
  /**
   * The text that the glob is matched against: the tool's name, its tags, or (`$name`) the name of the
   * library's own tool.
   */
  selects: 'name' | 'tag' | 'library'
  /** Absent where the token cannot be parsed: such a rule matches nothing. */
  glob?: GlobProgram
  /** True for a glob over qualified names: one with a namespace (`acme:*`), and `*`. */
  isQualified?: true
  arguments: ArgumentConstraint[]
  keys: KeyConstraint[]
  /** `$deny` is true, `$policy=allow` a string. */
  options: Record<string, string | true>
  /** Why the token cannot be parsed, and where in the list. */
  problem?: { message: string; offset: number }
}

/** The names that other hosts have for these tools: a pattern may select a tool by either. */
export const FOREIGN_NAMES: ReadonlyMap<string, readonly string[]> = new Map([
  ['bash', ['Bash']],
  ['edit', ['Edit', 'MultiEdit']],
  ['glob', ['Glob']],
  ['grep', ['Grep']],
  ['list', ['LS']],
  ['read', ['Read']],
  ['skill', ['Skill']],
  ['task', ['Task']],
  ['todoread', ['TodoRead']],
  ['todowrite', ['TodoWrite']],
  ['webfetch', ['WebFetch']],
  ['websearch', ['WebSearch']],
  ['write', ['Write']],
])

/** Characters of a token. */
const TOKEN_MAX = 10_000

const OPTIONS: Readonly<Record<string, readonly string[] | true>> = {
  deny: true,
  policy: ['allow', 'ask', 'deny'],
}

/**
 * Reads a list of tool patterns: tokens separated by spaces or commas, outside parentheses, braces and
 * quotes. A token that cannot be parsed becomes a rule with a `problem`, which matches nothing.
 *
 * `"#meta-internal bash(git:*) agent(op={run,ask},$deny)"` → three rules
 */
export function parsePatterns(list: string): ToolRule[] {
  return tokensOf(list, /[\s,]/).map(({ text, offset }) => parseRule(text, offset))
}

/**
 * True where one pattern, a glob or `#` and a glob over tags, selects a tool, by its whole name or that
 * without its namespace. A token that cannot be parsed, and one that
 * has constraints or options, which a name alone cannot answer, matches nothing.
 */
export function matchPattern(pattern: string, name: string, tags: readonly string[] = []): boolean {
  return selectsTool(parseRule(pattern, 0), { name, tags }, false, true) && specStart(pattern) === -1
}

/** The fields of a tool that rules are matched against. */
export interface MatchedTool {
  name: string
  tags: readonly string[]
  /** A URI that it is found by as well. Other hosts name the tools of MCP servers after theirs. */
  src?: string | null
  /**
   * True if its name without its namespace leads to it, for the writer of the pattern. Default: true for a
   * tool without a namespace.
   */
  isMeant?: boolean
  /** True for the library's own. Default: whether it has their tag, which the loader leaves to no other tool. */
  isLibrary?: boolean
}

/** True for the library's own tools, which `$name` selects. */
export function isOfLibrary({ isLibrary, tags }: MatchedTool): boolean {
  return isLibrary ?? tags.includes(INTERNAL_TAG)
}

/**
 * True if a rule's glob selects a tool, regardless of constraints. To deny, it selects a tool by any name that is
 * like.
 *
 * @param byEither true if a glob without a namespace selects the tools of all namespaces; else it
 *   selects only tools that the name without a namespace leads to
 */
export function selectsTool(
  { selects, glob, text, isQualified }: ToolRule,
  tool: MatchedTool,
  denying = false,
  byEither = denying,
): boolean {
  if (glob === undefined) return false
  const { name, tags, src, isMeant } = tool
  const matches = (one: string): boolean => matchGlob(glob, one, { anySegment: denying })
  if (selects === 'tag') return tags.some(matches)
  if (selects === 'library') return isOfLibrary(tool) && matches(name)
  const label = isQualifiedName(name) ? labelOf(name) : name
  const foreign = [...(FOREIGN_NAMES.get(name) ?? NO_NAMES), ...mcpNames(src ?? name, text)]
  if (byEither && label !== name && (glob.not ? matches(name) : matches(label))) return true
  if (!byEither && !isQualified) {
    const leadsToIt = isMeant ?? label === name
    return leadsToIt && selectsName([label, ...foreign], glob, matches)
  }
  return selectsName([name, ...foreign], glob, matches)
}

/** @param names the name of a tool, and those that other hosts have for it */
function selectsName(
  names: readonly string[],
  glob: GlobProgram,
  matches: (name: string) => boolean,
): boolean {
  // `!(Bash)` excludes the tool under any of its names.
  return glob.not ? names.every(matches) : names.some(matches)
}

/**
 * The names that other hosts have for a tool of an MCP server: `mcp://github/create` is
 * `mcp__github__create`, and a pattern may select all of a server's by `mcp__github`.
 */
function mcpNames(uri: string, pattern: string): readonly string[] {
  const names = mcpServerNames(uri)
  return names.length > 0 && !pattern.includes('mcp__') ? names.slice(0, 1) : names
}

/** The names that other hosts have for a tool of an MCP server, and for all tools of that server. None for any other tool. */
export function mcpServerNames(uri: string): readonly string[] {
  if (!uri.startsWith('mcp://')) return NO_NAMES
  const [, server = '', tool] = /^mcp:\/\/([^/]+)\/(.+)$/s.exec(uri) ?? []
  if (tool === undefined) return NO_NAMES
  const [first, second] = [server, tool].map(part => part.replace(/[^\w-]/g, '_'))
  return [`mcp__${first}__${second}`, `mcp__${first}`]
}

const NO_NAMES: readonly string[] = []

interface Token {
  text: string
  offset: number
}

/**
 * Splits at separators outside parentheses, braces and quotes. A quote that is never closed is
 * none.
 */
function tokensOf(list: string, separator: RegExp): Token[] {
  const tokens: Token[] = []
  let start = 0
  let depth = 0
  for (let at = 0; at <= list.length; at++) {
    const character = list.charAt(at)
    if (character === '"' || character === "'") at = Math.max(at, list.indexOf(character, at + 1))
    else if (character === '(' || character === '{') depth++
    else if (character === ')' || character === '}') depth = Math.max(0, depth - 1)
    else if (character === '' || (depth === 0 && separator.test(character))) {
      if (at > start) tokens.push({ text: list.slice(start, at), offset: start })
      start = at + 1
    }
  }
  return tokens
}

function parseRule(text: string, offset: number): ToolRule {
  const rule: ToolRule = { text, offset, selects: 'name', arguments: [], keys: [], options: {} }
  try {
    if (text.length > TOKEN_MAX) throw new GlobProblem(`the pattern is longer than ${TOKEN_MAX}`, 0)
    const open = specStart(text)
    rule.glob = readSelector(rule, open === -1 ? text : text.slice(0, open))
    if (open !== -1) readSpecs(rule, text, open)
  } catch (error) {
    if (!(error instanceof GlobProblem)) throw error
    delete rule.glob
    rule.problem = { message: error.message, offset: offset + error.offset }
  }
  return rule
}

/** The position of the parenthesis that begins the specifiers; that of `!(…)` belongs to the glob. */
function specStart(text: string): number {
  for (let at = text.indexOf('('); at !== -1; at = text.indexOf('(', at + 1)) {
    if (text[at - 1] !== '!') return at
    at = Math.max(at, text.indexOf(')', at))
  }
  return -1
}

function readSelector(rule: ToolRule, selector: string): GlobProgram {
  if (/[@+]$/.test(selector) && rule.text.length > selector.length)
    throw new GlobProblem('"@(…)" and "+(…)" are not supported; write {a,b}', selector.length - 1)
  if (selector.startsWith('#')) {
    rule.selects = 'tag'
    const tag = selector.slice(1)
    return inside(1, () => compileGlob(isGlob(tag) ? tag.toLowerCase() : (normalizeTags([tag])[0] ?? '')))
  }
  if (selector.startsWith('$')) {
    rule.selects = 'library'
    return inside(1, () => compileGlob(selector.slice(1)))
  }
  const glob = unquoted(selector)
  if (glob.includes(':') || /^\*+$/.test(glob)) rule.isQualified = true
  return compileGlob(glob)
}

function readSpecs(rule: ToolRule, text: string, open: number): void {
  if (!text.endsWith(')')) throw new GlobProblem('"(" is not closed', open)
  for (const { text: spec, offset } of tokensOf(text.slice(open + 1, -1), /,/)) {
    const indent = spec.length - spec.trimStart().length
    inside(open + 1 + offset + indent, () => readSpec(rule, spec.trim()))
  }
}

/** Another host's unfilled variable or argument: plain text that matches itself. */
const HOST_TEXT = /\$(?:\{CLAUDE_[A-Z_]+\}|ARGUMENTS\b|\d)/g

function readSpec(rule: ToolRule, written: string): void {
  const spec = written.replace(HOST_TEXT, text => text.replace(/[${}]/g, '\\$&'))
  if (spec.startsWith('$')) {
    const [name = '', value] = spec.slice(1).split('=', 2)
    rule.options[name] = checkOption(name, value)
    return
  }
  const [whole, path = '', glob = ''] = /^([A-Za-z_][\w.[\]*"'-]*)\s*=\s*(.*)$/s.exec(spec) ?? []
  if (whole === undefined) {
    rule.keys.push(keyConstraint(unquoted(spec)))
    return
  }
  const problem = pathProblem(path)
  if (problem) throw new GlobProblem(problem.message, problem.offset)
  inside(spec.length - glob.length, () => rule.arguments.push({ path, ...pathGlob(unquoted(glob)) }))
}

function pathGlob(text: string): PathGlob & { isPath: boolean } {
  const glob = compileGlob(text)
  const plain = withoutIdleSegments(text)
  return { glob, place: plain === text ? glob : compileGlob(plain), isPath: text.includes('/') }
}

function checkOption(name: string, value: string | undefined): string | true {
  const allowed = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined
  if (allowed === undefined)
    throw new GlobProblem(`there is no option $${name}; there are $deny and $policy`, 0)
  if (allowed === true) {
    if (value !== undefined) throw new GlobProblem(`$${name} takes no value`, 0)
    return true
  }
  if (value === undefined || !allowed.includes(value))
    throw new GlobProblem(`$${name} is one of ${allowed.join(', ')}`, 0)
  return value
}

function keyConstraint(text: string): KeyConstraint {
  if (text === '*' || text === '**') return { any: true }
  const [, prefix] = /^(.*):\*$/s.exec(text) ?? []
  if (prefix?.trim() === '') throw new GlobProblem('nothing stands before ":*"', 0)
  if (prefix !== undefined && !isGlob(prefix)) return { prefix }
  const isCommand = /\s/.test(text)
  if (!isGlob(text)) {
    const literal = withoutIdleSegments(text).replace(/\W/g, '\\$&')
    return { exact: text, place: isCommand || text === '' ? null : compileGlob(literal) }
  }
  const { glob, place, isPath } = pathGlob(text)
  return { glob, place: isCommand ? null : place, acrossSlashes: isCommand || !isPath }
}

function unquoted(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text
}

/** Runs a reader whose offsets count from `offset`. */
function inside<Result>(offset: number, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof GlobProblem) throw new GlobProblem(error.message, error.offset + offset)
    throw error
  }
}
