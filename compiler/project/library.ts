import { existsSync, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type DirectiveCall, type DirectiveForm, directiveForms } from '../../src/content/directive.js'
import { isBroken, type ToolRecord } from '../../src/index/index-format.js'
import type { OpenIndex } from '../../src/index/read-index.js'
import { LIBRARY_DIRECTORY } from '../files/package-place.js'
import { readWritten, unlessRefused } from '../index/index-files.js'
import type { Project } from './project.js'

/** The skills that the package ships, as cascades see them. */
export interface LibraryTools {
  /** Absolute. */
  dir: string
  cascadeInput: string
  /** Reads the tools; only a compile that resolves cascades needs them. */
  readTools: () => Map<string, ToolRecord>
  readDirectives: () => Map<string, readonly DirectiveForm[]>
  /** The function of a directive that runs at build time; null for any other name. */
  staticDirective: (name: string) => Promise<((ctx: undefined, call: DirectiveCall) => unknown) | null>
}

/** The library from its index, which the package ships; null where that is not there. */
function readLibrary(): LibraryTools | null {
  const written = readWritten(LIBRARY_DIRECTORY)
  if (written === null) return null
  let known: Map<string, ToolRecord> | undefined
  const tools = (): Map<string, ToolRecord> => {
    known ??= readTools(written)
    return known
  }
  return {
    dir: LIBRARY_DIRECTORY,
    cascadeInput: written.header.cascadeInput,
    readTools: tools,
    readDirectives: () => directivesAmong(tools()),
    async staticDirective(name) {
      const record = tools().get(name)
      if (!record?.module || record.frontmatter.metadata.static !== true) return null
      const module = await import(pathToFileURL(join(LIBRARY_DIRECTORY, record.module.file)).href)
      return module[record.exported ?? 'default']
    },
  }
}

function directivesAmong(tools: ReadonlyMap<string, ToolRecord>): Map<string, readonly DirectiveForm[]> {
  const forms = [...tools].map(([name, { frontmatter }]) => [name, directiveForms(frontmatter.tags)] as const)
  return new Map(forms.filter(([, found]) => found.length > 0))
}

function readTools(written: OpenIndex): Map<string, ToolRecord> {
  const tools = new Map<string, ToolRecord>()
  for (const name of unlessRefused(written.names) ?? []) {
    const record = written.tool(name)
    if (record && !isBroken(record)) tools.set(name, record)
  }
  return tools
}

/**
 * True where the directories compiled are the package's own skills: like a project's, with no library below
 * them.
 */
export function isLibrary(directories: readonly { dir: string }[]): boolean {
  const [only, second] = directories
  // A directory that has gone since it was read is not the library's.
  if (only === undefined || second !== undefined || !existsSync(only.dir)) return false
  return realpathSync.native(only.dir) === realpathSync.native(LIBRARY_DIRECTORY)
}

/** The library that a project searches after its own directories; null if it searches none. */
export function libraryBelow({
  directories,
  library,
}: Pick<Project, 'directories' | 'library'>): LibraryTools | null {
  return library === null || isLibrary(directories) ? null : readLibrary()
}
