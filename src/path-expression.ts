import { AgentAppsError } from './error.js'

/** One step of a path expression. */
type Step =
  | { kind: 'key'; key: string }
  /** A place in a list, from its end where negative. */
  | { kind: 'index'; index: number }
  /** Every value of a mapping or list. */
  | { kind: 'every' }
  /** The value itself and every value below it, at any depth. */
  | { kind: 'deep' }
  /** The items that have a field of this value. */
  | { kind: 'where'; key: string; value: string }

/** Keys that could reach a prototype: they match nothing and are never made. */
const FORBIDDEN = new Set(['__proto__', 'prototype', 'constructor'])

/**
 * The first value that a path expression finds; undefined where there is none. Only own properties count.
 *
 * `a.b`, `a[0]`, `a[-1]`, `a["x.y"]`, `a[*]`, `a.*`, `a..b` (b at any depth), `a[?name=value]`
 *
 * @throws PATH_INVALID, with the column, for what is no path expression
 */
export function pathGet(object: unknown, expression: string): unknown {
  for (const place of find(object, parsePath(expression))) return place.value
  return undefined
}

/** All values that a path expression finds, in the order of the object. Throws PATH_INVALID. */
export function pathQuery(object: unknown, expression: string): unknown[] {
  return [...find(object, parsePath(expression))].map(({ value }) => value)
}

/**
 * Writes a value at every place that a path expression names. Keys and places in lists that are missing on a plain
 * path are made: mappings, or lists for an index.
 *
 * @throws PATH_INVALID, also where the path goes through something that is no mapping or list
 */
export function pathSet(object: unknown, expression: string, value: unknown): void {
  const steps = parsePath(expression)
  const last = steps.pop()
  if (last === undefined) throw invalid(expression, 0, 'it names the object itself')
  for (const { value: parent } of findOrMake(object, steps, last, expression)) {
    for (const key of keysOf(parent, last, true)) write(parent as Record<string, unknown>, key, value)
  }
}

/** Deletes everything that a path expression finds; items of lists are taken out. Throws PATH_INVALID. */
export function pathRemove(object: unknown, expression: string): void {
  const places = [...find(object, parsePath(expression))].filter(({ parent }) => parent !== undefined)
  // From behind, so that taking an item out of a list moves none that is still to go.
  for (const { parent, key } of places.reverse()) {
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else if (parent) delete parent[key]
  }
}

/** The keys of an object that expressions begin with: those that they name, and those that a pattern finds. Throws PATH_INVALID. */
export function pathKeys(object: Record<string, unknown>, expressions: readonly string[]): Set<string> {
  const keys = new Set<string>()
  for (const expression of expressions) {
    const [first, ...rest] = parsePath(expression)
    if (first === undefined) continue
    for (const key of keysOf(object, first.kind === 'deep' ? { kind: 'every' } : first)) {
      const below = first.kind === 'deep' ? [first, ...rest] : rest
      if (first.kind !== 'deep' && rest.length === 0) keys.add(key)
      else if (rest.some(step => step.kind === 'key' && step.key === key) && first.kind === 'deep')
        keys.add(key)
      else if (!find(object[key], below).next().done) keys.add(key)
    }
  }
  return keys
}

/** The places that expressions find, as the objects that hold them with their keys. Throws PATH_INVALID. */
export function pathPlaces(object: unknown, expressions: readonly string[]): Map<object, Set<string>> {
  const places = new Map<object, Set<string>>()
  for (const expression of expressions) {
    for (const { parent, key } of find(object, parsePath(expression))) {
      if (parent) places.set(parent, (places.get(parent) ?? new Set()).add(key))
    }
  }
  return places
}

interface Place {
  value: unknown
  parent?: Record<string, unknown> | unknown[]
  key: string
}

function* find(object: unknown, steps: readonly Step[]): Generator<Place> {
  yield* walk({ value: object, key: '' }, steps, 0)
}

function* walk(place: Place, steps: readonly Step[], at: number): Generator<Place> {
  const step = steps[at]
  if (step === undefined) {
    yield place
    return
  }
  if (step.kind === 'deep') {
    for (const inner of below(place)) yield* walk(inner, steps, at + 1)
    return
  }
  for (const key of keysOf(place.value, step)) yield* walk(child(place.value, key), steps, at + 1)
}

/** A place and all below it, each once, parents first; with a stack of its own, however deep the object is. */
function* below(start: Place): Generator<Place> {
  const seen = new Set<unknown>()
  const open = [start]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    const { value } = place
    if (typeof value !== 'object' || value === null) continue
    if (seen.has(value)) continue
    seen.add(value)
    yield place
    const keys = keysOf(value, { kind: 'every' })
    for (const key of keys.reverse()) open.push(child(value, key))
  }
}

function child(value: unknown, key: string): Place {
  const parent = value as Record<string, unknown>
  return { value: parent[key], parent, key }
}

/** The own keys of a value that a step names. With `making`, a key and a place in a list need not be there yet. */
function keysOf(value: unknown, step: Step, making = false): string[] {
  if (typeof value !== 'object' || value === null) return []
  const isThere = (key: string): boolean => !FORBIDDEN.has(key) && (making || Object.hasOwn(value, key))
  switch (step.kind) {
    case 'key':
      return isThere(step.key) && !(Array.isArray(value) && !/^\d+$/.test(step.key)) ? [step.key] : []
    case 'index': {
      const index = Array.isArray(value) && step.index < 0 ? value.length + step.index : step.index
      return index >= 0 && isThere(String(index)) ? [String(index)] : []
    }
    case 'every':
      return Object.keys(value).filter(key => !FORBIDDEN.has(key))
    case 'where':
      return Object.keys(value).filter(key => !FORBIDDEN.has(key) && hasField(child(value, key).value, step))
    case 'deep':
      return []
  }
}

function hasField(item: unknown, { key, value }: { key: string; value: string }): boolean {
  if (typeof item !== 'object' || item === null || !Object.hasOwn(item, key) || FORBIDDEN.has(key))
    return false
  const found = (item as Record<string, unknown>)[key]
  return (typeof found !== 'object' || found === null) && String(found) === value
}

/** The parents that a value is to be written into, made where they are missing. */
function findOrMake(
  object: unknown,
  steps: readonly Step[],
  last: Step,
  expression: string,
): Iterable<Place> {
  let parent: unknown = object
  for (const [at, step] of steps.entries()) {
    if (step.kind !== 'key' && step.kind !== 'index') return find(object, steps)
    const [key] = keysOf(parent, step, true)
    if (key === undefined)
      throw invalid(expression, 0, `step ${at + 1} leads through something that is no mapping or list`)
    const next = Object.hasOwn(parent as object, key) ? (parent as Record<string, unknown>)[key] : undefined
    if (next === undefined || next === null)
      write(parent as Record<string, unknown>, key, emptyFor(steps[at + 1] ?? last))
    parent = (parent as Record<string, unknown>)[key]
  }
  if (typeof parent !== 'object' || parent === null)
    throw invalid(expression, 0, 'it leads through something that is no mapping or list')
  return [{ value: parent, key: '' }]
}

function emptyFor(step: Step): unknown {
  return step.kind === 'index' ? [] : {}
}

/** A list grows by one at a time, so that no index can fill the memory. */
const LIST_MAX = 100_000

function write(parent: Record<string, unknown>, key: string, value: unknown): void {
  if (Array.isArray(parent) && Number(key) > Math.max(parent.length, LIST_MAX)) {
    throw new AgentAppsError('PATH_INVALID', `The index ${key} is too far behind the list's end.`, {
      hint: 'Append to the list instead.',
    })
  }
  parent[key] = value
}

/** Reads a path expression into steps. */
function parsePath(expression: string): Step[] {
  const steps: Step[] = []
  let at = 0
  while (at < expression.length) {
    if (expression.startsWith('..', at)) {
      steps.push({ kind: 'deep' })
      at += 2
      if (expression[at] === '[') continue
    } else if (expression[at] === '.') {
      if (at === 0) throw invalid(expression, at, 'it begins with "."')
      at++
    } else if (expression[at] === '[') {
      at = readBracket(expression, at, steps)
      continue
    } else if (at > 0) throw invalid(expression, at, 'expected "." or "["')
    at = readName(expression, at, steps)
  }
  return steps
}

function readName(expression: string, at: number, steps: Step[]): number {
  const name = /^[^.[\]\s"']+/.exec(expression.slice(at))?.[0]
  if (name === undefined) throw invalid(expression, at, 'expected a key')
  steps.push(name === '*' ? { kind: 'every' } : { kind: 'key', key: name })
  return at + name.length
}

const BRACKET =
  /^\[(?:(-?\d{1,9})|(\*)|"((?:[^"\\]|\\.)*)"|'((?:[^'\\]|\\.)*)'|\?\s*([^=\]]+?)\s*=\s*([^\]]*?)\s*)\]/

function readBracket(expression: string, at: number, steps: Step[]): number {
  const [whole, index, every, double, single, key, value] = BRACKET.exec(expression.slice(at)) ?? []
  if (whole === undefined) throw invalid(expression, at, 'expected [0], [-1], [*], ["key"] or [?key=value]')
  const quoted = double ?? single
  if (index !== undefined) steps.push({ kind: 'index', index: Number(index) })
  else if (every !== undefined) steps.push({ kind: 'every' })
  else if (quoted !== undefined) steps.push({ kind: 'key', key: quoted.replace(/\\(.)/g, '$1') })
  else if (key !== undefined && value !== undefined)
    steps.push({ kind: 'where', key, value: value.replace(/^(["'])(.*)\1$/, '$2') })
  return at + whole.length
}

function invalid(expression: string, offset: number, problem: string): AgentAppsError {
  return new AgentAppsError(
    'PATH_INVALID',
    `The path expression ${JSON.stringify(expression.slice(0, 100))} cannot be read at column ${offset + 1}: ${problem}.`,
    {
      hint: 'Write keys as a.b or a["b.c"], places in lists as a[0] or a[-1], all as a[*], any depth as a..b.',
      position: { line: 1, column: offset + 1 },
    },
  )
}
