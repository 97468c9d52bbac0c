/** Makes strings safe to put into a prompt: none ends the place that it is in, or hides characters. */

/** Control characters except tab and line ends, lone surrogates, and noncharacters. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]|\p{Surrogate}/gu
/** Characters that change the direction of writing, and Unicode's tags, which only a model reads. */
const HIDDEN = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

/** Matches most descriptions: testing is faster than copying. */
const IS_ONE_LINE = /^[!-~]+(?: [!-~]+)*$/
/** Text that needs no escaping in XML. */
const IS_PLAIN = /^[\t\n !-%'-;=?-~]*$/

/** Returns a text on one line. */
export function oneLine(text: string): string {
  return IS_ONE_LINE.test(text) ? text : text.replace(/[\s\u0085]+/g, ' ').trim()
}

/** Escapes text for an XML element. Characters that XML cannot contain become a replacement character. */
export function xmlText(text: string): string {
  if (IS_PLAIN.test(text)) return text
  return printable(text)
    .replace(/[&<>]/g, sign => XML_SIGNS[sign] ?? sign)
    .replace(/\r/g, '&#xD;')
    .replace(HIDDEN, reference)
}

const XML_SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes one line of text for a Markdown paragraph or list, so that it reads as it was written. */
export function markdownText(text: string): string {
  return printable(text)
    .replace(/[\\`*[\]<~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(HIDDEN, reference)
}

/** Returns a text of any lines as a Markdown code block that nothing in it can end. */
export function markdownBlock(text: string, indent: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3))
  // In a code block nothing is escaped.
  const shown = printable(text.replace(/\r\n?/g, '\n')).replace(HIDDEN, '\uFFFD').replace(/\n$/, '')
  return [fence, ...shown.split('\n'), fence].map(line => (line === '' ? '' : indent + line)).join('\n')
}

/** Returns a value as JSON on one line; parsing it gives exactly that value. */
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
