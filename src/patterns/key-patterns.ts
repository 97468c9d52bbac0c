import type { JsonObject, JsonValue } from '../base/json.js'
import { pathKeys, pathProblem, pathRemove } from '../values/path-expression.js'
import { compileGlob, GlobProblem, isGlob } from './glob.js'
import { matchGlob } from './match-glob.js'

/** A pattern for keys of `metadata`: a key, a glob over keys, or a path expression into the value of one. */
export interface KeyPattern {
  text: string
  /** Absent for a path expression. */
  matches?: (key: string) => boolean
}

/**
 * Reads a pattern. One with `.` or `[` that parses as a path expression is a path expression; any other is a glob.
 *
 * @returns the pattern, or why it is invalid
 */
export function readKeyPattern(text: string): KeyPattern | string {
  const pathFault = /[.[]/.test(text) ? pathProblem(text) : undefined
  if (pathFault === null) return { text }
  if (text === '') return 'it is empty'
  if (!isGlob(text)) return pathFault?.message ?? { text, matches: key => key === text }
  try {
    const glob = compileGlob(text)
    // A key is not a path: one that is "" or ".." is a key like any other.
    return { text, matches: key => matchGlob(glob, key, { anySegment: true }) }
  } catch (error) {
    if (error instanceof GlobProblem) return pathFault?.message ?? error.message
    throw error
  }
}

/** True where a pattern names a key, or finds something in its value. */
export function namesKey({ text, matches }: KeyPattern, key: string, value: JsonValue): boolean {
  // A key may contain a dot.
  if (matches || key === text) return matches?.(key) ?? true
  return pathKeys(Object.fromEntries([[key, value]]), [text]).size > 0
}

/**
 * The rest of a key's value without the parts that a pattern names; undefined if nothing is left. The value
 * itself is not changed.
 */
export function removeFrom(pattern: KeyPattern, key: string, value: JsonValue): JsonValue | undefined {
  if (!namesKey(pattern, key, value)) return value
  if (pattern.matches || key === pattern.text) return undefined
  const holder: JsonObject = Object.fromEntries([[key, copyOf(value)]])
  pathRemove(holder, pattern.text)
  return Object.hasOwn(holder, key) ? holder[key] : undefined
}

/** A deep copy that does not recurse. */
function copyOf(value: JsonValue): JsonValue {
  const holder = [value]
  const open: (JsonObject | JsonValue[])[] = [holder]
  for (let object = open.pop(); object !== undefined; object = open.pop()) {
    // The key is an own property already, so no prototype is consulted.
    for (const key of Object.keys(object)) {
      const inner = (object as JsonObject)[key] ?? null
      if (typeof inner !== 'object' || inner === null) continue
      const copy = Array.isArray(inner) ? [...inner] : { ...inner }
      ;(object as JsonObject)[key] = copy
      open.push(copy)
    }
  }
  return holder[0] ?? null
}
