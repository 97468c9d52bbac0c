import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import { METADATA_STRING } from '../../../src/skill/metadata-keys.js'
import { type Finding, finding, type Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { wrongType } from './check-frontmatter.js'
import { boundBroken, offsetsIn, readYaml, type YamlProblem } from './yaml.js'

/**
 * Frontmatter whose `metadata` may hold keys in one string, as in the open specification it holds strings
 * only: `metadata: { agent-apps: "{ tags: [api], timeout: 5000 }" }`.
 */
interface MetadataRead {
  /** The frontmatter with the string's keys in the string's place. */
  value: JsonObject
  /** Finds places, including those inside the string. */
  at: Locator
  findings: Finding[]
  /** Why the skill does not load. */
  broken?: Finding
}

/** Reads the string of keys in `metadata`, where there is one. */
export function readMetadataString(verbatim: JsonObject, at: Locator): MetadataRead {
  const { metadata } = verbatim
  if (!isJsonObject(metadata) || !Object.hasOwn(metadata, METADATA_STRING))
    return { value: verbatim, at, findings: [] }
  const { [METADATA_STRING]: text, ...others } = metadata
  const without = { value: { ...verbatim, metadata: others }, at }
  const place = at.value('metadata', METADATA_STRING)
  const field = `metadata.${METADATA_STRING}`
  if (typeof text !== 'string')
    return { ...without, findings: [wrongType(at, text ?? null, 'a string', 'metadata', METADATA_STRING)] }
  const { value: inside, problem } = readMapping(text)
  if (problem?.rule === 'frontmatter-not-mapping') {
    const [found = ''] = problem.found
    return { ...without, findings: [finding('field-type', place, field, 'a mapping in a string', found)] }
  }
  const placeOf = (offset: number): Place => at.within(text, offset, 'metadata', METADATA_STRING)
  if (problem) {
    const broken = finding(problem.rule, placeOf(problem.offset), ...problem.found)
    return { ...without, findings: [], broken }
  }
  const inner = locatorInside(text, inside, at, placeOf)
  const twice = Object.keys(inside).find(key => Object.hasOwn(others, key))
  if (twice !== undefined) {
    const broken = finding('metadata-key-twice', inner.key('metadata', twice), twice)
    return { ...without, findings: [], broken }
  }
  // Middleware runs in the order of the keys.
  const entries = Object.entries(metadata).flatMap(([key, value]) =>
    key === METADATA_STRING ? Object.entries(inside) : [[key, value] as const],
  )
  const value = { ...verbatim, metadata: Object.fromEntries(entries) }
  const bound = boundBroken(value)
  return { value, at: inner, findings: [], ...(bound && { broken: finding(bound, place) }) }
}

function readMapping(text: string): { value: JsonObject; problem?: YamlProblem } {
  // The fences that frontmatter is read between would end at such a line.
  const marker = text.search(/^(?:---|\.\.\.)/m)
  const { value = {}, problem } = marker === -1 ? readYaml(text) : { problem: notOneDocument(marker) }
  return { value, ...(problem && { problem }) }
}

function notOneDocument(offset: number): YamlProblem {
  return { rule: 'yaml-syntax', offset, found: ['expected a single document in the string'] }
}

/** Finds places as `at` does, and those inside the string. */
function locatorInside(
  text: string,
  inside: JsonObject,
  at: Locator,
  placeOf: (offset: number) => Place,
): Locator {
  const offsets = offsetsIn(text)
  const offsetOf = scalarOffsets(text)
  const isInside = (field: string, [key]: (string | number)[]): boolean =>
    field === 'metadata' && key !== undefined && Object.hasOwn(inside, key)
  return {
    key: (field, ...path) =>
      isInside(field, path) ? placeOf(offsets.key(path) ?? 0) : at.key(field, ...path),
    value: (field, ...path) =>
      isInside(field, path) ? placeOf(offsets.value(path) ?? 0) : at.value(field, ...path),
    within: (value, offset, field, ...path) =>
      isInside(field, path)
        ? placeOf(offsetOf(offsets.value(path) ?? 0, value, offset))
        : at.within(value, offset, field, ...path),
  }
}

/**
 * Returns a function that converts an offset in the value of a scalar that begins at `start` to an offset in
 * the YAML. Line breaks and indentation are followed; after an escape the scalar's own offset is returned. It
 * continues from the last position, since a value may be long and have many offsets to convert.
 */
export function scalarOffsets(yaml: string): (start: number, value: string, offset: number) => number {
  let last = { start: -1, value: '', index: 0, at: 0 }
  return (start, value, offset) => {
    if (last.start !== start || last.value !== value || offset < last.index)
      last = { start, value, index: 0, at: contentStart(yaml, start) }
    for (; last.index < Math.min(offset, value.length) + 1; last.index++) {
      const character = value.charAt(last.index)
      while (yaml.charAt(last.at) !== character && /\s/.test(yaml.charAt(last.at))) last.at++
      if (last.index === offset) break
      if (yaml.charAt(last.at) === character) last.at++
      // A line break that was folded to a space may have no space.
      else if (!/\s/.test(character)) return start
    }
    return last.at
  }
}

/** Behind a quote, or on the line below the header of a block scalar. */
function contentStart(yaml: string, start: number): number {
  const first = yaml.charAt(start)
  if (first === '"' || first === "'") return start + 1
  if (first !== '|' && first !== '>') return start
  const newline = yaml.indexOf('\n', start)
  return newline === -1 ? yaml.length : newline + 1
}
