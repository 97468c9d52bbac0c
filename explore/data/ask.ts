import {
  DETAILS_PER_BLOCK,
  detailsBlock,
  type PageAsk,
  type SkillDetails,
} from '../../cli/explore/page-data.js'
import type { TermIndex } from '../../src/search/postings.js'
import { EVERYTHING, type RankedRow, rank, type SearchView, searchViewOf } from '../../src/search/rank.js'
import { SearchFile } from '../../src/search/search-file.js'
import { fieldWeights } from '../../src/search/tool-terms.js'
import type { SearchField } from '../../src/search/vocabulary.js'
import { type QueryWord, wordsOfQuery } from '../../src/search/words.js'
import { type Blocks, readBlock } from './blocks.js'
import type { Row } from './row.js'
import type { Rows } from './store.js'

/** The opened index that a search reads. */
export interface Asked {
  ask: PageAsk
  file: SearchFile
  index: TermIndex
  view: SearchView
  /** The details that were unpacked for hits, by block. */
  details: Map<string, Promise<SkillDetails[]>>
}

/** A skill that the words of a user find. */
export interface AskHit extends RankedRow {
  name: string
}

/** A word with its weight in each field that has it. */
export type WordFields = { word: string; fields: Partial<Record<SearchField, number>> }

export async function openAsked(blocks: Blocks): Promise<Asked> {
  const ask = await readBlock<PageAsk>(blocks, 'ask')
  const bytes = (await blocks.bytes('terms')) ?? new Uint8Array()
  const read = (start: number, end: number): Promise<Uint8Array> =>
    Promise.resolve(bytes.subarray(start, end))
  // The command writes zeros for digests: nothing can have changed but the page as a whole.
  const file = await SearchFile.open(read, bytes.length, '0', () => '0'.repeat(32))
  const index = file.index(Int32Array.from(ask.names, (_, row) => row))
  return { ask, file, index, view: searchViewOf(Uint8Array.from(ask.parts, Number)), details: new Map() }
}

/** Finds skills as an agent does: by the project's own search. */
export async function askFor(
  query: string,
  asked: Asked,
  limit: number,
): Promise<{ hits: AskHit[]; found: number }> {
  const { file, index, view, ask } = asked
  const words = wordsOfQuery(query)
  await file.load(words.map(({ term }) => term))
  const { best, found } = rank(words, index, view, () => true, limit)
  return { hits: best.map(hit => ({ ...hit, name: ask.names[hit.row] ?? '' })), found }
}

/** The fields that have the words of a hit, for which its text is unpacked. */
export async function fieldsOfHit(
  { row, name, matched }: AskHit,
  query: string,
  { ask, view, details }: Asked,
  rows: Rows,
  blocks: Blocks,
): Promise<WordFields[]> {
  const skill = rows.byId.get(name)
  if (!skill) return []
  const body = view.parts[row] === EVERYTHING ? await bodyOf(skill, details, blocks) : ''
  const description = ask.descriptions[row] ?? skill.description
  const texts = { name: skill.name, tags: skill.tags, description, body }
  const isMatched = ({ word }: QueryWord): boolean => matched.includes(word)
  return wordsOfQuery(query)
    .filter(isMatched)
    .map(({ word, term }) => ({ word, fields: fieldWeights(texts, term) }))
}

async function bodyOf({ number }: Row, known: Asked['details'], blocks: Blocks): Promise<string> {
  const name = detailsBlock(number)
  const read = known.get(name) ?? readBlock<SkillDetails[]>(blocks, name)
  known.set(name, read)
  const { source = null, content = null } = (await read)[number % DETAILS_PER_BLOCK] ?? {}
  return source === null || content === null ? '' : source.slice(...content)
}
