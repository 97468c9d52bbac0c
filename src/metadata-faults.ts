import { annotationNested, inlineInterpolated } from './cascade-problems.js'
import type { CascadeProblem, CascadeTool } from './cascade-types.js'
import { isJsonObject, type JsonObject } from './json.js'
import { type JsonPlace, pathTo, placesIn } from './json-places.js'
import { isMetaKey } from './meta-key.js'

/** The `$` keys that are a JSON Schema's own. */
const SCHEMA_ANNOTATIONS = new Set([
  '$anchor',
  '$comment',
  '$defs',
  '$dynamicAnchor',
  '$dynamicRef',
  '$id',
  '$ref',
  '$resolve',
  '$schema',
  '$vocabulary',
])

/** Keys that show that a mapping is a JSON Schema. */
const SCHEMA_KEYWORDS = [
  'type',
  'properties',
  'items',
  'enum',
  'const',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'patternProperties',
  'additionalProperties',
  'prefixItems',
  'required',
  'format',
  'pattern',
]

/** The keys of a schema whose mappings are keyed by names, which may be any. */
const KEYED_BY_NAMES = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
])

/** An `inline://` reference with a `${` that no backslash escapes. */
const INTERPOLATED_INLINE = /^inline:\/\/[\s\S]*?(?<!\\)\$\{/

/** Finds what may not stand in metadata at any depth: `$` keys below the first level, `${…}` in inline code. */
export function valueFaults(tool: CascadeTool): CascadeProblem[] {
  const problems: CascadeProblem[] = []
  for (const [key, value] of Object.entries(tool.metadata)) {
    const isSchemaKey = key === 'params' || key === 'returns'
    const enter = (place: JsonPlace): boolean => !isSchemaKey && !isNestedAnnotation(place)
    for (const place of placesIn(value, key, enter)) {
      if (isNestedAnnotation(place)) problems.push(annotationNested(tool, pathTo(place)))
      if (typeof place.value === 'string' && INTERPOLATED_INLINE.test(place.value))
        problems.push(inlineInterpolated(tool, pathTo(place)))
    }
  }
  return problems
}

function isNestedAnnotation({ key, holder }: JsonPlace): boolean {
  if (holder === null || typeof key === 'number' || !isMetaKey(key)) return false
  if (typeof holder.key === 'string' && KEYED_BY_NAMES.has(holder.key) && isInSchema(holder.holder))
    return false
  return !(SCHEMA_ANNOTATIONS.has(key) && isInSchema(holder))
}

/** True for a mapping that reads as a JSON Schema, or lies in one. */
function isInSchema(place: JsonPlace | null): boolean {
  for (let at = place; at !== null; at = at.holder) {
    if (isJsonObject(at.value) && looksLikeSchema(at.value)) return true
    if (at.key === 'params' || at.key === 'returns') return true
  }
  return false
}

function looksLikeSchema(value: JsonObject): boolean {
  return (
    SCHEMA_KEYWORDS.some(keyword => Object.hasOwn(value, keyword)) ||
    Object.keys(value).every(key => SCHEMA_ANNOTATIONS.has(key))
  )
}
