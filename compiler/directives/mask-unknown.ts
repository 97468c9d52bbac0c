import { nearest } from '../../src/base/nearest.js'
import type { DirectiveForm } from '../../src/content/directive.js'
import { mayBeginDirective } from '../../src/content/directive-names.js'

/** The known directives by name, with the forms that each has. */
export type KnownDirectives = ReadonlyMap<string, readonly DirectiveForm[]>

/** A line of three or more colons, which opens or closes a block. */
export interface Fence {
  offset: number
  /** `other` opens a block whose directive is not known. */
  kind: 'known' | 'other' | 'else' | 'close'
}

/** Text at the start of a line that resembles `:::else`. */
export interface ElseLike {
  offset: number
  written: string
}

interface Masked {
  masked: string
  /** The offsets at which known directives may begin. */
  starts: number[]
  fences: Fence[]
  elseLike: ElseLike[]
}

const CANDIDATE = /(:+)([A-Za-z][A-Za-z0-9_-]*)?/g
const LINE_LEAD = /(?:^|[\r\n])[ \t>*+\-\d.)]*$/
const AUTOLINK = /<[A-Za-z][A-Za-z0-9+.-]{0,31}$/

/**
 * Replaces the colons of directives that are not known by commas, so that the parser takes them for text.
 * `:::else` becomes a leaf, since it has no closing fence. All offsets stay.
 */
export function maskUnknown(text: string, known: KnownDirectives): Masked {
  const starts: number[] = []
  const fences: Fence[] = []
  const elseLike: ElseLike[] = []
  const masked = text.replace(
    CANDIDATE,
    (written: string, colons: string, name: string | undefined, offset: number) => {
      const after = text.charAt(offset + written.length)
      const forms = name === undefined ? undefined : known.get(name)
      if (colons.length === 1) {
        if (name === undefined || AUTOLINK.test(text.slice(Math.max(0, offset - 34), offset))) return written
        const isKnown = forms?.includes('inline') && /[[{]/.test(after) && mayBeginDirective(text, offset)
        if (isKnown) starts.push(offset)
        return isKnown ? written : `,${name}`
      }
      const startsLine = LINE_LEAD.test(text.slice(Math.max(0, offset - 100), offset))
      if (colons.length > 2 && startsLine) {
        const rest = restOfLine(text, offset + written.length)
        if (name === undefined && rest.trim() === '') {
          fences.push({ offset, kind: 'close' })
          return written
        }
        if (name === 'else' && rest.trim() === '' && known.get('if')?.includes('block')) {
          fences.push({ offset, kind: 'else' })
          return `${' '.repeat(colons.length - 2)}::else`
        }
        const isKnown = forms?.includes('block') === true
        if (name !== undefined) fences.push({ offset, kind: isKnown ? 'known' : 'other' })
        if (isKnown) {
          starts.push(offset)
          return written
        }
      }
      if (colons.length === 2 && startsLine && forms?.includes('block')) {
        starts.push(offset)
        return written
      }
      if (startsLine && name !== undefined && !forms && isElseLike(name)) elseLike.push({ offset, written })
      return ','.repeat(colons.length) + (name ?? '')
    },
  )
  // The parser drops a byte order mark, and its offsets then begin after it.
  return { masked: masked.replace(/^\uFEFF/, '\u2060'), starts, fences, elseLike }
}

function isElseLike(name: string): boolean {
  const word = name.toLowerCase()
  return word === 'else' || nearest(word, ['else']) !== null
}

function restOfLine(text: string, from: number): string {
  const end = text.slice(from).search(/[\r\n]/)
  return end === -1 ? text.slice(from) : text.slice(from, from + end)
}
