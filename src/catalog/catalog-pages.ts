import { type CatalogEntry, type CatalogFormat, type CatalogPage, formatCatalog } from './catalog-formats.js'
import { estimateTenths } from './estimate-tokens.js'
import { countGroups, countsWithout, type GroupCounts, largestGroups } from './skill-groups.js'

/** The tools that a catalog may list, in its order. */
export interface Listable {
  /** First those of the `describable` ones, which have a description. */
  names: readonly string[]
  describable: number
  /** The entry of a name, by its place: made when it is described. */
  entryAt: (place: number) => CatalogEntry
  /** The group of each name. */
  groups: () => readonly string[]
  /** The groups of the tools that are never listed. */
  deferred: readonly string[]
}

export interface PageOptions {
  format: CatalogFormat
  /** The maximum number of tokens. */
  budget: number
  namesFirst: boolean
}

/** Decides whether a page has at most so many tokens. It is asked about pages of about this length only. */
export type Fits = (page: CatalogPage, tokens: number) => Promise<boolean>

/** The share of a budget that may go to tools without their descriptions. */
const SHARE = 1 / 4
const EMPTY: CatalogPage = { described: [], named: [], notListed: [] }

/**
 * Finds the page with the most descriptions that fits. It names the other tools, or counts them if their names would take
 * too much of the budget. With `namesFirst`, it names all before it describes one.
 */
export async function fillPage(tools: Listable, options: PageOptions, fits: Fits): Promise<CatalogPage> {
  const { names, describable, entryAt } = tools
  const { budget, namesFirst } = options
  const pageOf = pagesOf(tools)
  const all = (described: number): CatalogPage => pageOf(described, names.length)
  if (budget === Number.POSITIVE_INFINITY) return all(describable)
  const largest = (steps: Omit<Steps, 'format'>): Promise<CatalogPage | null> =>
    largestPage({ ...steps, format: options.format }, budget, fits)
  const ofName = (place: number): number => estimateTenths(`, ${names[place]}`)
  const ofEntry = (place: number): number =>
    estimateTenths(formatCatalog({ ...EMPTY, described: [entryAt(place)] }, options.format))

  // An estimate may be wrong, but hardly by so much.
  const named = isMore(names.length, ofName, 4 * 10 * budget)
    ? null
    : await largest({ last: describable, at: all, added: place => ofEntry(place) - ofName(place) })
  if (named && (namesFirst || named.described.length === describable)) return named
  if (named && (await fits({ ...named, described: [] }, budget * SHARE))) return named
  if (namesFirst) {
    const some = (number: number): CatalogPage => pageOf(0, number, 0)
    return (await largest({ last: names.length, at: some, added: ofName })) ?? EMPTY
  }
  const groups = await groupsThatFit(tools, budget * SHARE, fits)
  const counted = (described: number): CatalogPage => pageOf(described, described, groups)
  return (await largest({ last: describable, at: counted, added: ofEntry })) ?? EMPTY
}

/** True if so many items are together more than a number. Stops as soon as they are. */
function isMore(items: number, of: (item: number) => number, most: number): boolean {
  let sum = 0
  for (let item = 0; item < items && sum <= most; item++) sum += of(item)
  return sum > most
}

/** How many groups may be counted apart. */
async function groupsThatFit({ groups, deferred }: Listable, budget: number, fits: Fits): Promise<number> {
  const all = countGroups([...groups(), ...deferred])
  const counted = (most: number): CatalogPage => ({ ...EMPTY, notListed: largestGroups(all, most) })
  const last = all.size
  return Math.max(0, await largestThat(most => fits(counted(most), budget), last, last))
}

/**
 * Returns a function that makes the page that describes and names so many of the tools. It takes the number of tools that are
 * described, of those that are described or named, and of the groups of the others that are counted apart.
 */
function pagesOf({ names, entryAt, groups: groupsOf, deferred }: Listable) {
  const entries: CatalogEntry[] = []
  let all: GroupCounts | undefined
  const countsFrom = (named: number): GroupCounts => {
    if (named === names.length) return countGroups(deferred)
    all ??= countGroups([...groupsOf(), ...deferred])
    return countsWithout(all, groupsOf().slice(0, named))
  }
  return (described: number, named: number, groups = Number.POSITIVE_INFINITY): CatalogPage => {
    while (entries.length < described) entries.push(entryAt(entries.length))
    return {
      described: entries.slice(0, described),
      named: names.slice(described, named),
      notListed: largestGroups(countsFrom(named), groups),
    }
  }
}

/** Pages of which each shows one entry more than the one before. */
interface Steps {
  format: CatalogFormat
  /** The number of the last one. */
  last: number
  at: (step: number) => CatalogPage
  /** About the tenths of a token by which showing the tool at a place makes a page longer. */
  added: (place: number) => number
}

/** The last page that fits; null if none does. */
async function largestPage(
  { format, last, at, added }: Steps,
  budget: number,
  fits: Fits,
): Promise<CatalogPage | null> {
  let rest = 10 * budget - estimateTenths(formatCatalog(at(0), format))
  let guess = 0
  while (guess < last) {
    rest -= added(guess)
    if (rest < 0) break
    guess++
  }
  const step = await largestThat(number => fits(at(number), budget), guess, last)
  return step < 0 ? null : at(step)
}

/** The largest step that fits, looked for ever further from a guess; -1 if none does. */
async function largestThat(
  doesFit: (step: number) => Promise<boolean>,
  guess: number,
  last: number,
): Promise<number> {
  let least = -1
  let most = last + 1
  let step = guess
  for (let stride = 1; most - least > 1; stride *= 2) {
    if (await doesFit(step)) least = step
    else most = step
    if (most > last) step = Math.min(least + stride, last)
    else if (least < 0) step = Math.max(most - stride, 0)
    else step = Math.floor((least + most) / 2)
  }
  return least
}
