import { FieldCounts } from './field-counts.js'
import { Vocabulary } from './vocabulary.js'
import { TEXT_MAX, wordsAndParts } from './words.js'

/** The words that were met. They are the same in most texts. */
let vocabulary = new Vocabulary()

/** The vocabulary for the terms of a tool: their numbers are valid until the next tool's. */
export function currentVocabulary(): Vocabulary {
  if (vocabulary.isFull) vocabulary = new Vocabulary()
  return vocabulary
}

/** The counts of one text at a time. */
const counts = new FieldCounts()

/** The distinct terms of a text: its stemmed words without stop words. */
export function termsOfText(text: string): string[] {
  const vocabulary = currentVocabulary()
  counts.clear()
  countText(text, vocabulary, counts)
  return counts.terms.map(term => vocabulary.termAt(term))
}

export function countText(text: string, vocabulary: Vocabulary, counts: FieldCounts): void {
  const bytes = textBytes(text)
  for (let start = 0; start < bytes.length; start++) start = vocabulary.countLine(bytes, start, counts)
}

/** Counts the terms of a name: `readCsvFile` gives its parts too. Here every word tells something. */
export function countName(name: string, vocabulary: Vocabulary, counts: FieldCounts): void {
  for (const word of wordsAndParts(name)) counts.add(vocabulary.numberOf(word))
}

const encoder = new TextEncoder()
/** A unit of UTF-16 takes three bytes at most. */
const encoded = new Uint8Array(3 * TEXT_MAX)

/** Encodes the first `TEXT_MAX` units of a text as UTF-8. The next call overwrites the result. */
export function textBytes(text: string): Uint8Array {
  return encoded.subarray(0, encoder.encodeInto(text.slice(0, TEXT_MAX), encoded).written)
}
