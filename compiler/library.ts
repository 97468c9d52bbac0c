import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isBroken, type NameRecord, type ToolRecord } from '../src/index-format.js'
import { readLines, readWritten, type WrittenIndex } from './3-emit/write-index.js'
import type { Project } from './project.js'

/** The skills that the package ships, as cascades see them. */
export interface LibraryTools {
  /** Absolute. */
  dir: string
  cascadeInput: string
  /** Only a compile that resolves cascades anew needs them. */
  readTools: () => Map<string, ToolRecord>
}

/** The skills that the package ships. */
export const LIBRARY_DIRECTORY = fileURLToPath(new URL('../../skills', import.meta.url))

/** The library from its index, which the package ships; null where that is not there. */
function readLibrary(): LibraryTools | null {
  const written = readWritten(LIBRARY_DIRECTORY)
  const cascadeInput = written?.header.cascadeInput
  if (!written || typeof cascadeInput !== 'string') return null
  return { dir: LIBRARY_DIRECTORY, cascadeInput, readTools: () => readTools(written) }
}

function readTools(written: WrittenIndex): Map<string, ToolRecord> {
  const tools = new Map<string, ToolRecord>()
  for (const [name, line] of readLines(LIBRARY_DIRECTORY, written)?.tools ?? []) {
    const record = (JSON.parse(`{${line}}`) as Record<string, NameRecord>)[name]
    if (record && !isBroken(record)) tools.set(name, record)
  }
  return tools
}

/** True where the directories compiled are the package's own skills: like a project's, with no library below them. */
export function isLibrary(directories: readonly { dir: string }[]): boolean {
  const [only, second] = directories
  if (only === undefined || second !== undefined) return false
  return realpathSync.native(only.dir) === realpathSync.native(LIBRARY_DIRECTORY)
}

/** The library below a project's directories; null where there is none. */
export function libraryBelow({
  directories,
  library,
}: Pick<Project, 'directories' | 'library'>): LibraryTools | null {
  return library === null || isLibrary(directories) ? null : readLibrary()
}
