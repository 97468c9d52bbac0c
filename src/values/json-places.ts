import type { JsonObject, JsonValue } from '../base/json.js'

/** A value inside another one, with the path to it. */
export interface JsonPlace {
  value: JsonValue
  key: string | number
  /** Null for the outermost. */
  holder: JsonPlace | null
}

/**
 * Iterates over a value and all values inside it, containers first, in the order in which they were written,
 * at any depth. Nothing inside a place is visited if `enter` returns false.
 */
export function* placesIn(
  value: JsonValue,
  key: string | number,
  enter: (place: JsonPlace) => boolean = () => true,
): Generator<JsonPlace> {
  const open: JsonPlace[] = [{ value, key, holder: null }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    if (typeof place.value !== 'object' || place.value === null || !enter(place)) continue
    for (const inner of Object.keys(place.value).reverse()) open.push(childOf(place, place.value, inner))
  }
}

/** Returns the keys and indexes that lead to a place. */
export function pathTo(place: JsonPlace): (string | number)[] {
  const path: (string | number)[] = []
  for (let at: JsonPlace | null = place; at !== null; at = at.holder) path.push(at.key)
  return path.reverse()
}

function childOf(holder: JsonPlace, object: JsonObject | JsonValue[], key: string): JsonPlace {
  const value = Array.isArray(object) ? object[Number(key)] : object[key]
  return { value: value ?? null, key: Array.isArray(object) ? Number(key) : key, holder }
}
