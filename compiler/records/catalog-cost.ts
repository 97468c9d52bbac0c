import { join } from 'node:path'
import { entryAsXml, formatCatalog } from '../../src/catalog/catalog-formats.js'
import { estimateTokens } from '../../src/catalog/estimate-tokens.js'
import { isInPrompt, isOffered } from '../../src/catalog/offered-tool.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import { readRegularFile } from '../files/regular-file.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { SkillUnit } from './skill-unit.js'

/** What listing the skills in a prompt costs. */
export interface CatalogCost {
  /** How many a model is shown. */
  tools: number
  /** About how many tokens, as XML and without a budget. */
  tokens: number
}

/** Adds what each tool with fresh records costs; of the others that is known. */
export function countTokens(directory: string, units: readonly SkillUnit[]): void {
  for (const { path, tools } of units) {
    for (const tool of tools)
      if (tool.fresh) tool.catalogTokens = tokensOf(tool.fresh.record, join(directory, path))
  }
}

/** What listing one tool costs, its file being absolute; 0 where no model is shown it. */
export function tokensOf({ kind, frontmatter, content }: ToolRecord, file: string): number {
  const { name, description } = frontmatter
  const tool = { name, kind, frontmatter }
  if (!isOffered(tool)) return 0
  if (description === undefined) return estimateTokens(`${name}, `)
  const text = isInPrompt(tool) && content ? textIn(file, content) : undefined
  return estimateTokens(entryAsXml({ name, description, ...(text !== undefined && { content: text }) }))
}

function textIn(file: string, [start, end]: [number, number]): string | undefined {
  try {
    return readRegularFile(file).subarray(start, end).toString()
  } catch {
    // Gone since it was read: the next compile says so.
    return undefined
  }
}

/** The cost of all directories' skills, of which the first of a name counts, as if the host had all tools that they require. */
export function catalogCost(directories: readonly LinkedDirectory[]): CatalogCost {
  const cost: CatalogCost = { tools: 0, tokens: 0 }
  for (const [index, { names }] of directories.entries()) {
    const before = directories.slice(0, index)
    for (const [name, { tool }] of names) {
      if (!tool?.catalogTokens || before.some(other => other.names.has(name))) continue
      cost.tools++
      cost.tokens += tool.catalogTokens
    }
  }
  const frame = estimateTokens(formatCatalog({ described: [], named: [], unnamed: 0 }, 'xml'))
  return cost.tools === 0 ? cost : { ...cost, tokens: cost.tokens + frame }
}
