import type { ToolDetails, ToolRecord } from '../src/index-format.js'
import type { Finding, Place } from './diagnostics.js'

/** A skill file between the phases: what was read of it, or what an earlier compile read and this one need not. */
export interface SkillUnit {
  /** Relative to the entry, `/`-separated. */
  path: string
  /** Digest of what the file's surroundings say of it: place, resources. */
  shape: string
  size: number
  sha256: string
  tools: UnitTool[]
  /** Names that would be tools, were they not broken. */
  broken: { name: string; finding: Finding }[]
  findings: Finding[]
}

export interface UnitTool {
  name: string
  /** Where its name stands in the file. */
  place: Place
  /** True where the last compile wrote its records, and they still hold. */
  written?: boolean
  /** Its records, where they were made anew. */
  fresh?: { record: ToolRecord; details: ToolDetails }
}
