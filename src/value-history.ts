import type { EffectiveValue, ValueOrigin } from './cascade-types.js'
import type { JsonValue } from './json.js'

/**
 * Who wrote a value: one origin, or a stronger history over a weaker one. Joining shares both, so that a value that
 * ten thousand tools hand on costs each of them one step; the list of origins is made only for who asks.
 */
export type History = ValueOrigin | { stronger: History; weaker: History; from: ValueOrigin }

/** A value of a layer, with who wrote it. */
export interface HeldValue {
  value: JsonValue
  history: History
}

/** Puts a history over another. */
export function over(stronger: History, weaker: History): History {
  return { stronger, weaker, from: strongest(stronger) }
}

/** A held value as it is given out. What it overrides is listed when it is first read. */
export function effectiveValue({ value, history }: HeldValue): EffectiveValue {
  const from = strongest(history)
  if (from === history) return { value, from, overrides: [] }
  let overrides: ValueOrigin[] | undefined
  return {
    value,
    from,
    get overrides() {
      overrides ??= originsOf(history).slice(1)
      return overrides
    },
  }
}

function strongest(history: History): ValueOrigin {
  return 'stronger' in history ? history.from : history
}

/** All origins, strongest first. Histories can meet again (two bases of one base): each counts once. */
function originsOf(history: History): ValueOrigin[] {
  const origins = new Set<ValueOrigin>()
  const seen = new Set<History>()
  const open = [history]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue
    seen.add(next)
    if ('stronger' in next) open.push(next.weaker, next.stronger)
    else origins.add(next)
  }
  return [...origins]
}
