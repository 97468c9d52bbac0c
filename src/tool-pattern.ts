import { compileGlob, GlobProblem, type GlobProgram, isGlob, matchGlob } from './glob.js'
import { normalizeTags } from './tags.js'

/** What a rule asks of one argument. */
export interface ArgumentConstraint {
  /** A path expression over the arguments. */
  path: string
  glob: GlobProgram
}

/** What a rule asks of the tool's approval key: the readable text of a call, like a command. */
export type KeyConstraint =
  /** `p:*`: the key is `p`, or goes on behind it with white space. */
  | { prefix: string; glob?: never; exact?: never }
  | { glob: GlobProgram; prefix?: never; exact?: never }
  | { exact: string; prefix?: never; glob?: never }

/** One token of a pattern list, compiled: plain data that an index can hold. */
export interface ToolRule {
  /** The token as written. */
  text: string
  /** Where it stands in the list. */
  offset: number
  /** What the glob is matched against: the tool's name, its tags, or (`$name`) the name of the library's own tool. */
  selects: 'name' | 'tag' | 'library'
  /** Absent where the token cannot be parsed: such a rule matches nothing. */
  glob?: GlobProgram
  arguments: ArgumentConstraint[]
  keys: KeyConstraint[]
  /** `$deny` is true, `$policy=allow` a text. */
  options: Record<string, string | true>
  /** Why the token cannot be parsed, and where in the list. */
  problem?: { message: string; offset: number }
}

/** Names that other hosts give to what ours do, with ours. */
export const FOREIGN_NAMES: Readonly<Record<string, string>> = {
  Bash: 'bash',
  Edit: 'edit',
  Glob: 'glob',
  Grep: 'grep',
  LS: 'list',
  MultiEdit: 'edit',
  Read: 'read',
  Task: 'task',
  TodoRead: 'todoread',
  TodoWrite: 'todowrite',
  WebFetch: 'webfetch',
  Write: 'write',
}

const OPTIONS: Readonly<Record<string, readonly string[] | true>> = {
  deny: true,
  policy: ['allow', 'ask', 'deny'],
}

/**
 * Reads a list of tool patterns: tokens separated by spaces or commas, outside parentheses, braces and quotes. A
 * token that cannot be parsed becomes a rule with a `problem`, which matches nothing.
 *
 * `"#meta-internal bash(git:*) agent(op={run,ask},$deny)"` → three rules
 */
export function parsePatterns(list: string): ToolRule[] {
  return tokensOf(list, /[\s,]/).map(({ text, offset }) => parseRule(text, offset))
}

/**
 * True where one pattern (a glob, or `#` and a glob over tags), without constraints or options, selects a tool.
 * A pattern that cannot be parsed matches nothing.
 */
export function matchPattern(pattern: string, name: string, tags: readonly string[] = []): boolean {
  const rule = parseRule(pattern, 0)
  return rule.selects !== 'library' && selectsTool(rule, { name, tags })
}

/** What a rule is matched against. */
export interface MatchedTool {
  name: string
  tags: readonly string[]
  /** True for the library's own. */
  isLibrary?: boolean
}

/** True where a rule's glob selects a tool, whatever its constraints say. */
export function selectsTool(
  { selects, glob }: ToolRule,
  { name, tags, isLibrary = false }: MatchedTool,
): boolean {
  if (glob === undefined) return false
  if (selects === 'tag') return tags.some(tag => matchGlob(glob, tag))
  return (selects === 'name' || isLibrary) && matchGlob(glob, name)
}

interface Token {
  text: string
  offset: number
}

/** Splits at separators that stand outside parentheses, braces and quotes. */
function tokensOf(list: string, separator: RegExp): Token[] {
  const tokens: Token[] = []
  let start = -1
  let depth = 0
  let quote = ''
  for (let at = 0; at <= list.length; at++) {
    const character = list[at] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      if (character !== '') continue
    } else if (depth > 0 && (character === '"' || character === "'")) quote = character
    else if ('({'.includes(character) && character !== '') depth++
    else if (')}'.includes(character) && character !== '') depth = Math.max(0, depth - 1)
    const isSeparator = character === '' || (depth === 0 && separator.test(character))
    if (!isSeparator && start === -1) start = at
    if (isSeparator && start !== -1) {
      tokens.push({ text: list.slice(start, at), offset: start })
      start = -1
    }
  }
  return tokens
}

function parseRule(text: string, offset: number): ToolRule {
  const rule: ToolRule = { text, offset, selects: 'name', arguments: [], keys: [], options: {} }
  try {
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

/** Where the parenthesis stands that begins the specifiers; that of `!(…)` belongs to the glob. */
function specStart(text: string): number {
  for (let at = text.indexOf('('); at !== -1; at = text.indexOf('(', at + 1)) {
    if (text[at - 1] !== '!') return at
    at = Math.max(at, text.indexOf(')', at))
  }
  return -1
}

function readSelector(rule: ToolRule, selector: string): GlobProgram {
  if (selector.startsWith('#')) {
    rule.selects = 'tag'
    const tag = selector.slice(1)
    return inside(1, () => compileGlob(isGlob(tag) ? tag : (normalizeTags([tag])[0] ?? '')))
  }
  if (selector.startsWith('$')) {
    rule.selects = 'library'
    return inside(1, () => compileGlob(selector.slice(1)))
  }
  return compileGlob(
    Object.hasOwn(FOREIGN_NAMES, selector) ? (FOREIGN_NAMES[selector] ?? selector) : selector,
  )
}

function readSpecs(rule: ToolRule, text: string, open: number): void {
  if (!text.endsWith(')')) throw new GlobProblem('"(" is not closed', open)
  const inner = text.slice(open + 1, -1)
  for (const { text: written, offset } of tokensOf(inner, /,/)) {
    const spec = written.trim()
    inside(open + 1 + offset, () => readSpec(rule, spec))
  }
}

function readSpec(rule: ToolRule, spec: string): void {
  if (spec.startsWith('$')) {
    const [name = '', value] = spec.slice(1).split('=', 2)
    rule.options[name] = checkOption(name, value)
    return
  }
  const [, path, glob] = /^([A-Za-z_][\w.[\]*"'-]*?)\s*=\s*(.*)$/s.exec(spec) ?? []
  if (path !== undefined && glob !== undefined)
    rule.arguments.push({ path, glob: compileGlob(unquoted(glob)) })
  else rule.keys.push(keyConstraint(unquoted(spec)))
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
  if (text.endsWith(':*') && !isGlob(text.slice(0, -2))) return { prefix: text.slice(0, -2) }
  return isGlob(text) ? { glob: compileGlob(text) } : { exact: text }
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
