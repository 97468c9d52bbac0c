import { createHash } from 'node:crypto'

export interface ExportedFile {
  bytes: Uint8Array
  /** True for a script that begins with `#!`, whatever its mode, so that every machine writes the same. */
  isExecutable: boolean
}

/** Files by path, `/`-separated and relative to the folder that is written. */
export type ExportedFiles = Map<string, ExportedFile>

export function exportedFile(content: Uint8Array | string): ExportedFile {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content
  return { bytes, isExecutable: bytes[0] === 0x23 && bytes[1] === 0x21 }
}

/** The files of a folder, with paths that begin with it. */
export function inFolder(folder: string, files: ExportedFiles): [path: string, file: ExportedFile][] {
  return [...files].map(([path, file]) => [`${folder}/${path}`, file])
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Compares by code units, which is the same on every machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

export function jsonFile(value: unknown): ExportedFile {
  return exportedFile(`${JSON.stringify(value, null, 2)}\n`)
}
