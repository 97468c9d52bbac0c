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
  const { name, description = '' } = frontmatter
  const tool = { name, kind, frontmatter }
  if (!isOffered(tool)) return 0
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
  const costs = new Map<string, number>()
  for (const { names } of directories)
    for (const [name, { tool }] of names) if (!costs.has(name)) costs.set(name, tool?.catalogTokens ?? 0)
  const shown = [...costs.values()].filter(tokens => tokens > 0)
  const frame = estimateTokens(formatCatalog({ described: [], named: [], unnamed: 0 }, 'xml'))
  return {
    tools: shown.length,
    tokens: shown.length === 0 ? 0 : shown.reduce((sum, tokens) => sum + tokens, frame),
  }
}
