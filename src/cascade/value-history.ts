import type { JsonValue } from '../base/json.js'
import type { EffectiveValue, ValueOrigin } from './types.js'

/**
 * A value of a layer, and who wrote it. The values that it overrides hang below it and are shared, so that a
 * value that ten thousand tools pass on costs each of them one step. The array of origins is created only
 * when it is read.
 */
export interface HeldValue {
  value: JsonValue
  /** The strongest origin. */
  from: ValueOrigin
  /** The two values that were joined, if there was more than one. */
  joined?: { strong: HeldValue; weak: HeldValue }
  /** Its public form. Tools share it. */
  effective?: EffectiveValue
}

/** Returns a value in its public form. */
export function effectiveValue(held: HeldValue): EffectiveValue {
  held.effective ??= held.joined ? withOverrides(held) : { value: held.value, from: held.from, overrides: [] }
  return held.effective
}

function withOverrides(held: HeldValue): EffectiveValue {
  let overrides: ValueOrigin[] | undefined
  return {
    value: held.value,
    from: held.from,
    get overrides() {
      overrides ??= originsOf(held).slice(1)
      return overrides
    },
  }
}

/**
 * Returns all origins, the strongest first. Two bases can have one base in common: each origin counts once.
 */
function originsOf(held: HeldValue): ValueOrigin[] {
  const origins = new Set<ValueOrigin>()
  const seen = new Set<HeldValue>()
  const open = [held]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if (next.joined) open.push(next.joined.weak, next.joined.strong)
    else origins.add(next.from)
  }
  return [...origins]
}
