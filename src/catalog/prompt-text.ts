/**
 * Texts of skills, made safe to stand in a prompt: nothing in them ends the place where they stand, and what a reader
 * would not see is shown.
 */

/** Control characters but tab and line ends, halves of surrogate pairs, and what is no character. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]|\p{Surrogate}/gu
/** What turns the direction of writing, and Unicode's tag characters, which a model reads and a person does not see. */
const HIDDEN = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

/** Most descriptions: a look is faster than copies. */
const IS_ONE_LINE = /^[!-~]+(?: [!-~]+)*$/
/** Text that means the same in XML. */
const IS_PLAIN = /^[\t\n !-%'-;=?-~]*$/

/** A text on one line. */
export function oneLine(text: string): string {
  return IS_ONE_LINE.test(text) ? text : text.replace(/[\s\u0085]+/g, ' ').trim()
}

/** Text in an XML element. What XML cannot hold is a replacement character. */
export function xmlText(text: string): string {
  if (IS_PLAIN.test(text)) return text
  return printable(text)
    .replace(/[&<>]/g, sign => XML_SIGNS[sign] ?? sign)
    .replace(/\r/g, '&#xD;')
    .replace(HIDDEN, reference)
}

const XML_SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** One line of text in a Markdown paragraph or list, which reads as it was written. */
export function markdownText(text: string): string {
  return printable(text)
    .replace(/[\\`*[\]<~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(HIDDEN, reference)
}

/** A text of any lines as a Markdown block of code, which nothing in it can end. */
export function markdownBlock(text: string, indent: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3))
  // Nothing is escaped in a block of code.
  const shown = printable(text.replace(/\r\n?/g, '\n')).replace(HIDDEN, '\uFFFD').replace(/\n$/, '')
  return [fence, ...shown.split('\n'), fence].map(line => (line === '' ? '' : indent + line)).join('\n')
}

/** A value as JSON on one line; reading it gives the very same. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007F-\u009F\u2028\u2029]/g, unicode)
    .replace(HIDDEN, unicode)
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\uFFFD')
}

function reference(character: string): string {
  return `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`
}

function unicode(character: string): string {
  return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
