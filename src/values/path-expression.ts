import { attempt } from '../base/attempt.js'
import { AgentAppsError } from '../base/error.js'
import { defineField } from '../base/json.js'
import { entriesOf, errorKeys, itemsOf, keysIn } from './look-into.js'

/** One step of a path expression. */
type Step =
  | { kind: 'key'; key: string }
  /** An index of an array; a negative one counts from the end. */
  | { kind: 'index'; index: number }
  /** Every value of an object or array. */
  | { kind: 'every' }
  /**
   * The value itself and every value below it, at any depth, also in maps, sets and the cause of an error.
   */
  | { kind: 'deep' }
  /** The items with a field of this value. */
  | { kind: 'where'; key: string; value: string }

/** Keys that could reach a prototype: they match nothing and are never created. */
const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor'])

/**
 * Returns the first value that a path expression finds among own properties; undefined without one.
 *
 * `a.b`, `a[0]`, `a[-1]`, `a["x.y"]`, `a[*]`, `a.*`, `a..b` (b at any depth), `a[?name=value]`
 *
 * @throws PATH_INVALID, with the column; LIMIT_EXCEEDED if it would look at too many values
 */
export function pathGet(object: unknown, expression: string): unknown {
  return firstFound(object, expression, { left: STEPS_MAX })
}

/** Returns the first value found, within steps that several searches share. Throws LIMIT_EXCEEDED. */
export function firstFound(object: unknown, expression: string, steps: StepsLeft): unknown {
  for (const place of find(object, parsePath(expression), steps)) return place.value
  return undefined
}

/** Returns all values that a path finds, in the order of the object. Throws PATH_INVALID, LIMIT_EXCEEDED. */
export function pathQuery(object: unknown, expression: string): unknown[] {
  return Array.from(find(object, parsePath(expression)), ({ value }) => value)
}

/** The values that may still be looked at. A shared value counts once for each path to it. */
export interface StepsLeft {
  left: number
}

const STEPS_MAX = 3_000_000

/**
 * Writes a value wherever a path expression finds something. A plain path is created as far as it is missing.
 *
 * @throws PATH_INVALID, also if a plain path leads to something that cannot be written
 */
export function pathSet(object: unknown, expression: string, value: unknown): void {
  const steps = parsePath(expression)
  const last = steps.pop()
  if (last === undefined) throw invalid(expression, 0, 'it names the object itself')
  const isPlain = steps.every(({ kind }) => kind === 'key' || kind === 'index')
  const parents = isPlain
    ? [makeParents(object, steps, last, expression)]
    : Array.from(find(object, steps), ({ value: parent }) => parent)
  for (const parent of parents) {
    const keys = keysOf(parent, last, true)
    if (keys.length === 0 && isPlain && (last.kind === 'key' || last.kind === 'index'))
      throw invalid(expression, 0, 'its last step cannot be written')
    for (const key of keys) write(parent as Record<string, unknown>, key, value)
  }
}

/** Deletes everything that a path expression finds; items are removed from arrays. Throws PATH_INVALID. */
export function pathRemove(object: unknown, expression: string): void {
  for (const [parent, keys] of pathPlaces(object, [expression])) {
    if (Array.isArray(parent)) removeItems(parent, keys)
    else for (const key of keys) delete (parent as Record<string, unknown>)[key]
  }
}

function removeItems(list: unknown[], indexes: ReadonlySet<string>): void {
  let kept = 0
  for (const [index, item] of list.entries()) if (!indexes.has(String(index))) list[kept++] = item
  list.length = kept
}

/** Returns the keys of an object under which expressions find something. Throws PATH_INVALID. */
export function pathKeys(object: Record<string, unknown>, expressions: readonly string[]): Set<string> {
  const parsed = expressions.map(parsePath)
  const steps: StepsLeft = { left: STEPS_MAX }
  const keys = keysOf(object, { kind: 'every' })
  return new Set(
    keys.filter(key => {
      const alone = { [key]: readOwn(object, key) }
      return parsed.some(path => !find(alone, path, steps).next().done)
    }),
  )
}

/** Reads a property of an object. */
type Read = (holder: object, key: string) => unknown

/** A property that throws when it is read counts as undefined. */
export const readOwn: Read = (holder, key) => attempt(() => (holder as Record<string, unknown>)[key])

/** The containers of the values that expressions find, each with their keys. Throws PATH_INVALID. */
export function pathPlaces(
  object: unknown,
  expressions: readonly string[],
  steps: StepsLeft = { left: STEPS_MAX },
  read: Read = readOwn,
): Map<object, Set<string>> {
  const places = new Map<object, Set<string>>()
  for (const path of expressions.map(parsePath)) {
    for (const { parent, key } of find(object, path, steps, read)) {
      if (parent) places.set(parent, (places.get(parent) ?? new Set()).add(key))
    }
  }
  return places
}

interface ValueNode {
  value: unknown
  parent?: Record<string, unknown> | unknown[]
  key: string
}

function find(
  object: unknown,
  path: readonly Step[],
  steps: StepsLeft = { left: STEPS_MAX },
  read: Read = readOwn,
): Generator<ValueNode> {
  const done = path.map(({ kind }) => (kind === 'key' || kind === 'index' ? null : new Set()))
  return walk({ value: object, key: '' }, { path, steps, read, done }, 0)
}

interface Search {
  path: readonly Step[]
  steps: StepsLeft
  read: Read
  /**
   * For each step with several paths, the objects that need not be searched again, so that paths that meet do
   * not multiply: for "any depth", all that were searched; for others, those in which nothing was found.
   */
  done: readonly (Set<unknown> | null)[]
}

function* walk(node: ValueNode, search: Search, at: number): Generator<ValueNode> {
  const step = search.path[at]
  if (step === undefined) yield node
  else if (step.kind === 'deep') {
    for (const inner of below(node, search, at)) yield* walk(inner, search, at + 1)
  } else if (!search.done[at]?.has(node.value)) {
    let isEmpty = true
    for (const key of foundKeys(node.value, step, search)) {
      for (const found of walk(child(node.value as object, key, search.read), search, at + 1)) {
        isEmpty = false
        yield found
      }
    }
    if (isEmpty) search.done[at]?.add(node.value)
  }
}

/** A place and all below it, each once, parents first. Not recursive, as the object may be of any depth. */
function* below(start: ValueNode, search: Search, at: number): Generator<ValueNode> {
  const { read, done } = search
  const open = [start]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place
    if (typeof value !== 'object' || value === null || done[at]?.has(value)) continue
    done[at]?.add(value)
    yield place
    const unnamed = unnamedIn(value)
    take(search.steps, unnamed.length)
    for (const item of unnamed) open.push({ value: read({ '': item }, ''), key: '' })
    for (const key of foundKeys(value, { kind: 'deep' }, search).reverse()) open.push(child(value, key, read))
  }
}

/** Returns the contents of a map or set, including the keys of the map. */
function unnamedIn(value: object): unknown[] {
  const read = (): unknown[] | undefined =>
    value instanceof Map ? entriesOf(value).flat() : value instanceof Set ? itemsOf(value) : undefined
  return attempt(read) ?? []
}

function child(holder: object, key: string, read: Read): ValueNode {
  return { value: read(holder, key), parent: holder as Record<string, unknown>, key }
}

/** Returns the keys that a step finds, among all that are examined for it. */
function foundKeys(value: unknown, step: Step, { read, steps }: Search): string[] {
  let reads = 1
  const keys = keysOf(value, step, false, (holder, key) => {
    reads++
    return read(holder, key)
  })
  take(steps, reads + keys.length)
  return keys
}

function take(steps: StepsLeft, count: number): void {
  steps.left -= count
  if (steps.left >= 0) return
  throw new AgentAppsError('LIMIT_EXCEEDED', 'A path expression looks at too many values.', {
    hint: 'Use a more specific expression, or a smaller value.',
  })
}

/** The own keys of a value that a step names. With `making`, a key or an index need not exist yet. */
function keysOf(value: unknown, step: Step, making = false, read = readOwn): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isNamed = (key: string): boolean => canBeNamed(value, key, making || step.kind === 'every')
  return attempt(() => namedKeys(value, step, read).filter(isNamed)) ?? []
}

function namedKeys(value: object, step: Step, read: Read): string[] {
  switch (step.kind) {
    case 'key':
      return [step.key]
    case 'index':
      return [String(Array.isArray(value) && step.index < 0 ? value.length + step.index : step.index)]
    case 'every':
      return keysIn(value)
    case 'where':
      return keysIn(value).filter(key => hasField(read(value, key), step, read))
    case 'deep':
      return value instanceof Error ? errorKeys(value) : keysIn(value)
  }
}

function canBeNamed(value: object, key: string, making: boolean): boolean {
  if (FORBIDDEN.has(key) || !(making || Object.hasOwn(value, key))) return false
  return !Array.isArray(value) || /^(?:0|[1-9]\d*)$/.test(key)
}

function hasField(item: unknown, { key, value }: { key: string; value: string }, read: Read): boolean {
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, key) || FORBIDDEN.has(key))
    return false
  const found = read(item, key)
  return (typeof found !== 'object' || found === null) && String(found) === value
}

/** Returns the value that a plain path leads to; creates it if it is missing. */
function makeParents(object: unknown, steps: readonly Step[], last: Step, expression: string): unknown {
  let parent: unknown = object
  for (const [at, step] of steps.entries()) {
    const [key] = keysOf(parent, step, true)
    if (key === undefined) throw invalid(expression, 0, `nothing can be written at its step ${at + 1}`)
    const holder = parent as Record<string, unknown>
    const next = Object.hasOwn(holder, key) ? holder[key] : undefined
    parent = next ?? emptyFor(steps[at + 1] ?? last)
    if (parent !== next) write(holder, key, parent)
  }
  return parent
}

function emptyFor(step: Step): unknown {
  return step.kind === 'index' ? [] : {}
}

/** The furthest that an index may be beyond an array's end, so that none can fill the memory. */
const GAP_MAX = 100_000

function write(parent: Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(parent) && Number(key) > parent.length + GAP_MAX) {
    throw new AgentAppsError('PATH_INVALID', `The index ${key} is too far beyond the array's end.`, {
      hint: 'Append to the array instead.',
    })
  }
  if (Object.hasOwn(parent, key)) parent[key] = value
  else defineField(parent, key, value)
}

const EXPRESSION_MAX = 1000

/** Returns why a string is not a valid path expression, and where; null for a valid one. */
export function pathProblem(expression: string): { message: string; offset: number } | null {
  const read = readPath(expression)
  return Array.isArray(read) ? null : read
}

function parsePath(expression: string): Step[] {
  const read = readPath(expression)
  if (Array.isArray(read)) return read
  throw invalid(expression, read.offset, read.message)
}

/** A key with the separator before it, or a bracket. */
const STEP =
  /(\.\.(?=\[))|(\.{0,2})([^.[\]\s"'()]+)|\[(?:(-?\d{1,9})|(\*)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\?\s*([^=\]\s]+)\s*=([^\]]*))\]/y

function readPath(expression: string): Step[] | { message: string; offset: number } {
  // Programs without type checks may pass anything.
  if (typeof expression !== 'string') return { message: 'it is not a string', offset: 0 }
  if (expression.length > EXPRESSION_MAX)
    return { message: `it is longer than ${EXPRESSION_MAX} characters`, offset: EXPRESSION_MAX }
  const steps: Step[] = []
  let at = 0
  while (at < expression.length) {
    STEP.lastIndex = at
    const match = STEP.exec(expression)
    if (match === null) {
      const [dots = ''] = /^\.{0,2}/.exec(expression.slice(at)) ?? []
      return { message: 'expected a key, [0], [-1], [*], ["key"] or [?key=value]', offset: at + dots.length }
    }
    const problem = misplaced(match, at)
    if (problem !== null) return { message: problem, offset: at }
    steps.push(...stepsOf(match))
    at = STEP.lastIndex
  }
  return steps
}

function misplaced([, , dots, name]: RegExpExecArray, at: number): string | null {
  if (name === undefined) return null
  if (at === 0) return dots === '.' ? 'it begins with "."' : null
  return dots === '' ? 'expected "." or "["' : null
}

function stepsOf([, deep, dots, name, index, every, double, single, key, value]: RegExpExecArray): Step[] {
  if (deep !== undefined) return [{ kind: 'deep' }]
  if (index !== undefined) return [{ kind: 'index', index: Number(index) }]
  if (every !== undefined) return [{ kind: 'every' }]
  if (key !== undefined && value !== undefined)
    return [{ kind: 'where', key, value: value.trim().replace(/^(["'])(.*)\1$/s, '$2') }]
  const quoted = double ?? single
  if (quoted !== undefined) return [{ kind: 'key', key: quoted.replace(/\\(.)/g, '$1') }]
  const named: Step = name === '*' ? { kind: 'every' } : { kind: 'key', key: name ?? '' }
  return dots === '..' ? [{ kind: 'deep' }, named] : [named]
}

function invalid(expression: string, offset: number, problem: string): AgentAppsError {
  return new AgentAppsError(
    'PATH_INVALID',
    `The path expression ${JSON.stringify(String(expression).slice(0, 100))} cannot be used, column ${offset + 1}: ${problem}.`,
    {
      hint: 'Write keys as a.b or a["b.c"], items as a[0] or a[-1], all as a[*], any depth as a..b.',
      position: { line: 1, column: offset + 1 },
    },
  )
}
