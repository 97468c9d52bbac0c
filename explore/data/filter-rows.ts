import type { Row } from './row.js'

/** The filters and the order of the table, as the address has them. An empty string is no limit. */
export interface RowFilter {
  words: string
  state: string
  kind: string
  layer: string
  plugin: string
  permission: string
}

export type FacetName = Exclude<keyof RowFilter, 'words'>

/** A choice of a filter, and how many rows it leaves besides the other filters. */
export interface FacetChoice {
  value: string
  count: number
}

/** The states that rows are looked for by. A row may have several. */
export const STATES: Readonly<Record<string, { label: string; has: (row: Row) => boolean }>> = {
  broken: { label: 'Does not load', has: ({ kind }) => kind === 'broken' },
  errors: { label: 'Has errors', has: ({ errors }) => errors > 0 },
  warnings: { label: 'Has warnings', has: ({ warnings }) => warnings > 0 },
  clean: {
    label: 'No problems',
    has: ({ kind, errors, warnings }) => errors + warnings === 0 && kind !== 'skipped',
  },
  skipped: { label: 'Left out', has: ({ kind }) => kind === 'skipped' },
  hidden: { label: 'Not shown to agents', has: ({ hidden }) => hidden },
  shadows: { label: 'Shadows another', has: ({ shadows }) => shadows > 0 },
}

const VALUES: Readonly<Record<FacetName, (row: Row) => readonly string[]>> = {
  state: row => Object.keys(STATES).filter(state => STATES[state]?.has(row)),
  // Files without a tool are among the states.
  kind: ({ kind, role }) =>
    kind === 'broken' || kind === 'skipped' ? [] : role === null ? [kind] : [kind, role],
  layer: ({ layer }) => [layer],
  plugin: ({ plugin }) => (plugin === null ? [] : [plugin]),
  permission: ({ required, optional }) =>
    optional.length === 0 ? required : [...new Set([...required, ...optional])],
}

export const FACETS = Object.keys(VALUES) as FacetName[]

/** A row's values of all filters. */
type FacetValues = Record<FacetName, readonly string[]>

const known = new WeakMap<Row, FacetValues>()
const shared = new Map<string, FacetValues>()

/** A row's values, the same object for all rows that have the same: thousands of rows have a few dozen. */
function valuesOf(row: Row): FacetValues {
  let values = known.get(row)
  if (values === undefined) {
    const made = Object.fromEntries(FACETS.map(name => [name, VALUES[name](row)])) as FacetValues
    const key = JSON.stringify(made)
    values = shared.get(key) ?? made
    shared.set(key, values)
    known.set(row, values)
  }
  return values
}

/** The rows that a filter leaves. Of a search's words, each must be in the row; rows whose names have the first come first. */
export function filterRows(rows: readonly Row[], filter: RowFilter): Row[] {
  const words = wordsOf(filter)
  const set = facetsSet(filter)
  const found = rows.filter(row => hasWords(row, words) && fits(valuesOf(row), filter, set))
  const [first] = words
  if (first === undefined) return found
  const inName = (row: Row): boolean => row.name.toLowerCase().includes(first)
  return [...found.filter(inName), ...found.filter(row => !inName(row))]
}

/** The choices of each filter, most rows first. */
export function facetsOf(rows: readonly Row[], filter: RowFilter): Record<FacetName, FacetChoice[]> {
  const words = wordsOf(filter)
  const set = facetsSet(filter)
  const rowsWith = new Map<FacetValues, number>()
  for (const row of rows) {
    if (!hasWords(row, words)) continue
    const values = valuesOf(row)
    rowsWith.set(values, (rowsWith.get(values) ?? 0) + 1)
  }
  const facets = FACETS.map(name => {
    const others = set.filter(other => other !== name)
    const counts = new Map<string, number>()
    for (const [values, count] of rowsWith) {
      if (!fits(values, filter, others)) continue
      for (const value of values[name]) counts.set(value, (counts.get(value) ?? 0) + count)
    }
    const choices = [...counts].map(([value, count]) => ({ value, count }))
    return [name, choices.sort(name === 'state' ? byState : byCount)] as const
  })
  return Object.fromEntries(facets) as Record<FacetName, FacetChoice[]>
}

/** The orders of the table. */
export const ORDERS: Readonly<Record<string, (a: Row, b: Row) => number>> = {
  name: (a, b) => compare(a.name, b.name),
  plugin: (a, b) => compare(a.plugin ?? '\uffff', b.plugin ?? '\uffff'),
  kind: (a, b) => compare(a.kind, b.kind),
  layer: (a, b) => compare(a.layer, b.layer),
  tokens: (a, b) => b.tokens - a.tokens,
  permissions: (a, b) => b.required.length + b.optional.length - a.required.length - a.optional.length,
  problems: (a, b) => weight(b) - weight(a),
}

/** @param order a key of `ORDERS`, after a `-` where it is to be turned round; any other keeps the order */
export function sortRows(rows: readonly Row[], order: string): readonly Row[] {
  const by = ORDERS[order.replace(/^-/, '')]
  if (!by) return rows
  return rows.toSorted(order.startsWith('-') ? (a, b) => by(b, a) : by)
}

function weight({ kind, errors, warnings, infos }: Row): number {
  return (kind === 'broken' ? 1e9 : 0) + errors * 1e6 + warnings * 1e3 + infos
}

function wordsOf({ words }: RowFilter): string[] {
  return words
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
}

function hasWords(row: Row, words: readonly string[]): boolean {
  return words.every(word => row.words.includes(word))
}

/** The names of the filters that are set. */
function facetsSet(filter: RowFilter): FacetName[] {
  return FACETS.filter(name => filter[name] !== '')
}

function fits(values: FacetValues, filter: RowFilter, names: readonly FacetName[]): boolean {
  return names.every(name => values[name].includes(filter[name]))
}

function byState(a: FacetChoice, b: FacetChoice): number {
  const states = Object.keys(STATES)
  return states.indexOf(a.value) - states.indexOf(b.value)
}

function byCount(a: FacetChoice, b: FacetChoice): number {
  return b.count - a.count || compare(a.value, b.value)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
