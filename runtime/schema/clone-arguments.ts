import { isJsonObject } from '../../src/base/json.js'
import type { InvokeOptions } from '../state/context.js'
import type { AgentPolicy } from '../state/policy.js'

/** Levels of objects and arrays that are copied. */
const DEPTH_MAX = 1_000
/** Values of objects and places of arrays, holes counted, that are copied. */
const VALUES_MAX = 1_000_000

/** Arguments that could not be copied; who knows the tool that they were for says so. */
export class UncopiedArguments {
  constructor(
    /** Why, as the end of a sentence about them. */
    readonly why: string,
    readonly cause: unknown,
  ) {}
}

/**
 * Copies the objects and arrays of arguments, at any depth; functions, dates and instances of classes stay
 * the caller's. Called before anything is awaited, so that what the caller changes later is its own.
 *
 * @param isAgents true where an agent gives them, which must be plain: getters are refused, not read
 */
export function cloneArguments(value: unknown, isAgents = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  try {
    return isEmpty(value) ? NONE : new Copier(isAgents).copy(value, 0)
  } catch (error) {
    return error instanceof Refused
      ? new UncopiedArguments(error.message, undefined)
      : new UncopiedArguments('cannot be read', error)
  }
}

class Refused extends Error {}

/** The commonest arguments, which need no copy. */
const NONE = Object.freeze({})

function isEmpty(value: object): boolean {
  for (const _ in value) return false
  return Object.getPrototypeOf(value) === Object.prototype
}

class Copier {
  private readonly copies = new Map<unknown, unknown>()
  private left = VALUES_MAX

  constructor(private readonly isAgents: boolean) {}

  copy(value: unknown, depth: number): unknown {
    if (typeof value !== 'object' || value === null) return value
    const known = this.copies.get(value)
    if (known !== undefined) return known
    const isList = Array.isArray(value)
    const prototype = isList ? null : Object.getPrototypeOf(value)
    if (prototype !== null && prototype !== Object.prototype) return value
    if (depth > DEPTH_MAX) throw new Refused(`nest deeper than ${DEPTH_MAX} levels`)
    // Before it is copied: a list with one item can be as long as memory.
    if (isList) this.take(value.length)
    if (this.isAgents && Object.values(Object.getOwnPropertyDescriptors(value)).some(({ get }) => get))
      throw new Refused('hold a getter')
    // Spreading makes own properties, whatever the keys are; after that, assigning meets no setter.
    const copy = (isList ? [...value] : { ...value }) as Record<string, unknown>
    this.copies.set(value, copy)
    const keys = Object.keys(copy)
    if (!isList) this.take(keys.length)
    for (const key of keys) {
      const item = copy[key]
      if (typeof item === 'object' && item !== null) copy[key] = this.copy(item, depth + 1)
    }
    return copy
  }

  private take(values: number): void {
    this.left -= values
    if (this.left < 0) throw new Refused(`hold more than ${VALUES_MAX} values`)
  }
}

/** Copies a call's options, inherited and unknown ones included, so that later changes do not reach it. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  if (!isJsonObject(options)) return options
  const own: InvokeOptions = {}
  for (const name in options) own[name as never] = options[name] as never
  own.policy = ownLimits(own.policy) as AgentPolicy | undefined
  return own
}

/** Copies a policy, or an agent's options, likewise. What is not an object is left for a check to refuse. */
export function ownLimits(limits: unknown): unknown {
  if (!isJsonObject(limits)) return limits
  const own: Record<string, unknown> = {}
  for (const name in limits) own[name] = cloneArguments(limits[name])
  return own
}
