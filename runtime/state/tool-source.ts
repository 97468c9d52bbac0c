import type { JsonObject } from '../../src/base/json.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import type { Found } from './directory-state.js'
import type { ToolDef } from './tool-def.js'

/** Where each tool's record stands, for what is asked of it later. */
const sources = new WeakMap<ToolDef, ToolSource>()

/** A tool's record, and what else its directory says of it. */
export interface ToolSource extends Found {
  record: ToolRecord
  /** The author's frontmatter, where only running the code told all of it. */
  verbatim?: JsonObject
}

export function keepSource(tool: ToolDef, source: ToolSource): void {
  sources.set(tool, source)
}

/** Where a tool that this copy of the package made was read. */
export function sourceOf(tool: ToolDef): ToolSource | undefined {
  return sources.get(tool)
}
