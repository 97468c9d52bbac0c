import { cutText, TEXT_MAX, textChange } from './text-diff.js'

/** Bytes that are gone through for a question, which takes tenths of a second. */
const BYTES_MAX = 50_000_000

/** True where a question would wait for long. Reading and comparing a file takes as long as ten edits of it. */
export function takesLong(bytes: number, edits = 1): boolean {
  return bytes * (9 + edits) > BYTES_MAX
}

/**
 * A change of a file as a person is shown it before it is made.
 *
 * @param known the file as it is, whose text is null where it is none; null where there is no such file
 * @param plain what the call gives, for a change that cannot be compared
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

/** The text that is shown where it would take too long to find out what a file becomes. */
export function unforeseen(path: string, plain: string): string {
  return `What ${path} becomes is too much to be looked through before. The call gives:\n${plain}`
}

function titleOf(path: string, isNew: boolean, lines: { removed: number; added: number } | null): string {
  if (lines === null) return isNew ? `Creates ${path}:` : `Changes ${path}, too much to be compared:`
  const { removed, added } = lines
  if (isNew) return `Creates ${path} with ${count(added)}:`
  if (removed === 0) return added === 0 ? `Leaves ${path} as it is.` : `Adds ${count(added)} to ${path}:`
  return added === 0
    ? `Removes ${count(removed)} from ${path}:`
    : `Replaces ${count(removed)} of ${path} by ${added}:`
}

function count(lines: number): string {
  return lines === 1 ? '1 line' : `${lines} lines`
}

/** Texts as they are, each line with a sign before it, up to as much as a person is shown. */
export function plainTexts(texts: Iterable<readonly [sign: string, text: string]>): string {
  let shown = ''
  for (const [sign, text] of texts) {
    // What comes behind this is cut off again.
    const part = text.slice(0, TEXT_MAX + 1)
    shown += `${part.replace(/\n$/, '').replace(/^/gm, sign)}\n`
    if (shown.length > TEXT_MAX) break
  }
  return cutText(shown, 'The texts are cut.')
}
