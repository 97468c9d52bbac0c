import type { JsonObject } from '../../src/base/json.js'
import type { HostPlaceholder, ToolRecord } from '../../src/index/index-format.js'
import type { ToolReference } from '../../src/skill/references.js'
import type { Place } from '../diagnostics/diagnostics.js'
import type { Locator } from '../diagnostics/source-text.js'
import type { CodePart, ContentBody } from './skill-unit.js'

export interface ParsedTool {
  name: string
  record: ToolRecord
  /** Where its name stands. */
  place: Place
  /** Where its delegate stands, where it has one. */
  delegatePlace?: Place
  verbatim: JsonObject
  /** What another host would fill in or run. Absent for code. */
  placeholders?: HostPlaceholder[]
  /** Where what stands in its frontmatter stands in the file. */
  at: Locator
  /** What it refers to, in the file's order. */
  references: ToolReference[]
  /** What is known of a tool in code without running it. */
  code?: CodePart
  /** The text after its frontmatter. Absent for code. */
  content?: string
  /** The content's text with its place, where it may hold directives. */
  body?: ContentBody
}
