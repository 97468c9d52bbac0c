import type { Diagnostic } from '../base/diagnostic.js'
import type { JsonObject } from '../base/json.js'
import type { ContentRecord } from '../index/content-record.js'
import type { DirectoryNames } from '../index/directory-names.js'
import type { UnitRecord } from '../index/index-format.js'
import type { ToolFrontmatter } from '../skill/frontmatter.js'
import type { SearchDirectory } from '../skill/path-entry.js'
import type { ContentWork } from './content-work.js'
import type { DirectiveForm } from './directive.js'

/** A code file, or code written in a file. Paths are absolute, or relative to the directory. */
export type CodeSource = { file: string } | { code: string; from: string }

/** The metadata that one of a code skill's tools has once the code runs, or why that failed. */
export type CodeAnswer = { verbatim: JsonObject; broken?: never } | { broken: Diagnostic; verbatim?: never }

/** A path entry whose files are read. `dir` is absolute. */
export interface EntryToRead extends Pick<SearchDirectory, 'dir' | 'ignore' | 'namespace' | 'discover'> {
  /** The parts of the directory, where they are known and there are several. */
  readonly units?: readonly UnitRecord[] | undefined
}

/** Names that were made of a directory before. */
export interface EarlierNames {
  names: DirectoryNames
  /** True for a file that is as it was then. */
  isSame: (path: string) => boolean
}

/** Reads skills without an index. It belongs to the compiler, and is loaded for names not compiled. */
export interface DiskParser {
  /**
   * Reads the names of a directory. The records of files that are as they were when earlier names were made are
   * those of the earlier names, as long as the directory has the same units.
   */
  readDirectory: (entry: EntryToRead, before?: EarlierNames) => Promise<DirectoryNames>
  /** True for a path that the entry's ignore patterns leave out. */
  isIgnored: (entry: EntryToRead, path: string) => boolean
  /** The present value of `listing` for a repository. */
  listingOf: (entry: EntryToRead) => string
  /** Reads the names of one skill file (relative to the entry), without regard to names in other files. */
  readFile: (entry: EntryToRead, path: string) => Promise<DirectoryNames>
  /** Reads a skill from a text; `file` is its name in diagnostics. */
  readMarkdown: (
    text: string,
    file: string,
  ) => { frontmatter: ToolFrontmatter; content: string } | { broken: Diagnostic }
  /** The place of a `path` in the metadata of a file's tool; null for a tool that is not in the file. */
  placeOf: (
    entry: EntryToRead,
    file: string,
    name: string,
    path: readonly (string | number)[],
  ) => Promise<{ line: number; column: number } | null>
  /** Reads a Markdown skill's content and its directives; null for a tool that the file does not have. */
  readContent: (
    entry: EntryToRead,
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
  /** Learns an export's metadata by running its file in another process, with limits on time and memory. */
  askCode: (
    directory: string,
    file: string,
    exported: string,
    external?: readonly string[],
  ) => Promise<CodeAnswer>
  /**
   * The project's files that code is bundled of, relative to the directory, with their SHA-256. Throws as
   * bundling does.
   */
  inputsOf: (
    directory: string,
    source: CodeSource,
    external?: readonly string[],
  ) => Promise<[path: string, sha256: string][]>
  /** Imports code that was not compiled; `external` packages resolve at run time. Throws as bundling does. */
  importModule: (
    directory: string,
    source: CodeSource,
    external?: readonly string[],
  ) => Promise<Record<string, unknown>>
}
