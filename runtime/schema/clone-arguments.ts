import { isJsonObject } from '../../src/base/json.js'
import type { InvokeOptions } from '../state/context.js'
import type { AgentPolicy } from '../state/policy.js'

const DEPTH_MAX = 1_000
/** Counts fields of objects and elements of arrays, holes included. */
const VALUES_MAX = 1_000_000

/** Arguments that could not be copied. The error is thrown once the tool is known. */
export class UncopiedArguments {
  constructor(
    /** The reason, as the predicate of a sentence about them. */
    readonly why: string,
    readonly cause?: unknown,
  ) {}
}

/**
 * Copies the objects and arrays of arguments, at any depth; functions, dates and instances of classes are shared with
 * the caller. Called before the first await, so that later changes by the caller have no effect.
 *
 * @param isAgents true for an agent's arguments, which must be plain: getters are refused, not called
 */
export function cloneArguments(value: unknown, isAgents = false): unknown {
  if (typeof value !== 'object' || value === null) return value
  try {
    return isEmpty(value) ? NONE : new Copier(isAgents).copy(value, 0)
  } catch (error) {
    return error instanceof UncopiedArguments ? error : new UncopiedArguments('cannot be read', error)
  }
}

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
    if (depth > DEPTH_MAX) throw new UncopiedArguments(`nest deeper than ${DEPTH_MAX} levels`)
    // Checked before copying: a sparse array may have any length.
    if (isList) this.take(value.length)
    if (this.isAgents && Object.values(Object.getOwnPropertyDescriptors(value)).some(({ get }) => get))
      throw new UncopiedArguments('hold a getter')
    // Spreading makes own properties of keys like `__proto__`, so that the assignments below call no setter.
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
    if (this.left < 0) throw new UncopiedArguments(`hold more than ${VALUES_MAX} values`)
  }
}

/** Copies a call's options, inherited and unknown ones included, so that later changes have no effect. */
export function ownOptions(options: InvokeOptions | undefined): InvokeOptions | undefined {
  if (!isJsonObject(options)) return options
  const own: InvokeOptions = {}
  for (const name in options) own[name as never] = options[name] as never
  own.policy = ownLimits(own.policy) as AgentPolicy | undefined
  return own
}

/** Copies a policy or an agent's options in the same way. Anything but an object is returned, to be refused by a check. */
export function ownLimits(limits: unknown): unknown {
  if (!isJsonObject(limits)) return limits
  const own: Record<string, unknown> = {}
  for (const name in limits) own[name] = cloneArguments(limits[name])
  return own
}
