import type { Embedder } from '../../src/search/embedder.js'
import type { SearchField } from '../../src/search/vocabulary.js'
import type { ToolDef } from './tool-def.js'

/** A tool that a search found. */
export interface Hit {
  /** The name of the tool. */
  name: string
  /** The tool. Its record may be read only when you access it. */
  tool: ToolDef
  /** More is better; comparable within one search. 0 where there were no words to search for. */
  score: number
  /** The words of the query that the tool has, as they were asked, in lower case. */
  matched: string[]
  /** The weight of each matched word in each field that has it, before the weights of the fields are put together. */
  fields?: Record<string, Partial<Record<SearchField, number>>>
}

/** Puts the hits of a search in another order; it may leave some out. */
export type Rerank = (query: string, hits: Hit[]) => Promise<readonly Hit[]> | readonly Hit[]

/** The host's functions that take part in each search. */
export interface SearchFunctions extends Partial<Embedder> {
  rerank?: Rerank | undefined
}
