import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { limits } from '../limits.js'

const CHUNK = 1024 * 1024

/** SHA-256 of a file of any size, read piece by piece. Throws the system's error where it cannot be read. */
export function digestFile(file: string): string {
  const { descriptor } = openFile(file)
  try {
    const digest = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK)
    for (let length = readSync(descriptor, chunk); length > 0; length = readSync(descriptor, chunk)) {
      digest.update(chunk.subarray(0, length))
    }
    return digest.digest('hex')
  } finally {
    closeSync(descriptor)
  }
}

/** A skill file's bytes; of one that is too large, just enough more than the limit to show it. */
export function readSkillFile(file: string): Buffer {
  const { descriptor, size } = openFile(file)
  try {
    const bytes = Buffer.allocUnsafe(Math.min(size, limits.fileBytes + 1))
    let length = 0
    for (let read = -1; read !== 0 && length < bytes.length; length += read) {
      read = readSync(descriptor, bytes, length, bytes.length - length, null)
    }
    return bytes.subarray(0, length)
  } finally {
    closeSync(descriptor)
  }
}

/** Opens a regular file. What was one when the folder was listed may be a pipe by now, which must not be waited for. */
function openFile(file: string): { descriptor: number; size: number } {
  const descriptor = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  const stat = fstatSync(descriptor)
  if (stat.isFile()) return { descriptor, size: stat.size }
  closeSync(descriptor)
  throw new Error('not a regular file')
}
