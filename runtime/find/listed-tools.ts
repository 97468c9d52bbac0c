import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { isBroken, type NameRecord, type ToolRecord } from '../../src/index/index-format.js'
import {
  brokenAt,
  isSameRow,
  type ListColumns,
  ListedRecord,
  readList,
  rowIn,
} from '../../src/index/list-columns.js'
import { IndexRefused, type OpenIndex } from '../../src/index/read-index.js'

/** All tools of a directory, in order of name. */
export interface DirectoryTools {
  names: readonly string[]
  /** The record of the name of a number. */
  recordAt: (number: number) => NameRecord | undefined
}

/** All tools of an index: by its list, or where it has none by all of its records, which are read first, so that one that is refused gives none. */
export function toolsOf(index: OpenIndex, directory: string): DirectoryTools {
  return index.header.list ? listOf(index, directory) : toolsIn(index)
}

/** All tools of names that are in memory. */
export function toolsIn(names: DirectoryNames): DirectoryTools {
  const known = names.names()
  return { names: known, recordAt: number => names.tool(known[number] ?? '') }
}

const lists = new WeakMap<OpenIndex, ToolList>()

/** The list of an index, read once. Throws IndexRefused. */
function listOf(index: OpenIndex, directory: string): ToolList {
  const known = lists.get(index)
  if (known) return known
  const list = new ToolList(index, readList(disk, directory, index.header))
  lists.set(index, list)
  return list
}

/** The tools of an index by its list. From when it is read, the index refuses itself for a record that differs from its row. */
class ToolList implements DirectoryTools {
  readonly names: readonly string[]
  readonly #index: OpenIndex
  readonly #columns: ListColumns
  readonly #records: (NameRecord | undefined)[] = []

  constructor(index: OpenIndex, columns: ListColumns) {
    this.names = columns.names
    this.#index = index
    this.#columns = columns
    const { tool } = index
    index.tool = (name, isOwn) => {
      const record = tool(name, isOwn)
      this.#expectSame(name, record)
      return record
    }
  }

  recordAt(row: number): NameRecord {
    let record = this.#records[row]
    // A field that a record lacks, its accessor gives as undefined.
    record ??=
      brokenAt(this.#columns, row) ?? (new IndexedRecord(this.#columns, row, this.#index) as ToolRecord)
    this.#records[row] = record
    return record
  }

  #expectSame(name: string, record: NameRecord | undefined): void {
    const row = rowIn(this.#columns, name)
    // A bare name leads to a tool of a namespace, which has a row of its own.
    const own =
      row === -1 && record && !isBroken(record) ? rowIn(this.#columns, record.frontmatter.name) : row
    const isSame = record ? own !== -1 && isSameRow(this.#columns, own, record) : row === -1
    if (!isSame) throw new IndexRefused(`the record of ${JSON.stringify(name)} is not what its list says`)
  }
}

/** A tool's record of which the list has a part. The rest is read from its shard when it is asked for. */
class IndexedRecord extends ListedRecord {
  readonly #index: OpenIndex

  constructor(columns: ListColumns, row: number, index: OpenIndex) {
    super(columns, row)
    this.#index = index
  }

  get delegate() {
    return this.#whole.delegate
  }

  get directives() {
    return this.#whole.directives
  }

  get exported() {
    return this.#whole.exported
  }

  get module() {
    return this.#whole.module
  }

  get validators() {
    return this.#whole.validators
  }

  get #whole(): ToolRecord {
    const { name } = this.frontmatter
    try {
      return this.#index.tool(name, true) as ToolRecord
    } catch (error) {
      if (!(error instanceof IndexRefused)) throw error
      throw new AgentAppsError('INDEX_STALE', `The index that lists "${name}" was replaced or changed.`, {
        hint: 'List the tools again, or find this one by its name.',
        tool: name,
        cause: error,
      })
    }
  }
}
