import type { JsonObject } from '../base/json.js'

/** The arguments that a directive's tool is called with. */
export interface DirectiveCall {
  /** The text in its brackets; undefined without them. */
  arg: string | undefined
  /** The attributes in its braces. A name without a value has the empty string. */
  attributes: Readonly<Record<string, string>>
  /** Renders the block's content, with these `locals` added; undefined except for blocks. */
  children?: (locals?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Renders the content after `:::else`. Undefined without one. */
  else?: () => Promise<string>
  source: DirectiveSource
}

/** A directive's access to the project, the same at build time and at run time. */
export interface DirectiveSource {
  /** The file that contains the directive, relative to its path entry, `/`-separated. */
  readonly file: string
  /**
   * Reads a file, by a path relative to the file that contains the directive.
   *
   * @returns the text and the file's path relative to the path entry
   * @throws DIRECTIVE_FAILED for a file that does not exist, is not text, or is outside the path entry
   */
  readText: (path: string) => Promise<{ text: string; file: string }>
  /** Finds the tool that a reference leads to, or null. Throws DIRECTIVE_FAILED for a broken one. */
  findTool: (ref: string) => Promise<DirectiveTool | null>
  /** Finds the existing name that is most similar to a broken reference; null without one. */
  nearestName: (ref: string) => Promise<string | null>
}

/** A tool that a directive names. */
export interface DirectiveTool {
  readonly name: string
  /** Reads its description and the schema of its arguments. */
  details: () => Promise<{ description?: string | undefined; params?: JsonObject | undefined }>
  /** Its content, to be rendered in its own place. Null for code. */
  content: () => Promise<DirectiveContent | null>
}

/** A result whose own directives are run, with paths relative to its file. */
export interface DirectiveContent {
  content: string
  /** Relative to the path entry that the text comes from, `/`-separated. */
  file: string
  /** The path entry, absolute, if it differs from the directive's. */
  entry?: string | undefined
}

export function isDirectiveContent(value: unknown): value is DirectiveContent {
  if (typeof value !== 'object' || value === null) return false
  const { content, file } = value as Partial<DirectiveContent>
  return typeof content === 'string' && typeof file === 'string'
}

/** How a directive is written: `:name[arg]{…}` in text; `::name[arg]{…}` on a line, or `:::name{…}` around a block. */
export type DirectiveForm = 'inline' | 'block'

const TAGS = { inline: 'meta-directive-inline', block: 'meta-directive-block' } as const

/** Returns the forms in which a tool is a directive, according to its tags. */
export function directiveForms(tags: readonly string[]): DirectiveForm[] {
  return (['inline', 'block'] as const).filter(form => tags.includes(TAGS[form]))
}
