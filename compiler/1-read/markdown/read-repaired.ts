import { limits } from '../../files/limits.js'
import { applyRepair, repairColon, type ValueRepair } from '../frontmatter/repair-colon.js'
import { readYaml, type YamlResult } from '../frontmatter/yaml.js'

export interface RepairedYaml {
  /** The author's text with the repairs made. */
  yaml: string
  /** The repairs, with offsets in the author's text. */
  repairs: ValueRepair[]
  result: YamlResult
  /** Converts an offset in `yaml` to one in the author's text. */
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

/** The number of characters by which repairs lengthen the text. */
function growth(repairs: ValueRepair[]): number {
  return repairs.reduce((sum, { start, end, replacement }) => sum + replacement.length - (end - start), 0)
}
