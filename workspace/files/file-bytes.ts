import { isUtf8 } from 'node:buffer'
import type { FileHandle } from 'node:fs/promises'

/** All bytes of a file of a known size; one more if it has grown. */
export async function bytesOf(handle: FileHandle, size: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(size + 1)
  let end = 0
  for (;;) {
    const { bytesRead } = await handle.read(bytes, end, bytes.length - end, end)
    end += bytesRead
    if (bytesRead === 0 || end === bytes.length) return bytes.subarray(0, end)
  }
}

/** Bytes as text, with any byte order mark; null unless they are UTF-8 text. */
export function textOf(bytes: Buffer): string | null {
  return bytes.includes(0) || !isUtf8(bytes) ? null : bytes.toString()
}
