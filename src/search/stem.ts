/**
 * The stem of an English word by M. F. Porter's algorithm of 1980, with the departures that its author published
 * later. A word with other letters than a to z, or of fewer than three, is its own stem.
 *
 * @param word in lower case
 */
export function stem(word: string): string {
  if (!/^[a-z]{3,}$/.test(word)) return word
  return withoutFinal(STEPS.reduce(withSuffixReplaced, withFinalI(withoutPast(withoutPlural(word)))))
}

function withoutPlural(word: string): string {
  return word.replace(/(?<=ss|i)es$|(?<=[^s])s$/, '')
}

function withoutPast(word: string): string {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word
  const rest = word.replace(/(?:ed|ing)$/, '')
  if (rest === word || !hasVowel(rest)) return word
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (/([^aeioulsz])\1$/.test(rest)) return rest.slice(0, -1)
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest
}

function withFinalI(word: string): string {
  return word.endsWith('y') && hasVowel(word.slice(0, -1)) ? `${word.slice(0, -1)}i` : word
}

/** Suffixes, each with its replacement, for words whose rest has more than `least` as its measure. */
interface Step {
  least: number
  suffixes: RegExp
  replacements: ReadonlyMap<string, string>
}

/** @param table pairs like `ational>ate`; a suffix alone is taken away */
function step(least: number, table: string): Step {
  const pairs = table.split(' ').map((pair): [string, string] => {
    const [suffix = '', replacement = ''] = pair.split('>')
    return [suffix, replacement]
  })
  // A match begins as far to the left as one can, so that the longest suffix is found.
  const suffixes = new RegExp(`(?:${pairs.map(([suffix]) => suffix).join('|')})$`)
  return { least, suffixes, replacements: new Map(pairs) }
}

const STEPS: readonly Step[] = [
  step(
    0,
    'ational>ate tional>tion enci>ence anci>ance izer>ize bli>ble alli>al entli>ent eli>e ousli>ous ization>ize ' +
      'ation>ate ator>ate alism>al iveness>ive fulness>ful ousness>ous aliti>al iviti>ive biliti>ble logi>log',
  ),
  step(0, 'icate>ic ative alize>al iciti>ic ical>ic ful ness'),
  // A final `ion` goes behind an s or a t only.
  step(1, 'al ance ence er ic able ible ant ement ment ent (?<=[st])ion ou ism ate iti ous ive ize'),
]

function withSuffixReplaced(word: string, { least, suffixes, replacements }: Step): string {
  const suffix = suffixes.exec(word)?.[0]
  if (suffix === undefined) return word
  const rest = word.slice(0, -suffix.length)
  return measure(rest) > least ? rest + (replacements.get(suffix) ?? '') : word
}

function withoutFinal(word: string): string {
  const rest = word.replace(/e$/, '')
  const isLong = measure(rest) > 1
  const kept = isLong || (measure(rest) === 1 && !endsShort(rest)) ? rest : word
  return isLong ? kept.replace(/ll$/, 'l') : kept
}

/** How many times a vowel is followed by a consonant. */
function measure(word: string): number {
  return shapeOf(word).split('vc').length - 1
}

function hasVowel(word: string): boolean {
  return shapeOf(word).includes('v')
}

/** True where a word ends with a short syllable, as in `hop`: an `e` belongs behind it, or the one there stays. */
function endsShort(word: string): boolean {
  return shapeOf(word).endsWith('cvc') && !/[wxy]$/.test(word)
}

/** A word with `v` for each vowel and `c` for each consonant. A y is a vowel behind a consonant. */
function shapeOf(word: string): string {
  let shape = ''
  for (const letter of word)
    shape += 'aeiou'.includes(letter) || (letter === 'y' && shape.endsWith('c')) ? 'v' : 'c'
  return shape
}
