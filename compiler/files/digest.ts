import { createHash } from 'node:crypto'
import { closeSync, readSync } from 'node:fs'
import { limits } from './limits.js'
import { openRegularFile, readRegularFile } from './regular-file.js'

const CHUNK = 1024 * 1024

/** SHA-256 of a file of any size, read piece by piece. Throws the system's error where it cannot be read. */
export function digestFile(file: string): string {
  const { descriptor, stat } = openRegularFile(file)
  try {
    const digest = createHash('sha256')
    const chunk = Buffer.allocUnsafe(CHUNK)
    let length = -1
    for (let left = stat.size; length !== 0; left -= length) {
      length = readSync(descriptor, chunk, 0, Math.min(CHUNK, left), null)
      digest.update(chunk.subarray(0, length))
    }
    return digest.digest('hex')
  } finally {
    closeSync(descriptor)
  }
}

/** A skill file's bytes; of one that is too large, just enough more than the limit to show it. */
export function readSkillFile(file: string): Buffer {
  return readRegularFile(file, limits.fileBytes + 1)
}
