import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { isPlain } from '../../src/catalog/offered-tool.js'
import type { DirectoryNames } from '../../src/index/directory-names.js'
import { isBroken, type NameRecord, type ToolRecord } from '../../src/index/index-format.js'
import {
  isSameRow,
  KINDS_BY_LETTER,
  type ListColumns,
  pathAt,
  ROLES_BY_LETTER,
} from '../../src/index/list-columns.js'
import { brokenAt, ListedRecord } from '../../src/index/listed-record.js'
import { IndexRefused, type OpenIndex } from '../../src/index/read-index.js'
import { readList, rowIn } from '../../src/index/read-list.js'
import type { ToolFrontmatter, ToolKind } from '../../src/skill/frontmatter.js'
import { askIndex } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'

/** The tools of an index by its list. */
export interface ToolList {
  names: DirectoryNames
  columns: ListColumns
  recordAt: (row: number) => NameRecord
}

/** The source of a sound tool that a list has. Its record is made when it is needed. */
export class ListedSource implements ToolSource {
  verbatim?: JsonObject
  isPlain: boolean

  constructor(
    readonly state: DirectoryState,
    private readonly list: ToolList,
    private readonly row: number,
  ) {
    this.isPlain = isPlainRow(list.columns, row)
  }

  get names(): DirectoryNames {
    return this.list.names
  }

  get record(): ToolRecord {
    return this.list.recordAt(this.row) as ToolRecord
  }

  get file(): string {
    return pathAt(this.list.columns, this.row)
  }

  get isDescribed(): boolean {
    return this.list.columns.descriptions[this.row] !== null
  }
}

/** The source of a tool that is as a plain row of a list says; null for any other. */
export function plainSourceOf(tool: ToolDef): ToolSource | null {
  const source = sourceOf(tool)
  return source?.isPlain ? source : null
}

/** The kind of a row's tool; undefined if it is broken. */
export function kindAt({ kinds }: ListColumns, row: number): ToolKind | undefined {
  return KINDS_BY_LETTER.get(kinds[row] as string)
}

/** True for the row of a sound tool whose frontmatter is plain, as `isPlain` means it. */
function isPlainRow({ roles, more }: ListColumns, row: number): boolean {
  const role = ROLES_BY_LETTER.get(roles[row] as string)
  const { visibility, tags = NONE, metadata = NOTHING } = more[row]?.frontmatter ?? NO_FIELDS
  return isPlain({ role, visibility, tags, metadata })
}

const NONE: string[] = []
const NOTHING = {}
const NO_FIELDS: Partial<ToolFrontmatter> = {}

const lists = new WeakMap<DirectoryNames, ToolList>()

/**
 * The list of a directory's index, read once; null where other names answer, or the index has no list. From then on, a
 * record that differs from its row refuses the index.
 *
 * @throws IndexRefused
 */
export function toolList(names: DirectoryNames, state: DirectoryState, globals: Globals): ToolList | null {
  const known = lists.get(names)
  if (known) return known
  const { index } = state
  if (!index || index !== names || index.header.list === undefined) return null
  const list = listOf(index, state, globals)
  lists.set(index, list)
  return list
}

function listOf(index: OpenIndex, state: DirectoryState, globals: Globals): ToolList {
  const columns = readList(disk, state.dir, index.header)
  expectSameRows(index, columns)
  index.names = () => [...columns.names]
  const whole = (name: string): ToolRecord => wholeRecord(name, state, globals)
  const records: NameRecord[] = []
  return {
    names: index,
    columns,
    recordAt(row) {
      // The fields that the tool lacks are undefined.
      records[row] ??=
        brokenAt(columns, row) ?? (new IndexedRecord(columns, row, whole) as object as ToolRecord)
      return records[row]
    },
  }
}

/** Has an index refuse itself for a record that differs from its row. Each is compared when it is first asked for. */
function expectSameRows(index: OpenIndex, columns: ListColumns): void {
  const { tool } = index
  const compared = new Set<NameRecord>()
  index.tool = (name, isOwn) => {
    const record = tool(name, isOwn)
    if (record && compared.has(record)) return record
    // A bare name leads to a tool of a namespace, which has a row of its own.
    const row = rowIn(columns, record && !isBroken(record) ? record.frontmatter.name : name)
    const isSame = row === -1 ? !record || isBroken(record) : record && isSameRow(columns, row, record)
    if (!isSame)
      throw new IndexRefused(`the record of ${JSON.stringify(name)} differs from its row in the list`)
    if (record) compared.add(record)
    return record
  }
}

/** The record of a listed tool, from the index as it is now: parts of the listed one may be gone. */
function wholeRecord(name: string, state: DirectoryState, globals: Globals): ToolRecord {
  const record = askIndex(state, globals, index => index.tool(name, true))
  if (record && !isBroken(record)) return record
  throw new AgentAppsError('INDEX_STALE', `The index that lists "${name}" was replaced or changed.`, {
    hint: 'List the tools again, or find this one by its name.',
    tool: name,
  })
}

/** A tool's record of which the list has a part. The rest is read from its shard when it is asked for. */
class IndexedRecord extends ListedRecord {
  readonly #whole: (name: string) => ToolRecord

  constructor(columns: ListColumns, row: number, whole: (name: string) => ToolRecord) {
    super(columns, row)
    this.#whole = whole
  }

  get delegate() {
    return this.#record.delegate
  }

  get directives() {
    return this.#record.directives
  }

  get exported() {
    return this.#record.exported
  }

  get module() {
    return this.#record.module
  }

  get validators() {
    return this.#record.validators
  }

  get #record(): ToolRecord {
    return this.#whole(this.name)
  }
}
