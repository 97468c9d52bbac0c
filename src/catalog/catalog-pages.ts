import { type CatalogEntry, type CatalogFormat, type CatalogPage, formatCatalog } from './catalog-formats.js'
import { estimateTenths } from './estimate-tokens.js'

/**
 * Finds the page that shows the most and fits, in steps of which each adds a name and, once all are named, a
 * description; the empty page if none fits.
 *
 * @param describable the number of entries with a description, which come first
 * @param budget the number of tokens; `fits` decides, and is asked about pages of about this length only
 */
export async function largestPage(
  entries: readonly CatalogEntry[],
  describable: number,
  format: CatalogFormat,
  budget: number,
  fits: (page: CatalogPage) => Promise<boolean>,
): Promise<CatalogPage> {
  const last = entries.length + describable
  if (budget === Number.POSITIVE_INFINITY) return pageAt(last, entries)
  const doesFit = (step: number): Promise<boolean> => fits(pageAt(step, entries))
  const guess = estimatedStep(entries, describable, format, 10 * budget)
  let step = await largestThat(doesFit, guess, last)
  // Only the page of all names lacks the line about others, so that it may fit where one with fewer names does not.
  const isNear = step < entries.length && entries.length - step <= NAMES_OF_LINE
  if (isNear && (await doesFit(entries.length))) step = await largestThat(doesFit, entries.length, last)
  return step < 0 ? pageAt(0, []) : pageAt(step, entries)
}

/** The most names that are as long as the line about omitted tools. */
const NAMES_OF_LINE = 16

function pageAt(step: number, entries: readonly CatalogEntry[]): CatalogPage {
  const described = Math.max(0, step - entries.length)
  const named = Math.min(step, entries.length)
  return {
    described: entries.slice(0, described),
    named: entries.slice(described, named).map(({ name }) => name),
    unnamed: entries.length - named,
  }
}

/** About the largest step that fits: what each step adds is added up, in tenths of a token, until it is too much. */
function estimatedStep(
  entries: readonly CatalogEntry[],
  describable: number,
  format: CatalogFormat,
  tenths: number,
): number {
  const frame = estimateTenths(formatCatalog(pageAt(0, []), format))
  const ofName = ({ name }: CatalogEntry): number => estimateTenths(`, ${name}`)
  const ofEntry = (entry: CatalogEntry): number =>
    estimateTenths(formatCatalog({ described: [entry], named: [], unnamed: 0 }, format)) - frame
  let rest = tenths - estimateTenths(formatCatalog(pageAt(0, entries), format))
  for (const [number, entry] of entries.entries()) {
    rest -= ofName(entry)
    if (rest < 0) return number
  }
  for (const [number, entry] of entries.slice(0, describable).entries()) {
    rest -= ofEntry(entry) - ofName(entry)
    if (rest < 0) return entries.length + number
  }
  return entries.length + describable
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
