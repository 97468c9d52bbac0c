import type { JsonObject } from '../base/json.js'

/** What a directive's tool is called with, as its arguments. */
export interface DirectiveCall {
  /** What stands in its brackets; undefined without them. */
  arg: string | undefined
  /** What stands in its braces. A name without a value has an empty one. */
  attributes: Readonly<Record<string, string>>
  /** Renders what a block holds, as often as it is called; `locals` are what it adds to `locals` there. Undefined for all but blocks. */
  children?: (locals?: Readonly<Record<string, unknown>>) => Promise<string>
  /** Renders what stands after `:::else`. Undefined without one. */
  else?: () => Promise<string>
  /** The place that it stands in. */
  source: DirectiveSource
}

/** What a directive can see of the project: the same at build time and at run time. */
export interface DirectiveSource {
  /** The file that it stands in, relative to its path entry, `/`-separated. */
  readonly file: string
  /**
   * The text of a file, by a path relative to the one that the directive stands in.
   *
   * @returns the text and the file's path relative to the path entry
   * @throws DIRECTIVE_FAILED for one that is not there, is no text, or lies outside the path entry
   */
  readText: (path: string) => Promise<{ text: string; file: string }>
  /**
   * The tool that a reference leads to; null where there is none.
   *
   * @throws DIRECTIVE_FAILED for one that is broken
   */
  findTool: (ref: string) => Promise<DirectiveTool | null>
  /** The name most like one that leads nowhere; null where none is. */
  nearestName: (ref: string) => Promise<string | null>
}

/** A tool as a directive sees it. */
export interface DirectiveTool {
  readonly name: string
  /** What it says of itself. */
  details: () => Promise<{ description?: string | undefined; params?: JsonObject | undefined }>
  /** Its content, to be rendered in its own place. Null for code. */
  content: () => Promise<DirectiveContent | null>
}

/** A result that is rendered further: its own directives count, and paths in it start from its file. */
export interface DirectiveContent {
  content: string
  /** Relative to the path entry that the text comes from, `/`-separated. */
  file: string
  /** The path entry, where it is another one than that of the directive: an absolute path. */
  entry?: string | undefined
}

export function isDirectiveContent(value: unknown): value is DirectiveContent {
  if (typeof value !== 'object' || value === null) return false
  const { content, file } = value as Partial<DirectiveContent>
  return typeof content === 'string' && typeof file === 'string'
}
