import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { limits } from '../limits.js'

const CHUNK = 1024 * 1024

/** SHA-256 of a file of any size, read piece by piece. Throws the system's error where it cannot be read. */
export function digestFile(file: string): string {
  const descriptor = openSync(file, 'r')
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
  const descriptor = openSync(file, 'r')
  try {
    const { size } = fstatSync(descriptor)
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
