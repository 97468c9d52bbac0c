import type { Diagnostic } from '../base/diagnostic.js'
import type { JsonObject } from '../base/json.js'
import type { ContentRecord } from '../index/content-record.js'
import type { DirectoryNames } from '../index/directory-names.js'
import type { DirectiveForm } from '../skill/directive-forms.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'
import type { ContentWork } from './content-work.js'

/** Code of a directory: a file, or a text that stands in one. Paths are absolute, or relative to the directory. */
export type CodeSource = { file: string } | { code: string; from: string }

/** What a code skill says of one of its tools once it runs, or why it cannot. */
export type CodeAnswer = { verbatim: JsonObject; broken?: never } | { broken: Diagnostic; verbatim?: never }

/** Reads skills without an index. It comes with the compiler, and a deployment that never misses never loads it. */
export interface DiskParser {
  /** The names of a directory; with `only`, of these of its items. */
  readDirectory: (
    directory: string,
    ignore: readonly string[],
    only?: readonly string[],
  ) => Promise<DirectoryNames>
  /** The names of one skill file (relative to `directory`), past what other files of the directory are called. */
  readFile: (directory: string, path: string) => Promise<DirectoryNames>
  /** A skill that stands in a text; `file` is what it is called in diagnostics. */
  readMarkdown: (
    text: string,
    file: string,
  ) => { frontmatter: ToolFrontmatter; content: string } | { broken: Diagnostic }
  /** Where something stands in a file: `path` is in the metadata of one of its tools. Null for a tool that it has not. */
  placeOf: (
    directory: string,
    file: string,
    name: string,
    path: readonly (string | number)[],
  ) => Promise<{ line: number; column: number } | null>
  /** A Markdown skill's content as its file has it, with its directives; null for a tool that it has not. */
  readContent: (
    directory: string,
    file: string,
    name: string,
    known: ReadonlyMap<string, readonly DirectiveForm[]>,
    work: ContentWork,
  ) => Promise<{ text: string; content: ContentRecord } | null>
  /** The directives of any Markdown text, which belongs to the content that `work` is of. */
  parseContent: (
    text: string,
    known: ReadonlyMap<string, readonly DirectiveForm[]>,
    work: ContentWork,
  ) => Promise<ContentRecord>
  /** What only running a code skill's file tells of an export. It runs in another process, which may take so long and so much. */
  askCode: (
    directory: string,
    file: string,
    exported: string,
    external?: readonly string[],
  ) => Promise<CodeAnswer>
  /** Imports code that was not compiled; `external` packages are found at run time. Throws what bundling and importing it throw. */
  importModule: (
    directory: string,
    source: CodeSource,
    external?: readonly string[],
  ) => Promise<Record<string, unknown>>
}
