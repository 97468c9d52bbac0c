import { join } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import { entryAsXml, formatCatalog } from '../../src/catalog/catalog-formats.js'
import { estimateTokens } from '../../src/catalog/estimate-tokens.js'
import { isInPrompt, isOffered } from '../../src/catalog/offered-tool.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import { readRegularFile } from '../files/regular-file.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { SkillUnit } from './skill-unit.js'

/** The cost of listing the skills in a prompt. */
export interface CatalogCost {
  /** How many a model is shown. */
  tools: number
  /** About how many tokens, as XML and without a budget. */
  tokens: number
}

/** Adds the cost of each tool with fresh records. */
export function countTokens(directory: string, units: readonly SkillUnit[]): void {
  for (const { path, tools } of units) {
    for (const tool of tools)
      if (tool.fresh) tool.catalogTokens = tokensOf(tool.fresh.record, join(directory, path))
  }
}

/** The tokens that listing one tool takes; 0 for a tool that models do not see. `file` is absolute. */
export function tokensOf({ kind, frontmatter, content }: ToolRecord, file: string): number {
  const { name, description } = frontmatter
  const tool = { name, kind, frontmatter }
  if (!isOffered(tool) || frontmatter.metadata.catalog === 'never') return 0
  if (description === undefined) return estimateTokens(`${name}, `)
  // A file that is gone since it was read is reported by the next compile.
  const bytes = isInPrompt(tool) && content ? orNull(() => readRegularFile(file)) : null
  const text = bytes?.subarray(...(content ?? [])).toString()
  return estimateTokens(entryAsXml({ name, description, ...(text !== undefined && { content: text }) }))
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
  const frame = estimateTokens(formatCatalog({ described: [], named: [], notListed: [] }, 'xml'))
  return cost.tools === 0 ? cost : { ...cost, tokens: cost.tokens + frame }
}
