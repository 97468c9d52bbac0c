import { checkOptions, type OptionTable } from '../base/options.js'
import { type Catalog, type CatalogOptions, type CatalogTool, entryOf } from './catalog.js'
import { CATALOG_FORMATS, type CatalogEntry, type CatalogFormat, formatRelevant } from './catalog-formats.js'
import { estimateTokens } from './estimate-tokens.js'

/** The form and the length of a list of found tools. */
export interface RelevantOptions {
  /** Default: `xml`. */
  format?: CatalogFormat | undefined
  /** The maximum number of tokens. Absent: no limit. */
  budget?: number | undefined
  /** The host's own counter of tokens. Default: `estimateTokens`. */
  countTokens?: ((text: string) => number | Promise<number>) | undefined
  /** True: includes each tool's file, for agents that read files themselves. */
  location?: boolean | undefined
}

/** The usual limits of `relevant`: its share of a catalog's budget, which it may have besides, and the most hits that are looked at. */
export const RELEVANT = { share: 1 / 4, most: 20 } as const

/** The tools that a search found, for a prompt. */
export interface Relevant {
  /** Empty where no tool fits. */
  text: string
  /** Counted tokens. */
  tokens: number
  described: string[]
}

/** The options of an agent's catalog. */
export interface AgentCatalogOptions<Tool extends CatalogTool = CatalogTool> extends CatalogOptions<Tool> {
  /** The words of the user. The tools that they find, and that the catalog does not describe, are `relevant`. */
  for?: string | undefined
  /** The maximum number of tokens of `relevant`. Default: a quarter of `budget`. */
  relevantBudget?: number | undefined
}

/** An agent's catalog, and the tools that the words of a user find. */
export interface AgentCatalog extends Catalog {
  /** Another text for the prompt, to come after `text`, which does not depend on the words. Empty without words. */
  relevant: string
  relevantTokens: number
  /** The tools that `relevant` describes, the best first. */
  relevantTools: string[]
}

const OPTIONS: OptionTable<keyof RelevantOptions> = {
  format: CATALOG_FORMATS,
  budget: 'number',
  countTokens: 'function',
  location: 'boolean',
}

/**
 * Describes the tools that a search for the words of a user found, for a prompt in which a catalog comes before. A
 * description that is too long for the rest of the budget is skipped; if it is that of the best, nothing is described.
 *
 * @param hits the best first
 * @throws OPTIONS_INVALID, and errors of `countTokens`
 */
export async function makeRelevant(
  hits: readonly { tool: CatalogTool; score: number }[],
  options: RelevantOptions = {},
): Promise<Relevant> {
  checkOptions('makeRelevant', options, OPTIONS)
  const { format = 'xml', budget = Number.POSITIVE_INFINITY, countTokens = estimateTokens } = options
  const entries: CatalogEntry[] = []
  let [text, tokens] = ['', 0]
  for (const { tool, score } of hits) {
    // A search without words gives all tools.
    if (score === 0 || tool.frontmatter.description === undefined) continue
    const entry = entryOf(tool, options.location === true)
    const longer = formatRelevant([...entries, entry], format)
    const count = await countTokens(longer)
    if (count > budget) {
      // Without the best one, the others would only mislead.
      if (entries.length === 0) break
      continue
    }
    entries.push(entry)
    text = longer
    tokens = count
  }
  return { text, tokens, described: entries.map(({ name }) => name) }
}
