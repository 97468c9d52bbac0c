import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'

/** All bytes of a file of a known size, read into one place; more where it has grown. */
export async function bytesOf(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size + 1)
  let end = 0
  for (;;) {
    const { bytesRead } = await handle.read(bytes, end, bytes.length - end, end)
    end += bytesRead
    if (bytesRead === 0 || end === bytes.length) return bytes.subarray(0, end)
  }
}

/** The bytes as text, a byte order mark included; null for what is not text in UTF-8. */
export function textOf(bytes: Buffer): string | null {
  return bytes.includes(0) || !isUtf8(bytes) ? null : bytes.toString()
}
