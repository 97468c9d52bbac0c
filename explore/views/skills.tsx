import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import {
  type FacetChoice,
  type FacetName,
  facetsOf,
  filterRows,
  type RowFilter,
  STATES,
  sortRows,
} from '../data/filter-rows.js'
import { go, linkTo, route, setParams } from '../data/route.js'
import type { Row } from '../data/row.js'
import type { Rows } from '../data/store.js'
import { Permissions, Severities } from '../parts/marks.js'
import { counted, grouped, Text } from '../parts/text.js'
import { useVirtualRows } from '../parts/virtual-rows.js'

const ROW_HEIGHT = 34

interface Column {
  id: string
  label: string
  /** Its width in the grid. */
  width: string
  /** A key of `ORDERS`. */
  order?: string
  /** True for a column that a narrow window leaves out. */
  isWide?: boolean
  /** True if any of the rows has something to show in it. Absent: it always has. */
  isUsed?: (rows: readonly Row[]) => boolean
}

const COLUMNS: readonly Column[] = [
  { id: 'name', label: 'Name', width: 'minmax(190px, 1.3fr)', order: 'name' },
  { id: 'description', label: 'Description', width: 'minmax(110px, 2.4fr)' },
  {
    ...{ id: 'plugin', label: 'Plugin', width: 'minmax(90px, 0.7fr)', order: 'plugin', isWide: true },
    isUsed: rows => rows.some(({ plugin }) => plugin !== null),
  },
  { id: 'kind', label: 'Kind', width: '86px', order: 'kind' },
  {
    ...{ id: 'layer', label: 'Layer', width: '64px', order: 'layer', isWide: true },
    isUsed: rows => rows.some(({ layer }) => layer !== rows[0]?.layer),
  },
  {
    ...{ id: 'permissions', label: 'Permissions', width: '150px', order: 'permissions' },
    isUsed: rows => rows.some(({ required, optional }) => required.length + optional.length > 0),
  },
  { id: 'tokens', label: 'Tokens', width: '56px', order: 'tokens' },
  { id: 'problems', label: 'Problems', width: '112px', order: 'problems' },
]

const FACET_LABELS: Readonly<Record<FacetName, string>> = {
  state: 'State',
  kind: 'Kind and role',
  plugin: 'Plugin',
  permission: 'Permission',
  layer: 'Layer',
}

/** All skills in a table that is searched, filtered and sorted. Its state is in the address. */
export function SkillsView({ rows: { rows, directories } }: { rows: Rows }): JSX.Element {
  const { params } = route.value
  const read = (key: string): string => params.get(key) ?? ''
  const filter: RowFilter = {
    words: read('words'),
    state: read('state'),
    kind: read('kind'),
    layer: read('layer'),
    plugin: read('plugin'),
    permission: read('permission'),
  }
  const key = JSON.stringify(filter)
  const order = read('sort')
  const found = useMemo(() => filterRows(rows, filter), [rows, key])
  const shown = useMemo(() => sortRows(found, order), [found, order])
  const facets = useMemo(() => facetsOf(rows, filter), [rows, key])
  const columns = useMemo(() => COLUMNS.filter(({ isUsed }) => isUsed?.(rows) ?? true), [rows])
  const isFiltered = Object.values(filter).some(value => value !== '')
  return (
    <div class="skills">
      <aside class="facets" aria-label="Filters">
        {(Object.keys(FACET_LABELS) as FacetName[]).map(name => (
          <Facet key={name} name={name} choices={facets[name]} chosen={filter[name]} all={found.length} />
        ))}
      </aside>
      <section class="list" aria-label="Skills">
        <h1 class="unseen">Skills</h1>
        <div class="bar">
          <SearchField words={filter.words} />
          <p class="found" role="status">
            {isFiltered
              ? `${grouped(shown.length)} of ${counted(rows.length, 'skill')}`
              : counted(rows.length, 'skill')}
            {isFiltered && (
              <button type="button" class="plain" onClick={() => go(linkTo('skills', '', { sort: order }))}>
                Show all
              </button>
            )}
          </p>
        </div>
        {shown.length > 0 ? (
          <Table rows={shown} order={order} columns={columns} />
        ) : (
          <div class="notice">
            <h2>{rows.length === 0 ? 'There are no skills yet' : 'No skill is like that'}</h2>
            <p>
              {rows.length === 0
                ? `Nothing was found in ${directories.join(', ') || 'the configured paths'}. \`agent-apps init\` writes an example.`
                : 'Take a word or a filter away.'}
            </p>
          </div>
        )}
      </section>
    </div>
  )
}

function SearchField({ words }: { words: string }): JSX.Element {
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      if (event.key !== '/' || (event.target as Element).closest('input, textarea, select')) return
      event.preventDefault()
      field.current?.focus()
    }
    addEventListener('keydown', focus)
    return () => removeEventListener('keydown', focus)
  }, [])
  return (
    <label class="search">
      <span class="unseen">Search names, descriptions, plugins and files</span>
      <input
        ref={field}
        type="search"
        placeholder="Search…"
        value={words}
        autocomplete="off"
        spellcheck={false}
        onInput={event => setParams({ words: event.currentTarget.value })}
        onKeyDown={event => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          document.querySelector<HTMLElement>('[role=grid]')?.focus()
        }}
      />
      <kbd aria-hidden="true">/</kbd>
    </label>
  )
}

/** So many choices are shown at once. */
const CHOICES = 8

function Facet({
  name,
  choices,
  chosen,
  all,
}: {
  name: FacetName
  choices: FacetChoice[]
  chosen: string
  /** How many rows are found. */
  all: number
}): JSX.Element | null {
  const [isWhole, setWhole] = useState(false)
  const [only, second] = choices
  // A choice that all rows have is none.
  if (!only || (!second && only.count === all && chosen === '')) return null
  const shown = isWhole ? choices : choices.filter(({ value }, at) => at < CHOICES || value === chosen)
  return (
    <section>
      <h2>{FACET_LABELS[name]}</h2>
      <ul>
        {shown.map(({ value, count }) => (
          <li key={value}>
            <button
              type="button"
              aria-pressed={value === chosen}
              onClick={() => setParams({ [name]: value === chosen ? '' : value })}
            >
              <span>{name === 'state' ? STATES[value]?.label : <Text>{value}</Text>}</span>
              <span class="count">{grouped(count)}</span>
            </button>
          </li>
        ))}
      </ul>
      {choices.length > shown.length && (
        <button type="button" class="plain" onClick={() => setWhole(true)}>
          {`All ${grouped(choices.length)}`}
        </button>
      )}
    </section>
  )
}

/** A grid in which the arrow keys move, and Enter opens. */
function Table({
  rows,
  order,
  columns,
}: {
  rows: readonly Row[]
  order: string
  columns: readonly Column[]
}): JSX.Element {
  const scroller = useRef<HTMLDivElement>(null)
  const { items, height, topOf, scrollTo } = useVirtualRows(rows.length, ROW_HEIGHT, scroller)
  const [active, setActive] = useState(0)
  useEffect(() => void performance.mark('table'), [])
  useEffect(() => {
    setActive(0)
    scroller.current?.scrollTo(0, 0)
  }, [rows])
  const move = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? 0) / ROW_HEIGHT) - 2)
    const steps: Record<string, number> = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -rows.length,
      End: rows.length,
    }
    const row = rows[active]
    if (event.key === 'Enter' && row) go(linkTo('skill', row.id))
    const step = steps[event.key]
    if (step === undefined) return
    event.preventDefault()
    const next = Math.max(0, Math.min(rows.length - 1, active + step))
    setActive(next)
    scrollTo(next)
  }
  return (
    <div
      class="grid"
      role="grid"
      aria-label="Skills"
      aria-rowcount={rows.length + 1}
      aria-activedescendant={items.some(({ index }) => index === active) ? `row-${active}` : undefined}
      tabIndex={0}
      ref={scroller}
      style={{
        '--columns': columns.map(({ width }) => width).join(' '),
        '--narrow-columns': columns.flatMap(({ width, isWide }) => (isWide ? [] : [width])).join(' '),
      }}
      onKeyDown={move}
    >
      <div role="rowgroup" class="heads">
        <div role="row" class="row head" aria-rowindex={1}>
          {columns.map(column => (
            <Head key={column.id} column={column} by={order} />
          ))}
        </div>
      </div>
      <div role="rowgroup" class="rows" style={{ height: `${height}px` }}>
        {items.map(item => {
          const { index } = item
          const row = rows[index]
          return (
            row && (
              <SkillLine
                key={row.id}
                {...{ row, columns, index }}
                top={topOf(item)}
                isActive={index === active}
              />
            )
          )
        })}
      </div>
    </div>
  )
}

function Head({ column: { id, label, order }, by }: { column: Column; by: string }): JSX.Element {
  const isUp = order !== undefined && by === order
  const isDown = order !== undefined && by === `-${order}`
  return (
    <div role="columnheader" class={id} aria-sort={isUp ? 'ascending' : isDown ? 'descending' : undefined}>
      {order === undefined ? (
        label
      ) : (
        <button type="button" tabIndex={-1} onClick={() => setParams({ sort: isUp ? `-${order}` : order })}>
          {label}
          <span class="arrow" aria-hidden="true">
            {isUp ? '↓' : isDown ? '↑' : ''}
          </span>
        </button>
      )}
    </div>
  )
}

function SkillLine({
  row,
  columns,
  index,
  top,
  isActive,
}: {
  row: Row
  columns: readonly Column[]
  index: number
  top: number
  isActive: boolean
}): JSX.Element {
  const { id, kind, hidden } = row
  const open = (event: MouseEvent): void => {
    if (!(event.target as Element).closest('a')) go(linkTo('skill', id))
  }
  return (
    <div
      role="row"
      id={`row-${index}`}
      class={['row', kind, isActive && 'active', hidden && 'dim'].filter(Boolean).join(' ')}
      aria-rowindex={index + 2}
      aria-selected={isActive}
      style={{ transform: `translateY(${top}px)` }}
      onClick={open}
    >
      {columns.map(column => (
        <div key={column.id} role="gridcell" class={column.id}>
          {CELLS[column.id]?.(row)}
        </div>
      ))}
    </div>
  )
}

/** Kinds that are not named as they are. */
export const KINDS: Readonly<Record<string, string>> = { broken: 'does not load', skipped: 'left out' }

/** The value of a row in each column. */
const CELLS: Readonly<Record<string, (row: Row) => ComponentChildren>> = {
  name: ({ name, id }) => (
    <a href={linkTo('skill', id)} tabIndex={-1}>
      <Text>{name}</Text>
    </a>
  ),
  description: ({ description }) => <Text>{description}</Text>,
  plugin: ({ plugin }) => plugin !== null && <Text>{plugin}</Text>,
  kind: ({ kind, role }) => KINDS[kind] ?? role ?? kind,
  layer: ({ layer }) => layer,
  permissions: row => <Permissions of={row} />,
  tokens: ({ tokens }) => (tokens === 0 ? '–' : grouped(tokens)),
  problems: row => <Severities of={row} />,
}
