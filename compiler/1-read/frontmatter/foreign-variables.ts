import { isJsonObject, type JsonObject, type JsonValue } from '../../../src/base/json.js'
import { namesOurs } from '../../../src/content/interpolate.js'
import { CORE_METADATA_KEYS } from '../../../src/skill/metadata-keys.js'
import { type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'

const VARIABLE = /\\\$\{|\$ARGUMENTS\b|\$\{([^{}]*)\}/g

/** Finds variables of other hosts where they would not be filled in: in configuration and content. */
export function foreignVariables(
  verbatim: JsonObject,
  content: string,
  at: Locator,
  contentAt: (offset: number) => Place,
): Finding[] {
  const { metadata } = verbatim
  if (!isJsonObject(metadata)) return []
  const findings = Object.entries(metadata)
    .filter(([key]) => !key.startsWith('$') && !CORE_METADATA_KEYS.includes(key))
    .flatMap(([key, value]) => inValue(value, [key], at))
  if (metadata.interpolate === true) {
    for (const { variable, offset } of variablesIn(content))
      findings.push(finding('variable-foreign', contentAt(offset), variable))
  }
  return findings.slice(0, limits.findingsPerRule)
}

function inValue(value: JsonValue, path: (string | number)[], at: Locator): Finding[] {
  if (typeof value === 'string') {
    return variablesIn(value).map(({ variable, offset }) =>
      finding('variable-foreign', at.within(value, offset, 'metadata', ...path), variable),
    )
  }
  if (Array.isArray(value)) return value.flatMap((item, index) => inValue(item, [...path, index], at))
  if (!isJsonObject(value)) return []
  return Object.entries(value).flatMap(([key, item]) => inValue(item, [...path, key], at))
}

function variablesIn(text: string): { variable: string; offset: number }[] {
  if (!text.includes('$')) return []
  return [...text.matchAll(VARIABLE)].flatMap(({ 0: variable, 1: path, index }) =>
    variable === '$ARGUMENTS' || (path !== undefined && !namesOurs(path))
      ? [{ variable, offset: index }]
      : [],
  )
}
