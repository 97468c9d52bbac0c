import type { JsonObject } from '../../src/base/json.js'
import { indexTerms, type TermIndex } from '../../src/search/postings.js'
import { type ToolTerms, toolTerms } from '../../src/search/tool-terms.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { textsOf } from './tool-texts.js'

/** Some tools, and the postings of their terms, whose rows are the tools' places. */
export interface SearchedTools {
  tools: readonly ToolDef[]
  index: TermIndex
}

/** The tools that were searched last, and those of whose metadata running their code may tell more, with what they had. */
interface Kept extends SearchedTools {
  dynamic: readonly { tool: ToolDef; metadata: JsonObject }[]
}

const kept = new WeakMap<Globals, Kept>()

/** The tools of a runtime with their terms. Those that were searched before are not read again. */
export async function searchedTools(tools: readonly ToolDef[], globals: Globals): Promise<SearchedTools> {
  const last = kept.get(globals)
  if (last && areSame(tools, last)) return last
  const index = indexTerms(await Promise.all(tools.map(termsOf)))
  const dynamic = tools
    .filter(tool => sourceOf(tool)?.record.dynamic)
    .map(tool => ({ tool, metadata: tool.frontmatter.metadata }))
  const made = { tools: [...tools], index, dynamic }
  kept.set(globals, made)
  return made
}

function areSame(tools: readonly ToolDef[], last: Kept): boolean {
  return (
    tools.length === last.tools.length &&
    tools.every((tool, row) => tool === last.tools[row]) &&
    last.dynamic.every(({ tool, metadata }) => tool.frontmatter.metadata === metadata)
  )
}

const known = new WeakMap<ToolDef, { metadata: JsonObject; terms: ToolTerms }>()

async function termsOf(tool: ToolDef): Promise<ToolTerms> {
  const { metadata } = tool.frontmatter
  const before = known.get(tool)
  if (before?.metadata === metadata) return before.terms
  const terms = toolTerms(await textsOf(tool))
  known.set(tool, { metadata, terms })
  return terms
}
