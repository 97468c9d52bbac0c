import { createHash } from 'node:crypto'

/** A text as the compiler's caches have it: after the line of its SHA-256. */
export function sealedText(text: string): string {
  return `${createHash('sha256').update(text).digest('hex')}\n${text}`
}
