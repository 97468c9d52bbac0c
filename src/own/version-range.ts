/**
 * True where a release of ours is in a range of versions, as npm reads ranges; null for a text that is not a range. A tag may only be of
 * numbers (`>=0.2.0-0`). A prerelease of ours counts as the release that it precedes.
 */
export function isInRange(version: string, range: string): boolean | null {
  const release = version.replace(/[-+].*$/, '')
  const { from } = spanOf(release) ?? {}
  const sets = range.split('||').map(set => comparatorsOf(set.trim()))
  if (!from || sets.includes(null)) return null
  return sets.some(set => set?.every(isMet => isMet(from)))
}

/** The numbers of a version, and 1 for a release, 0 for what precedes it. */
type Point = readonly number[]

/** The versions that `1.2` or `1.2.3` means: from the first up to, not including, the second. */
interface Span {
  from: Point
  to: Point
  /** Its numbers, up to the first that may be any. */
  numbers: readonly number[]
}

type Comparator = (version: Point) => boolean

const HYPHEN = /^(\S+)\s+-\s+(\S+)$/
/** An operator, and spaces before its version. */
const SPACED = /([<>=~^])\s+(?![<>=~^\s])/g
const OPERATOR = /^(<=|>=|<|>|=|\^|~>|~)?(.*)$/

function comparatorsOf(set: string): Comparator[] | null {
  const [, first, last] = HYPHEN.exec(set) ?? []
  const texts = first && last ? [`>=${first}`, `<=${last}`] : set.replace(SPACED, '$1').split(/\s+/)
  const comparators = texts.map(comparatorOf)
  return comparators.some(one => one === null) ? null : (comparators as Comparator[])
}

function comparatorOf(text: string): Comparator | null {
  const [, operator = '=', partial = ''] = OPERATOR.exec(text || '*') ?? []
  const span = spanOf(partial)
  if (!span) return null
  const { from, to, numbers } = span
  if (operator === '<') return version => isBefore(version, from)
  if (operator === '>') return version => !isBefore(version, to)
  if (operator === '<=') return version => isBefore(version, to)
  if (operator === '>=') return version => !isBefore(version, from)
  const end = operator === '=' ? to : after(numbers.slice(0, operator === '^' ? significant(numbers) : 2))
  return version => !isBefore(version, from) && isBefore(version, end)
}

/** How many numbers `^` keeps: up to the first that is not 0. */
function significant(numbers: readonly number[]): number {
  const at = numbers.findIndex(one => one > 0)
  return at < 0 ? numbers.length : at + 1
}

const ANY = /[xX*]/
const PARTIAL =
  /^((?:0|[1-9]\d{0,14}|[xX*])(?:\.(?:0|[1-9]\d{0,14}|[xX*])){0,2})(-(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*))*)?$/

function spanOf(text: string): Span | null {
  const [, first = '', tag] = PARTIAL.exec(text) ?? []
  const parts = first.split('.')
  const numbers = parts.filter(part => !ANY.test(part)).map(Number)
  // Every number after a wildcard is a wildcard too.
  if (first === '' || parts.slice(0, numbers.length).some(part => ANY.test(part))) return null
  if (numbers.length === 3) {
    const from = [...numbers, tag ? 0 : 1]
    return { numbers, from, to: after(from) }
  }
  return tag ? null : { numbers, from: padded(numbers), to: after(numbers) }
}

/** The first version past all that begin with some numbers. */
function after(numbers: Point): Point {
  const last = numbers.at(-1)
  return last === undefined ? [Number.POSITIVE_INFINITY] : padded([...numbers.slice(0, -1), last + 1])
}

function padded(numbers: Point): Point {
  return [...numbers, 0, 0, 0, 0].slice(0, 4)
}

function isBefore(one: Point, other: Point): boolean {
  const at = one.findIndex((number, index) => number !== (other[index] ?? 0))
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0)
}
