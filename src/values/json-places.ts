import type { JsonObject, JsonValue } from '../base/json.js'

/** A value inside another one, with the path to it. */
export interface JsonNode {
  value: JsonValue
  key: string | number
  /** Null for the outermost. */
  holder: JsonNode | null
}

/**
 * Iterates over a value and all values inside it, containers first, in the order in which they were written,
 * at any depth. Nothing inside a place is visited if `enter` returns false.
 */
export function* placesIn(
  value: JsonValue,
  key: string | number,
  enter: (place: JsonNode) => boolean = () => true,
): Generator<JsonNode> {
  const open: JsonNode[] = [{ value, key, holder: null }]
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    if (typeof place.value !== 'object' || place.value === null || !enter(place)) continue
    for (const inner of Object.keys(place.value).reverse()) open.push(childOf(place, place.value, inner))
  }
}

/** Returns the keys and indexes that lead to a place. */
export function pathTo(place: JsonNode): (string | number)[] {
  const path: (string | number)[] = []
  for (let at: JsonNode | null = place; at !== null; at = at.holder) path.push(at.key)
  return path.reverse()
}

function childOf(holder: JsonNode, object: JsonObject | JsonValue[], key: string): JsonNode {
  const value = Array.isArray(object) ? object[Number(key)] : object[key]
  return { value: value ?? null, key: Array.isArray(object) ? Number(key) : key, holder }
}
