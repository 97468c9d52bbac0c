import type { JsonObject } from '../../src/base/json.js'
import { type DirectiveForm, directiveForms } from '../../src/content/directive.js'
import type { HostPlaceholder, ToolDetails, ToolRecord } from '../../src/index/index-format.js'
import type { StoredTerms } from '../../src/search/term-store.js'
import type { Role } from '../../src/skill/frontmatter.js'
import type { ToolReference } from '../../src/skill/reference.js'
import type { Finding, Place, RuleName } from '../diagnostics/diagnostics.js'
import type { Locator } from '../diagnostics/source-text.js'
import type { StoredLine } from '../index/line-store.js'

/** A skill file between the phases: read by this compile, or by an earlier one. */
export interface SkillUnit {
  /** Relative to the entry, `/`-separated. */
  path: string
  /** The facts outside of the file that its tools depend on, such as its place and resources; a digest if they are long. */
  shape: string
  size: number
  sha256: string
  tools: UnitTool[]
  /** Names that would be tools, were they not broken. */
  broken: { name: string; finding: Finding }[]
  findings: Finding[]
  /** The rules that comments in it ask not to report. */
  ignored?: readonly RuleName[]
  /** The rule of each correctable fault, if this compile read the file. */
  fixable?: readonly string[]
  /** The code that it needs as modules. */
  sources: UnitSource[]
}

/** A unit without anything in it, for a file that gives no tools. */
export function emptyUnit(path: string): SkillUnit {
  return { path, shape: '', size: 0, sha256: '', tools: [], broken: [], findings: [], sources: [] }
}

/** A tool's records, and what is needed to complete them. */
export interface FreshRecords {
  record: ToolRecord
  details: ToolDetails
  code?: CodePart
  /** The Markdown after its frontmatter. Absent for code. */
  content?: string
  /** Its content, if that may have directives. */
  body?: ContentBody
  /** The key of the source that is its delegate. */
  delegateKey?: string
  delegatePlace?: Place
}

/** A Markdown skill's content, and the line of the file that it begins on. */
export interface ContentBody {
  text: string
  line: number
}

/** A tool's delegate, where that is another tool. */
interface DelegateReference {
  ref: string
  place: Place
}

/** The source of a module: the unit's own file, a file beside it, or code in its frontmatter. */
export interface UnitSource {
  /** Identifies it in the directory, and is the same for the same code. */
  key: string
  /** Relative to the entry, `/`-separated; it may begin with `../`. Absent for code in frontmatter. */
  file?: string
  code?: string
}

/** The facts about a tool in code that are known without running it. */
interface CodePart {
  exported: string
  /** The values that only running it reveals. */
  dynamic: Finding[]
  /** True where importing it does more than declare, and so could fail. */
  hasEffects: boolean
}

/** The part of a tool that cascades use. Absent for a tool without a role, metadata or directive. */
export interface CascadeInput {
  role?: Role
  roleMeant?: Role
  metadata?: JsonObject
  params?: JsonObject
  returns?: JsonObject
  /** The forms in which it is a directive. */
  directive?: DirectiveForm[]
}

/**
 * A tool of a unit: read by this compile, with its records or their encoded lines, or known from the last
 * compile.
 */
export type UnitTool = FreshTool | EncodedTool | KnownTool

interface SomeTool {
  name: string
  /** The place of its name in the file. */
  place: Place
  /** The tool that runs in its stead. */
  delegate?: DelegateReference
  /** Its references, in the file's order. */
  references: ToolReference[]
  /** The files that its schemas were compiled to, relative to the entry. */
  validators?: string[]
  /** About how many tokens its entry in a prompt takes; 0 if models do not see it. */
  catalogTokens?: number
  /** The files of the directory that its content included when it was last compiled. */
  included?: string[]
}

interface FreshTool extends SomeTool {
  fresh: FreshRecords
  lines?: never
  terms?: never
  written?: never
}

/** The facts about a tool that are kept when its records are already encoded. */
interface WithoutRecords extends SomeTool {
  fresh?: never
  /** The names in its content that may be directives. */
  directives: readonly string[]
  cascade: CascadeInput | undefined
}

interface EncodedTool extends WithoutRecords {
  /** Its lines in the index. */
  lines: { record: StoredLine; details: StoredLine }
  /** Its terms; null where the index gets no search file. */
  terms: StoredTerms | null
  written?: never
}

/** A tool whose records are in the last compile's index. */
export interface KnownTool extends WithoutRecords {
  lines?: never
  terms?: never
  /** True if the last compile wrote its records, and they are still valid. */
  written: boolean
}

/** True if its file was read by this compile, not only by the last one. */
export function isReadAnew({ fresh, lines }: UnitTool): boolean {
  return fresh !== undefined || lines !== undefined
}

export function cascadeInput(tool: UnitTool): CascadeInput | undefined {
  if (!tool.fresh) return tool.cascade
  const { role, roleMeant, metadata, params, returns, tags } = tool.fresh.record.frontmatter
  const directive = tags.length > 0 ? directiveForms(tags) : []
  const isConfigured = Object.keys(metadata).length > 0
  const isPlain = !isConfigured && directive.length === 0
  if (isPlain && role !== 'main' && role !== 'middleware' && !roleMeant) return undefined
  // Only these pass schemas on, or inherit them.
  const sharesSchemas = '$public' in metadata || '$inherit' in metadata
  return {
    ...(role !== undefined && { role }),
    ...(roleMeant !== undefined && { roleMeant }),
    ...(isConfigured && { metadata }),
    ...(directive.length > 0 && { directive }),
    // A middleware's validate its configuration.
    ...((sharesSchemas || role === 'middleware') && params && { params }),
    ...(sharesSchemas && returns && { returns }),
  }
}

const NONE: readonly string[] = []

/** The names in its content that are directives if tools of these names are. */
export function directivesOf(tool: UnitTool): readonly string[] {
  return tool.fresh ? (tool.fresh.record.directives ?? NONE) : tool.directives
}

export function hasDirectives({ tools }: SkillUnit): boolean {
  return tools.some(tool => directivesOf(tool).length > 0)
}

export interface ParsedTool {
  name: string
  record: ToolRecord
  /** The place of its name. */
  place: Place
  delegatePlace?: Place
  verbatim: JsonObject
  /** Placeholders that another host would fill in or run. Absent for code. */
  placeholders?: HostPlaceholder[]
  /** Finds the place of a key or value of its frontmatter. */
  at: Locator
  /** Its references, in the file's order. */
  references: ToolReference[]
  /** Absent for Markdown. */
  code?: CodePart
  /** The Markdown after its frontmatter. Absent for code. */
  content?: string
  /** The content with its place, if it may have directives. */
  body?: ContentBody
}
