import type { ToolFrontmatter, ToolKind } from '../skill/frontmatter.js'
import type { BrokenRecord } from './index-format.js'
import { KINDS_BY_LETTER, type ListColumns, pathAt, ROLES_BY_LETTER } from './list-columns.js'

/** The part of a sound tool's record that a list has. Its fields are made when they are read. */
export class ListedRecord {
  readonly #columns: ListColumns
  readonly #row: number
  #frontmatter?: ToolFrontmatter

  constructor(columns: ListColumns, row: number) {
    this.#columns = columns
    this.#row = row
  }

  get name(): string {
    return this.#columns.names[this.#row] as string
  }

  get file(): string {
    return pathAt(this.#columns, this.#row)
  }

  get kind(): ToolKind {
    return KINDS_BY_LETTER.get(this.#columns.kinds[this.#row] as string) as ToolKind
  }

  get size(): number {
    return this.#columns.sizes[this.#row] as number
  }

  get content(): [start: number, end: number] | undefined {
    const start = this.#columns.content[this.#row] as number | null
    return start === null ? undefined : [start, this.#columns.more[this.#row]?.end ?? this.size]
  }

  get fragment(): string | undefined {
    return this.#columns.more[this.#row]?.fragment
  }

  get frontmatter(): ToolFrontmatter {
    this.#frontmatter ??= frontmatterAt(this.#columns, this.#row)
    return this.#frontmatter
  }
}

/** The frontmatter of a sound tool. */
function frontmatterAt({ names, roles, descriptions, more }: ListColumns, row: number): ToolFrontmatter {
  const description = descriptions[row] as string | null
  const role = ROLES_BY_LETTER.get(roles[row] as string)
  const others = more[row]?.frontmatter
  const frontmatter: ToolFrontmatter = { extra: {}, metadata: {}, name: names[row] as string, tags: [] }
  if (description !== null) frontmatter.description = description
  if (role) frontmatter.role = role
  // A copy, so that a program that changes the tool does not change the list, which records are compared with.
  return others ? { ...frontmatter, ...(JSON.parse(JSON.stringify(others)) as typeof others) } : frontmatter
}

/** The record of a tool that failed to load; null for a sound one. */
export function brokenAt(columns: ListColumns, row: number): BrokenRecord | null {
  const broken = columns.more[row]?.broken
  return broken ? { broken, file: pathAt(columns, row) } : null
}
