import { byCodePoint } from '../base/code-point-order.js'
import { firstFrom } from '../base/first-from.js'
import { isJsonObject, isStringArray } from '../base/json.js'
import { isName } from '../skill/names.js'
import type { IndexHeader } from './index-format.js'
import { isInside } from './inside-path.js'
import {
  BROKEN,
  KINDS,
  KINDS_BY_LETTER,
  type ListColumns,
  listFile,
  type MoreFacts,
  NO_ROLE,
  ROLES_BY_LETTER,
} from './list-columns.js'
import { type IndexFiles, IndexRefused, parse, readPartText } from './read-index.js'
import {
  arrayOf,
  type Check,
  hasFields,
  isDiagnostic,
  isFrontmatter,
  isRange,
  isSkillFile,
  isString,
  optional,
} from './record-fault.js'

/**
 * Reads the list that an index names. Everything in it is looked at before any of it can be used, as it may be somebody
 * else's.
 *
 * @throws IndexRefused where it is missing, or not a list that a compiler of ours wrote
 */
export function readList(files: IndexFiles, directory: string, { list }: IndexHeader): ListColumns {
  const text = readPartText(files, directory, list, listFile)
  if (!files.digestText(text).startsWith(list as string)) throw new IndexRefused('its list was changed')
  return listIn(text)
}

/** The columns of a list's text. Throws IndexRefused. */
export function listIn(text: string): ListColumns {
  const columns = parse(text)
  if (!isColumns(columns)) throw new IndexRefused('its list is invalid')
  const { names, mains } = columns
  for (let row = 0; row < names.length; row++) {
    const name = names[row] as string
    if (row > 0 && (names[row - 1] as string) >= name)
      throw new IndexRefused('the names of its list are not ascending')
    if (!isRow(columns, row))
      throw new IndexRefused(`the row of ${JSON.stringify(name)} in its list is invalid`)
  }
  const isAscending = mains.every(
    ([path], row) => row === 0 || byCodePoint(mains[row - 1]?.[0] ?? '', path) < 0,
  )
  if (!isAscending) throw new IndexRefused('the main skills of its list are not ascending')
  return columns
}

function isColumns(value: unknown): value is ListColumns {
  if (!isJsonObject(value) || !isStringArray(value.names) || !hasShapes(value)) return false
  const { length } = value.names
  return LISTED.every(column => (value[column] as string | unknown[]).length === length)
}

/** The columns with one item or letter for each name. */
const LISTED = ['kinds', 'roles', 'files', 'content', 'sizes', 'descriptions', 'more'] as const

const isMain: Check = value =>
  Array.isArray(value) &&
  value.length === 2 &&
  isInside(value[0]) &&
  (value[1] === null || (isString(value[1]) && isName(value[1])))

const hasShapes = hasFields({
  kinds: isString,
  roles: isString,
  folders: arrayOf(
    folder => folder === '' || (isString(folder) && folder.endsWith('/') && isInside(folder.slice(0, -1))),
  ),
  files: Array.isArray,
  content: Array.isArray,
  sizes: Array.isArray,
  descriptions: arrayOf(value => value === null || isString(value)),
  mains: arrayOf(isMain),
  more: Array.isArray,
})

/** Refuses a field in `more` that a column already has. */
const isAbsent: Check = value => value === undefined

const isMore = hasFields({
  broken: optional(isDiagnostic),
  fragment: optional(isString),
  frontmatter: optional(hasFields({ name: isAbsent, role: isAbsent, description: isAbsent })),
})

/** True where a row says what the record of a tool may say. */
function isRow(columns: ListColumns, row: number): boolean {
  const { names, kinds, roles, folders, files, content, sizes, more } = columns
  const name = names[row] as string
  const kind = kinds[row] as string
  const role = roles[row] as string
  const file = files[row]
  const start = content[row]
  const size = sizes[row]
  if (!isName(name) || !(role === NO_ROLE || ROLES_BY_LETTER.has(role))) return false
  // The path of a number is made of parts that were looked at.
  const isNumbered = typeof file === 'number' && folders[file] !== undefined
  const facts = more[row]
  // Most rows are such.
  if (facts === null && isNumbered && kind === KINDS.folder) return isRange(start, size, size)
  return isMore(facts ?? NO_FACTS) && isUnusual(columns, row, isNumbered, facts ?? NO_FACTS)
}

/** True where a row that has a path or more facts says what it may say. */
function isUnusual(
  { kinds, roles, files, content, sizes }: ListColumns,
  row: number,
  isNumbered: boolean,
  facts: MoreFacts,
): boolean {
  const kind = kinds[row] as string
  const role = roles[row] as string
  const file = files[row]
  const start = content[row]
  const size = sizes[row]
  if (kind === BROKEN) {
    const isEmpty = start === null && size === null && role === NO_ROLE
    return isEmpty && facts.broken !== undefined && (isNumbered || isInside(file))
  }
  const { broken, end = size, frontmatter } = facts
  if (frontmatter && !isFrontmatter({ tags: [], metadata: {}, extra: {}, ...frontmatter })) return false
  if (isNumbered ? kind !== KINDS.folder : !isInside(file) || !isSkillFile(KINDS_BY_LETTER.get(kind), file))
    return false
  return (
    broken === undefined &&
    (kind === KINDS.code ? start === null && isRange(0, 0, size) : isRange(start, end, size))
  )
}

const NO_FACTS: MoreFacts = {}

/** The number of a name's row; -1 if the list does not have it. */
export function rowIn({ names }: ListColumns, name: string): number {
  const row = firstFrom(names, name)
  return names[row] === name ? row : -1
}
