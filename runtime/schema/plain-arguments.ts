import { AgentAppsError } from '../../src/base/error.js'
import type { JsonValue } from '../../src/base/json.js'
import { notJson } from '../../src/values/not-json.js'
import type { ToolDef } from '../state/tool-def.js'

/** Levels of objects and arrays, and values, where one that stands in several places counts each time. */
const DEPTH_MAX = 1_000
const VALUES_MAX = 1_000_000

/**
 * An agent's arguments, of which the caller's own were copied, as plain JSON: what a person approves is then
 * all that the tool gets.
 *
 * @throws ARGS_INVALID for anything that JSON does not have
 */
export function plainArguments({ name }: ToolDef, given: unknown): JsonValue | undefined {
  if (given === undefined) return undefined
  const copier = new JsonCopier()
  try {
    return copier.copy(given)
  } catch (error) {
    if (!(error instanceof NotPlain)) throw error
    const at = copier.trail.length === 0 ? '' : ` at ${JSON.stringify(copier.trail.join('.'))}`
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" hold ${error.message}${at}.`, {
      hint: 'An agent gives plain JSON: objects, arrays, strings, finite numbers, true, false and null.',
      tool: name,
    })
  }
}

/** A copy of plain arguments that a tool may change. */
export function copyOfPlain(value: unknown): unknown {
  return value === undefined ? undefined : new JsonCopier().copy(value)
}

class NotPlain extends Error {}

class JsonCopier {
  /** The keys that lead to the value that is being copied. */
  readonly trail: string[] = []
  readonly #around = new Set<object>()
  #left = VALUES_MAX

  copy(value: unknown): JsonValue {
    const what = value === undefined ? 'undefined' : notJson(value)
    if (what !== null) throw new NotPlain(what)
    if (typeof value !== 'object' || value === null) return value as JsonValue
    if (this.#around.has(value)) throw new NotPlain('an object that holds itself')
    if (this.trail.length > DEPTH_MAX) throw new NotPlain(`more than ${DEPTH_MAX} levels`)
    this.#around.add(value)
    const copy = Array.isArray(value) ? this.#array(value) : this.#object(value)
    this.#around.delete(value)
    return copy
  }

  #array(items: readonly unknown[]): JsonValue[] {
    const copy: JsonValue[] = []
    for (let index = 0; index < items.length; index++) copy.push(this.#inside(String(index), items[index]))
    return copy
  }

  /** Without what is undefined, as JSON has it. Keys become properties of its own, whatever they are. */
  #object(object: object): JsonValue {
    const entries: [string, JsonValue][] = []
    for (const [key, item] of Object.entries(object))
      if (item !== undefined) entries.push([key, this.#inside(key, item)])
    return Object.fromEntries(entries)
  }

  #inside(key: string, item: unknown): JsonValue {
    if (--this.#left < 0) throw new NotPlain(`more than ${VALUES_MAX} values`)
    this.trail.push(key)
    const copy = this.copy(item)
    this.trail.pop()
    return copy
  }
}
