import { type CatalogEntry, type CatalogFormat, type CatalogPage, formatCatalog } from './catalog-formats.js'
import { estimateTenths } from './estimate-tokens.js'
import { countGroups } from './skill-groups.js'

/** The tools that a catalog may list, in its order. */
export interface Listable {
  /** First the `describable` ones, which have a description. */
  entries: readonly CatalogEntry[]
  describable: number
  /** The group of each entry. */
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
  const { entries, describable } = tools
  const { budget, namesFirst } = options
  const all = (described: number): CatalogPage => pageOf(tools, described, entries.length)
  if (budget === Number.POSITIVE_INFINITY) return all(describable)
  const largest = (steps: Omit<Steps, 'format'>): Promise<CatalogPage | null> =>
    largestPage({ ...steps, format: options.format }, budget, fits)
  const ofName = ({ name }: CatalogEntry): number => estimateTenths(`, ${name}`)
  const ofEntry = (entry: CatalogEntry): number =>
    estimateTenths(formatCatalog({ ...EMPTY, described: [entry] }, options.format))
  const names = entries.reduce((sum, entry) => sum + ofName(entry), 0)

  // An estimate may be wrong, but hardly by so much.
  const named =
    names > 4 * 10 * budget
      ? null
      : await largest({ last: describable, at: all, added: entry => ofEntry(entry) - ofName(entry), entries })
  if (named && (namesFirst || named.described.length === describable)) return named
  if (named && (await fits({ ...named, described: [] }, budget * SHARE))) return named
  if (namesFirst) {
    const some = (number: number): CatalogPage => pageOf(tools, 0, number, 0)
    return (await largest({ last: entries.length, at: some, added: ofName, entries })) ?? EMPTY
  }
  const groups = await groupsThatFit(tools, budget * SHARE, fits)
  const counted = (described: number): CatalogPage => pageOf(tools, described, described, groups)
  return (await largest({ last: describable, at: counted, added: ofEntry, entries })) ?? EMPTY
}

/** How many groups may be counted apart. */
async function groupsThatFit({ groups, deferred }: Listable, budget: number, fits: Fits): Promise<number> {
  const all = [...groups(), ...deferred]
  const counted = (most: number): CatalogPage => ({ ...EMPTY, notListed: countGroups(all, most) })
  const last = new Set(all).size
  return Math.max(0, await largestThat(most => fits(counted(most), budget), last, last))
}

/**
 * The page that describes and names so many of the tools.
 *
 * @param named the number of tools that are described or named
 * @param groups how many groups of the others are counted apart
 */
function pageOf(
  { entries, groups: groupsOf, deferred }: Listable,
  described: number,
  named: number,
  groups = Number.POSITIVE_INFINITY,
): CatalogPage {
  const others = named < entries.length ? groupsOf().slice(named) : []
  return {
    described: entries.slice(0, described),
    named: entries.slice(described, named).map(({ name }) => name),
    notListed: countGroups([...others, ...deferred], groups),
  }
}

/** Pages of which each shows one entry more than the one before. */
interface Steps {
  format: CatalogFormat
  entries: readonly CatalogEntry[]
  /** The number of the last one. */
  last: number
  at: (step: number) => CatalogPage
  /** About the tenths of a token by which showing an entry makes a page longer. */
  added: (entry: CatalogEntry) => number
}

/** The last page that fits; null if none does. */
async function largestPage(
  { format, entries, last, at, added }: Steps,
  budget: number,
  fits: Fits,
): Promise<CatalogPage | null> {
  let rest = 10 * budget - estimateTenths(formatCatalog(at(0), format))
  let guess = 0
  for (const entry of entries.slice(0, last)) {
    rest -= added(entry)
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
