import type { JsonObject, JsonValue } from 'agent-apps'

/** A value with one field that was damaged, and how. */
export interface Damage {
  what: string
  value: JsonValue
}

/**
 * A value once for each field of it, at any depth, and each way to damage it: missing, of another type, empty, an
 * unknown word, one bit flipped.
 *
 * @param isWhole otherwise each field is missing, and damaged in one other way that differs from field to field
 */
export function damagesOf(value: JsonValue, isWhole: boolean): Damage[] {
  return placesIn(value).flatMap((path, number) => {
    const [missing, ...others] = waysOf(value, path)
    const chosen = isWhole ? others : others.slice((number * 7) % others.length).slice(0, 1)
    return missing === undefined ? chosen : [missing, ...chosen]
  })
}

type Path = readonly (string | number)[]

function placesIn(value: JsonValue, path: Path = []): Path[] {
  const inside =
    typeof value === 'object' && value !== null
      ? Object.entries(value).flatMap(([key, one]) => placesIn(one, [...path, key]))
      : []
  return path.length === 0 ? inside : [path, ...inside]
}

function waysOf(value: JsonValue, path: Path): Damage[] {
  const [key, parent] = [path.at(-1) as string, path.slice(0, -1)]
  const made = (what: string, change: (holder: JsonObject) => void): Damage[] => {
    const copy = structuredClone(value)
    change(at(copy, parent) as JsonObject)
    const isChanged = JSON.stringify(copy) !== JSON.stringify(value)
    return isChanged ? [{ what: `${path.join('.')} ${what}`, value: copy }] : []
  }
  const set = (what: string, one: JsonValue): Damage[] =>
    made(what, holder => {
      holder[key] = one
    })
  return [
    ...made('missing', holder => {
      delete holder[key]
    }),
    ...[null, true, false, 0, 7, [], {}, ['allow-once']].flatMap(one =>
      set(`is ${JSON.stringify(one)}`, one),
    ),
    ...set('is empty', ''),
    ...['den', 'maybe', 'ALLOW-ONCE', 'allow', 'answered'].flatMap(word => set(`is ${word}`, word)),
    ...flipped(at(value, path)).flatMap(one => set(`is ${JSON.stringify(one)}`, one)),
  ]
}

function at(value: JsonValue, path: Path): JsonValue {
  return path.reduce<JsonValue>((one, key) => (one as JsonObject)[key] as JsonValue, value)
}

/** A text with one bit flipped, at each of its first and last characters; a number likewise. */
function flipped(value: JsonValue): JsonValue[] {
  if (typeof value === 'number') return [value + 1, value - 1, value ^ 4, value * 2]
  if (typeof value !== 'string') return []
  const places = [...value].map((_, place) => place).filter(place => place < 12 || place > value.length - 4)
  return places.map(place => {
    const bit = String.fromCharCode(value.charCodeAt(place) ^ (1 << (place % 5)))
    return value.slice(0, place) + bit + value.slice(place + 1)
  })
}
