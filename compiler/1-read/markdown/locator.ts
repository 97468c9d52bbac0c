import type { Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { scalarOffsets } from '../frontmatter/metadata-string.js'
import { keyFinder } from '../frontmatter/top-level-keys.js'
import { type Offsets, offsetsIn } from '../frontmatter/yaml.js'
import type { DecodedText } from './decode.js'
import type { RepairedYaml } from './read-repaired.js'
import type { Block } from './split-file.js'

/** Finds places of keys and values in the author's file; of the opening fence where a key is missing. */
export function locator(
  { text, placeAt }: DecodedText,
  block: Block,
  { yaml, written }: RepairedYaml,
): Locator {
  const source = text.slice(block.yamlStart, block.yamlEnd)
  let parsed: Offsets | undefined
  const offsets = (): Offsets => {
    parsed ??= offsetsIn(yaml)
    return parsed
  }
  const keyOffsets = keyFinder(source)
  const place = (offset: number | undefined): Place =>
    placeAt(offset === undefined ? openingFence(text, block) : block.yamlStart + offset)
  const valueOffset = (field: string, ...inside: (string | number)[]): number | undefined => {
    const found = inside.length === 0 ? keyOffsets(field)?.value : undefined
    const located = found ?? offsets().value([field, ...inside])
    return found ?? (located === null ? keyOffsets(field)?.key : written(located))
  }
  const offsetOf = scalarOffsets(source)
  return {
    key: (field, ...inside) => {
      const located = inside.length === 0 ? null : offsets().key([field, ...inside])
      return place(located === null ? keyOffsets(field)?.key : written(located))
    },
    value: (field, ...inside) => place(valueOffset(field, ...inside)),
    within: (value, offset, field, ...inside) => {
      const start = valueOffset(field, ...inside)
      return place(start === undefined ? start : offsetOf(start, value, offset))
    },
  }
}

function openingFence(text: string, { yamlStart }: Block): number {
  return yamlStart === 0 ? 0 : text.lastIndexOf('---', yamlStart - 1)
}
