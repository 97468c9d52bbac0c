import { resolve } from 'node:path'
import { pathEntryDir, type Runtime, type ToolDef } from 'agent-apps'
import { isAgentAppsError } from '../../src/base/error.js'
import { isLibrary } from '../../src/catalog/offered-tool.js'
import { readGuards } from '../../src/policy/guards.js'
import type { TermIndex } from '../../src/search/postings.js'
import { DECLARED, EVERYTHING, NOTHING, rank, searchViewOf } from '../../src/search/rank.js'
import { encodeSearch } from '../../src/search/search-file.js'
import { searchedTexts } from '../../src/search/searched-texts.js'
import { TermStore } from '../../src/search/term-store.js'
import { toolTerms } from '../../src/search/tool-terms.js'
import { wordsOfQuery } from '../../src/search/words.js'
import { judgeTriggers, type Search } from '../eval/judge-triggers.js'
import { readTriggerCases } from '../eval/trigger-cases.js'
import { fromCwd } from '../from-here.js'
import type { Evaluation, PageAsk } from './page-data.js'

/** The digest of each block of the page's search file: the page is one file, whose parts cannot be of different compiles. */
const NO_DIGEST = '0'.repeat(32)

/**
 * Collects what a search of the page looks at: the terms of all tools but the library's.
 *
 * @param known the tools of an agent without limits of its own, which is how `agent-apps search` asks
 */
export async function collectAsk(
  all: readonly ToolDef[],
  known: readonly ToolDef[],
  runtime: Runtime,
  cwd: string,
): Promise<{ ask: PageAsk; terms: Uint8Array }> {
  const tools = all.filter(tool => !isLibrary(tool)).toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const isKnown = new Set(known)
  const store = new TermStore()
  const descriptions: PageAsk['descriptions'] = {}
  const stored: number[] = []
  for (const [row, tool] of tools.entries()) {
    const texts = searchedTexts(tool.frontmatter, await bodyOf(tool))
    stored.push(store.add(toolTerms(texts)))
    if (texts.description !== (tool.frontmatter.description ?? '')) descriptions[row] = texts.description
  }
  const rows = tools.map(({ name }) => ({ name, isBroken: false }))
  const index = store.index(stored)
  const parts = tools.map(tool => (isKnown.has(tool) ? partOf(tool) : NOTHING))
  const search = searchIn(tools, index, Uint8Array.from(parts))
  return {
    ask: {
      names: tools.map(({ name }) => name),
      parts: parts.join(''),
      descriptions,
      evaluation: await evaluated(known, search, runtime, cwd),
    },
    terms: encodeSearch(rows, index, null, () => NO_DIGEST).bytes,
  }
}

/** The search that the page makes, over terms that are in memory: a collection may declare thousands of prompts. */
function searchIn(tools: readonly ToolDef[], index: TermIndex, parts: Uint8Array): Search {
  const view = searchViewOf(parts)
  return async (query, { limit, names }) => {
    const isWanted = (row: number): boolean => names?.includes(tools[row]?.name ?? '') ?? true
    const { best } = rank(wordsOfQuery(query), index, view, isWanted, limit)
    return best.map(({ row, ...hit }) => {
      const tool = tools[row] as ToolDef
      return { ...hit, name: tool.name, tool }
    })
  }
}

/** A skill whose opening is asked about is searched by what it declares. */
function partOf({ frontmatter }: ToolDef): number {
  const { gated, approvalKey } = readGuards(frontmatter.metadata)
  return gated || approvalKey !== undefined ? DECLARED : EVERYTHING
}

async function bodyOf({ content }: ToolDef): Promise<string> {
  try {
    return (await content?.()) ?? ''
  } catch (error) {
    if (isAgentAppsError(error)) return ''
    throw error
  }
}

async function evaluated(
  tools: readonly ToolDef[],
  search: Search,
  runtime: Runtime,
  cwd: string,
): Promise<Evaluation | null> {
  const entries = runtime.globals.config.paths.flatMap(entry => pathEntryDir(entry) ?? [])
  const { cases, faults } = await readTriggerCases(
    tools,
    entries.map(dir => resolve(cwd, dir)),
    [],
  )
  if (cases.length + faults.length === 0) return null
  const { all, notFirst, diagnostics } = await judgeTriggers(cases, tools, search)
  const { prompts, first, five } = all
  return {
    ...{ prompts, first, five },
    notFirst: notFirst.map(one => ({ ...one, file: fromCwd(one.file, cwd) })),
    problems: [...faults, ...diagnostics.filter(({ rule }) => rule !== 'trigger-missed')].map(
      ({ file, line, reason, note }) => ({ file: fromCwd(file, cwd), line, reason, note }),
    ),
  }
}
