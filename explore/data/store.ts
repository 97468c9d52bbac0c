import { batch, type Signal, signal } from '@preact/signals'
import type { PageRows } from '../../cli/explore/page-data.js'
import { type Blocks, readBlock } from './blocks.js'
import type { Row } from './row.js'

/** A value that is unpacked, or fetched, when a view needs it. */
export type Loading<Value> =
  | { state: 'loading'; value?: never }
  | { state: 'ready'; value: Value }
  | { state: 'failed'; reason: string; value?: never }

/** The rows with what is looked up in them often. */
export interface Rows extends PageRows {
  rows: Row[]
  byId: ReadonlyMap<string, Row>
}

let blocks: Blocks
const loaded = new Map<string, Entry>()

export function openStore(from: Blocks): void {
  blocks = from
}

export function rowsBlock(): Loading<Rows> {
  return shared('rows', async () => withLookUps(await readBlock<PageRows>(blocks, 'rows')))
}

/** The JSON of a block. Reading it in a component shows the component again once it is there. */
export function block<Value>(name: string): Loading<Value> {
  return shared(name, () => readBlock<Value>(blocks, name))
}

/** Something that is made of blocks, once for all who ask. */
export function shared<Value>(key: string, read: () => Promise<Value>): Loading<Value> {
  const known = loaded.get(key)
  if (known) return known.signal.value as Loading<Value>
  const entry = { signal: signal<Loading<unknown>>({ state: 'loading' }), read }
  loaded.set(key, entry)
  void reading(entry).then(value => {
    entry.signal.value = value
  })
  return entry.signal.value as Loading<Value>
}

/** Reads everything again, and shows it at once: rows and texts of different states would not fit. */
export async function reload(): Promise<void> {
  const entries = [...loaded.values()]
  const read = await Promise.all(entries.map(reading))
  batch(() => {
    for (const [at, entry] of entries.entries()) entry.signal.value = read[at] as Loading<unknown>
  })
}

export function readBlocks(): Blocks {
  return blocks
}

interface Entry {
  signal: Signal<Loading<unknown>>
  read: () => Promise<unknown>
}

async function reading({ read }: Entry): Promise<Loading<unknown>> {
  try {
    return { state: 'ready', value: await read() }
  } catch (error) {
    return { state: 'failed', reason: error instanceof Error ? error.message : String(error) }
  }
}

function withLookUps(read: PageRows): Rows {
  const rows = read.rows.map((row, number): Row => {
    const id = row.kind === 'broken' || row.kind === 'skipped' ? `file:${row.file}` : row.name
    const words = `${row.name}\n${row.plugin ?? ''}\n${row.file}\n${row.description}`.toLowerCase()
    return { ...row, number, id, words }
  })
  return { ...read, rows, byId: new Map(rows.map(row => [row.id, row])) }
}
