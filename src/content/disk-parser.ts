import type { Diagnostic } from '../base/diagnostic.js'
import type { JsonObject } from '../base/json.js'
import type { ContentRecord } from '../index/content-record.js'
import type { DirectoryNames } from '../index/directory-names.js'
import type { DirectiveForm } from '../skill/directive-forms.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'
import type { ContentWork } from './content-work.js'

/**
 * Code of a directory: a file, or a text that is written in one. Paths are absolute, or relative to the
 * directory.
 */
export type CodeSource = { file: string } | { code: string; from: string }

/** The metadata that one of a code skill's tools has once the code runs, or why that failed. */
export type CodeAnswer = { verbatim: JsonObject; broken?: never } | { broken: Diagnostic; verbatim?: never }

/**
 * Reads skills without an index. It comes with the compiler, and a deployment in which every name is compiled
 * never loads it.
 */
export interface DiskParser {
  /** Reads the names of a directory; with `only`, only those of these items. */
  readDirectory: (
    directory: string,
    ignore: readonly string[],
    only?: readonly string[],
  ) => Promise<DirectoryNames>
  /** Reads the names of one skill file (relative to `directory`), without regard to names in other files. */
  readFile: (directory: string, path: string) => Promise<DirectoryNames>
  /** Reads a skill from a text; `file` is its name in diagnostics. */
  readMarkdown: (
    text: string,
    file: string,
  ) => { frontmatter: ToolFrontmatter; content: string } | { broken: Diagnostic }
  /**
   * Finds where something is written in a file: `path` is in the metadata of one of its tools. Null for a
   * tool that it does not have.
   */
  placeOf: (
    directory: string,
    file: string,
    name: string,
    path: readonly (string | number)[],
  ) => Promise<{ line: number; column: number } | null>
  /**
   * Reads a Markdown skill's content from its file, with its directives; null for a tool that the file does
   * not have.
   */
  readContent: (
    directory: string,
    file: string,
    name: string,
    known: ReadonlyMap<string, readonly DirectiveForm[]>,
    work: ContentWork,
  ) => Promise<{ text: string; content: ContentRecord } | null>
  /** Parses the directives of any Markdown text. `work` belongs to the content that includes the text. */
  parseContent: (
    text: string,
    known: ReadonlyMap<string, readonly DirectiveForm[]>,
    work: ContentWork,
  ) => Promise<ContentRecord>
  /**
   * Learns the metadata of an export that only running a code skill's file can tell. The file runs in another
   * process, with limits on time and memory.
   */
  askCode: (
    directory: string,
    file: string,
    exported: string,
    external?: readonly string[],
  ) => Promise<CodeAnswer>
  /**
   * Imports code that was not compiled; `external` packages are resolved at run time. Throws what bundling
   * and importing it throw.
   */
  importModule: (
    directory: string,
    source: CodeSource,
    external?: readonly string[],
  ) => Promise<Record<string, unknown>>
}
