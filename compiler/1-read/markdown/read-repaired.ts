import type { Place } from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'
import { scalarOffsets } from '../frontmatter/metadata-string.js'
import { applyRepair, repairColon, type ValueRepair } from '../frontmatter/repair-colon.js'
import { keyFinder, offsetsIn, readYaml, type YamlResult } from '../frontmatter/yaml.js'
import type { DecodedText } from './decode.js'
import type { Block } from './split-file.js'

export interface RepairedYaml {
  yaml: string
  /** The repairs, with offsets in the author's YAML. */
  repairs: ValueRepair[]
  result: YamlResult
  /** Converts an offset in `yaml` to one in the author's YAML. */
  written: (offset: number) => number
}

/** Reads YAML, and repairs unquoted colons one by one for as long as such a colon is the fault. */
export function readRepaired(source: string): RepairedYaml {
  const repairs: ValueRepair[] = []
  let yaml = source
  const written = (offset: number): number =>
    repairs.reduceRight((at, { start, end, replacement }, index) => {
      const moved = start + growth(repairs.slice(0, index))
      return at < moved + replacement.length ? at : at - (replacement.length - (end - start))
    }, offset)
  for (;;) {
    const result = readYaml(yaml)
    const repair = result.problem?.rule === 'yaml-syntax' ? repairColon(yaml, result.problem.offset) : null
    if (repair === null || repairs.length === limits.repairs) return { yaml, repairs, result, written }
    yaml = applyRepair(yaml, repair)
    // YAML is read from the top, so every repair so far lies before this one.
    const moved = growth(repairs)
    repairs.push({ ...repair, start: repair.start - moved, end: repair.end - moved })
  }
}

/** The number of characters that repairs add. */
function growth(repairs: ValueRepair[]): number {
  return repairs.reduce((sum, { start, end, replacement }) => sum + replacement.length - (end - start), 0)
}

/** Finds places of keys and values in the author's file; of the opening fence where a key is missing. */
export function locator(
  { text, placeAt }: DecodedText,
  block: Block,
  { yaml, written }: RepairedYaml,
): Locator {
  const source = text.slice(block.yamlStart, block.yamlEnd)
  const offsets = offsetsIn(yaml)
  const keyOffsets = keyFinder(source)
  const place = (offset: number | undefined): Place =>
    placeAt(offset === undefined ? openingFence(text, block) : block.yamlStart + offset)
  const valueOffset = (field: string, ...inside: (string | number)[]): number | undefined => {
    const found = inside.length === 0 ? keyOffsets(field)?.value : undefined
    const located = found ?? offsets.value([field, ...inside])
    return found ?? (located === null ? keyOffsets(field)?.key : written(located))
  }
  const offsetOf = scalarOffsets(source)
  return {
    key: (field, ...inside) => {
      const located = inside.length === 0 ? null : offsets.key([field, ...inside])
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
