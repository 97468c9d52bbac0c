import { isJsonObject, type JsonValue } from '../base/json.js'
import { guardFaults, isGuard } from '../policy/guards.js'
import { isMetaKey } from '../skill/metadata-keys.js'
import { isInterpolatedInline } from '../skill/reference.js'
import { type JsonNode, pathTo, placesIn } from '../values/json-places.js'
import { annotationNested, guardInvalid, inlineInterpolated } from './problems.js'
import type { CascadeProblem, CascadeTool } from './types.js'

/** The `$` keys that belong to JSON Schema. */
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

/** Keys that identify an object as a JSON Schema. */
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

/** The schema keys whose objects have arbitrary names as keys. */
const KEYED_BY_NAMES = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'definitions',
  '$defs',
])

/**
 * Finds faults in metadata: unreadable guards, and, at any depth, `$` keys below the
 * first level and `${…}` in inline code.
 */
export function valueFaults(tool: CascadeTool): CascadeProblem[] {
  const problems: CascadeProblem[] = []
  for (const [key, value] of Object.entries(tool.metadata)) {
    // A tool's own schemas are checked by the schema validator.
    if (key === 'params' || key === 'returns') continue
    if (isGuard(key)) problems.push(...guardFaults(key, value).map(fault => guardInvalid(tool, fault)))
    /** The objects that are recognized as a JSON Schema, and everything in them. */
    const schemas = new Set<JsonNode>()
    const isNested = (place: JsonNode): boolean => isNestedAnnotation(place, schemas)
    for (const place of placesIn(value, key, inner => !isNested(inner))) {
      if (isNested(place)) problems.push(annotationNested(tool, pathTo(place)))
      else if (isInSchema(place, schemas)) schemas.add(place)
      if (typeof place.value === 'string' && isInterpolatedInline(place.value))
        problems.push(inlineInterpolated(tool, pathTo(place)))
    }
  }
  return problems
}

/** True for a key and a value that cannot have such a fault: nothing nested, no reference, no guard. */
export function isSurelySound(key: string, value: JsonValue): boolean {
  if (isGuard(key)) return value === null
  return typeof value === 'string' ? !value.startsWith('inline://') : typeof value !== 'object'
}

function isInSchema({ key, value, holder }: JsonNode, schemas: ReadonlySet<JsonNode>): boolean {
  if (key === 'params' || key === 'returns' || (holder && schemas.has(holder))) return true
  return (
    isJsonObject(value) &&
    (SCHEMA_KEYWORDS.some(keyword => Object.hasOwn(value, keyword)) ||
      Object.keys(value).every(name => SCHEMA_ANNOTATIONS.has(name)))
  )
}

function isNestedAnnotation({ key, holder }: JsonNode, schemas: ReadonlySet<JsonNode>): boolean {
  if (holder === null || typeof key === 'number' || !isMetaKey(key)) return false
  return !schemas.has(holder) || !(SCHEMA_ANNOTATIONS.has(key) || KEYED_BY_NAMES.has(String(holder.key)))
}
