import type { FileHandle } from 'node:fs/promises'

/** The types of files that are attached as they are, by their first bytes. */
const KINDS: [mime: string, begins: (bytes: Buffer) => boolean][] = [
  ['image/png', bytes => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))],
  ['image/jpeg', bytes => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))],
  ['image/gif', bytes => /^GIF8[79]a/.test(bytes.toString('latin1', 0, 6))],
  ['image/webp', bytes => /^RIFF[\s\S]{4}WEBP/.test(bytes.toString('latin1', 0, 12))],
  ['application/pdf', bytes => bytes.toString('latin1', 0, 5) === '%PDF-'],
]

/** The most bytes of an attached file. */
export const ATTACHED_MAX = 5 * 1024 * 1024

/** The type of an image or a PDF; null for any other file. */
export async function attachedType(handle: FileHandle): Promise<string | null> {
  const start = Buffer.alloc(16)
  const { bytesRead } = await handle.read(start, 0, start.length, 0)
  const bytes = start.subarray(0, bytesRead)
  return KINDS.find(([, begins]) => begins(bytes))?.[0] ?? null
}
