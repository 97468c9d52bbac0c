import { AgentAppsError } from '../../src/base/error.js'
import type { Hit, Rerank } from '../state/search-functions.js'
import type { SearchResult } from './search-query.js'

/** The most hits that are put in another order. */
export const RERANKED = 50

/**
 * Has a host's function put hits in another order.
 *
 * @throws RERANKER_FAILED
 */
export async function reranked(
  rerank: Rerank,
  query: string,
  { hits, found }: SearchResult,
  limit: number,
): Promise<SearchResult> {
  const ordered: unknown = await called(rerank, query, hits)
  const given = new Set<unknown>(hits)
  // Each once: deleting one that is gone fails.
  if (!Array.isArray(ordered) || !ordered.every(hit => given.delete(hit)))
    throw rerankerFailed('did not return an array of hits that it was given, each once')
  return { hits: (ordered as Hit[]).slice(0, limit), found: found - given.size }
}

async function called(rerank: Rerank, query: string, hits: readonly Hit[]): Promise<readonly Hit[]> {
  try {
    return await rerank(query, [...hits])
  } catch (cause) {
    throw rerankerFailed(`threw: ${cause instanceof Error ? cause.message : String(cause)}`, cause)
  }
}

function rerankerFailed(what: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('RERANKER_FAILED', `The function \`rerank\` of \`search\` ${what}.`, {
    hint: 'It gets the query and an array of hits, and returns an array of these hits in another order.',
    cause,
  })
}
