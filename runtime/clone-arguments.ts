import { AgentAppsError } from '../src/error.js'

/** Deeper levels are the caller's; no schema lets them through. */
const DEPTH_MAX = 400
/** Values of mappings and places of lists, holes counted, that are copied. */
const VALUES_MAX = 1_000_000

/**
 * A copy of arguments: their mappings and lists, at any depth. What is neither, like a function, a date or an
 * instance of a class, stays the caller's.
 *
 * @throws ARGS_INVALID for what is too large, and for what throws when it is read
 */
export function cloneArguments(value: unknown, tool: string): unknown {
  try {
    return new Copier().copy(value, 0)
  } catch (error) {
    const why = error === TOO_LARGE ? `hold more than ${VALUES_MAX} values` : 'cannot be read'
    throw new AgentAppsError('ARGS_INVALID', `The arguments of "${tool}" ${why}.`, {
      hint: 'Give plain data, as JSON has it, and less of it where it is much.',
      tool,
      cause: error === TOO_LARGE ? undefined : error,
    })
  }
}

const TOO_LARGE = new Error()

class Copier {
  readonly #copies = new Map<unknown, unknown>()
  #left = VALUES_MAX

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null || depth > DEPTH_MAX) return value
    const known = this.#copies.get(value)
    if (known !== undefined) return known
    const isList = Array.isArray(value)
    const prototype = isList ? null : Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) return value
    // Before it is copied: a list with one item can be as long as memory.
    if (isList) this.#take(value.length)
    // Spreading makes own properties, whatever the keys are; after that, assigning meets no setter.
    const copy = (isList ? [...value] : { ...value }) as Record<string, unknown>
    this.#copies.set(value, copy)
    const keys = Object.keys(copy)
    if (!isList) this.#take(keys.length)
    for (const key of keys) {
      const item = copy[key]
      if (typeof item === 'object' && item !== null) copy[key] = this.copy(item, depth + 1)
    }
    return copy
  }

  #take(values: number): void {
    this.#left -= values
    if (this.#left < 0) throw TOO_LARGE
  }
}
