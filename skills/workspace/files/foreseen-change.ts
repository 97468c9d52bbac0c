import { cutText, TEXT_MAX, textChange } from './text-diff.js'

/** The most bytes to process for a preview, which takes some tenths of a second. */
const BYTES_MAX = 50_000_000

/** True if a preview would take long. Reading and comparing a file takes as long as ten edits of it. */
export function takesLong(bytes: number, edits = 1): boolean {
  return bytes * (9 + edits) > BYTES_MAX
}

/**
 * The preview of a change.
 *
 * @param known the current file, whose text is null if it is not text; null for a new file
 * @param plain the arguments of the call, shown if the change cannot be compared
 */
export function foreseenChange(
  path: string,
  known: { text: string | null } | null,
  text: string,
  plain: string,
): string {
  if (known?.text === null) return `Replaces ${path}, which is not text:\n${plain}`
  const { diff, lines } = textChange(path, known?.text ?? '', text)
  const title = `${titleOf(path, known === null, lines)}\n`
  return title + (lines === null ? plain : diff)
}

/** The preview of a change that would take too long to compute. */
export function unforeseen(path: string, plain: string): string {
  return `The result for ${path} is too large to preview. The call contains:\n${plain}`
}

function titleOf(path: string, isNew: boolean, lines: { removed: number; added: number } | null): string {
  if (lines === null) return isNew ? `Creates ${path}:` : `Changes ${path} too much to compare:`
  const { removed, added } = lines
  if (isNew) return `Creates ${path} with ${count(added)}:`
  if (removed === 0) return added === 0 ? `Leaves ${path} unchanged.` : `Adds ${count(added)} to ${path}:`
  return added === 0
    ? `Removes ${count(removed)} from ${path}:`
    : `Replaces ${count(removed)} of ${path} by ${added}:`
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`
}

/** Texts with a sign before each line, up to the most that is shown. */
export function plainTexts(texts: Iterable<readonly [sign: string, text: string]>): string {
  let shown = ''
  for (const [sign, text] of texts) {
    // The rest would be cut off.
    const part = text.slice(0, TEXT_MAX + 1)
    shown += `${part.replace(/\n$/, '').replace(/^/gm, sign)}\n`
    if (shown.length > TEXT_MAX) break
  }
  return cutText(shown, 'The texts are cut.')
}
