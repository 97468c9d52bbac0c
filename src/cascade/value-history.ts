import type { JsonValue } from '../base/json.js'
import type { EffectiveValue, ValueOrigin } from './types.js'

/**
 * A value of a layer, with who wrote it. What it overrides hangs below it and is shared, so that a value that
 * ten thousand tools hand on costs each of them one step; the list of origins is made only for who asks.
 */
export interface HeldValue {
  value: JsonValue
  /** The strongest origin. */
  from: ValueOrigin
  /** What was joined, where that was more than one value. */
  joined?: { strong: HeldValue; weak: HeldValue }
  /** As it is given out. Tools share it. */
  effective?: EffectiveValue
}

/** A value as it is given out. */
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

/** All origins, strongest first. Two bases can have one base in common: each origin counts once. */
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
