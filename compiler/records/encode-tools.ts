import { encodeDetails, encodeName } from '../../src/index/encode-index.js'
import { searchedTexts } from '../../src/search/searched-texts.js'
import type { StoredTerms, TermStore } from '../../src/search/term-store.js'
import { toolTerms } from '../../src/search/tool-terms.js'
import type { LineStore } from '../index/line-store.js'
import { tokensOf } from './catalog-cost.js'
import { cascadeInput, directivesOf, type FreshRecords, type SkillUnit, type UnitTool } from './skill-unit.js'

/**
 * Replaces the records of a unit's tools by their lines in the index, unless a later phase adds to them. Records take
 * many times the memory.
 *
 * @param file the unit's, absolute
 */
export function encodeTools(unit: SkillUnit, file: string, store: LineStore, terms: TermStore | null): void {
  // In place of the others, in the same array: V8 allocates the replacement of a unit's array among
  // long-lived objects, along with the file's text, and compiling 100,000 skills takes 130 MB more.
  for (const [index, tool] of unit.tools.entries())
    if (tool.fresh && isComplete(tool.fresh))
      unit.tools[index] = encodedTool(tool, tool.fresh, file, store, terms)
}

function encodedTool(
  tool: UnitTool,
  fresh: FreshRecords,
  file: string,
  store: LineStore,
  terms: TermStore | null,
): UnitTool {
  const { record, details } = fresh
  const { name, place, references, delegate } = tool
  const made: UnitTool = {
    name,
    place,
    references,
    catalogTokens: tokensOf(record, file),
    cascade: cascadeInput(tool),
    directives: directivesOf(tool),
    lines: {
      record: store.add(encodeName(name, record)),
      details: store.add(encodeDetails(name, details)),
    },
    terms: terms && addTerms(fresh, terms),
  }
  if (delegate) made.delegate = delegate
  return made
}

/** Adds the terms by which a search finds a tool. */
export function addTerms({ record, content = '' }: FreshRecords, terms: TermStore): StoredTerms {
  return terms.add(toolTerms(searchedTexts(record.frontmatter, content)))
}

/** True where neither modules nor compiled schemas nor directives are still to be added. */
function isComplete({ record: { frontmatter }, code, body, delegateKey }: FreshRecords): boolean {
  const { params, returns } = frontmatter
  return (code ?? body ?? delegateKey ?? params ?? returns) === undefined
}
