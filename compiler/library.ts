import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { isBroken, type NameRecord, type ToolRecord } from '../src/index-format.js'
import { readLines, readWritten } from './3-emit/write-index.js'

/** The skills that the package ships, as cascades see them. */
export interface LibraryTools {
  /** Absolute. */
  dir: string
  cascadeInput: string
  tools: Map<string, ToolRecord>
}

/** The skills that the package ships. */
export const LIBRARY_DIRECTORY = fileURLToPath(new URL('../../skills', import.meta.url))

/** True for the directory of the package's own skills: they are compiled like a project's, and have no library below them. */
export function isLibrary(directory: string): boolean {
  return realpathSync.native(directory) === realpathSync.native(LIBRARY_DIRECTORY)
}

/** The library from its index, which the package ships; null where that is not there. */
export function readLibrary(): LibraryTools | null {
  const written = readWritten(LIBRARY_DIRECTORY)
  const lines = written && readLines(LIBRARY_DIRECTORY, written)
  const cascadeInput = written?.header.cascadeInput
  if (!lines || typeof cascadeInput !== 'string') return null
  const tools = new Map<string, ToolRecord>()
  for (const [name, line] of lines.tools) {
    const record = (JSON.parse(`{${line}}`) as Record<string, NameRecord>)[name]
    if (record && !isBroken(record)) tools.set(name, record)
  }
  return { dir: LIBRARY_DIRECTORY, cascadeInput, tools }
}
