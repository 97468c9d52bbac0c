import { AgentAppsError } from '../../src/base/error.js'
import { isTexts } from '../../src/base/json.js'
import { ContentWork } from '../../src/content/content-work.js'
import type { ContentRecord } from '../../src/index/content-record.js'
import { isContentOf } from '../../src/index/content-record.js'
import type { DirectiveForm } from '../../src/skill/directive-forms.js'
import { holdingIndex } from '../cascade/find-cascade.js'
import { loadParser } from '../directory/directory-files.js'
import { isStillFresh, withNames } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'
import { findDirective, formsOf } from './find-directive.js'

/** A tool's content, with what is a directive in it. */
export interface FoundContent {
  text: string
  content: ContentRecord
  /** The directives that it may have, by name. */
  known: Map<string, ToolDef>
}

/**
 * A tool's content and the parts of it: as they were compiled, where that holds; else as its text is parsed
 * now.
 */
export async function findContent(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
  work: ContentWork = new ContentWork(),
): Promise<FoundContent> {
  const known = await knownAmong(source.record.directives ?? [], tool, globals)
  const text = await readContent(source, globals)
  if (known.size === 0) return { text, content: { length: text.length, parts: [[0, text.length]] }, known }
  const compiled = await withNames(source.state, globals, () => compiledContent(tool, source, globals))
  if (isContentOf(compiled, text)) return { text, content: compiled, known }
  const parser = await loadParser(globals)
  const { state, record } = source
  const parsed = await parser?.readContent(state.dir, record.file, tool.name, allForms(known), work)
  if (parsed) return { ...parsed, known }
  throw contentNotCompiled(tool.name)
}

/** The directives that names stand for in the content of a tool. */
export async function knownAmong(
  names: readonly string[],
  tool: ToolDef,
  globals: Globals,
): Promise<Map<string, ToolDef>> {
  const known = new Map<string, ToolDef>()
  for (const name of names) {
    const directive = await findDirective(name, tool, globals)
    if (directive) known.set(name, directive)
  }
  // A branch of `if` without one is a fault only where there are directives at all, as it is to the compiler.
  const branching = known.size > 0 && names.includes('else') ? await findDirective('if', tool, globals) : null
  if (branching) known.set('if', branching)
  return known
}

/** The parts that the compiler found; undefined where they are not those of what is there now. */
async function compiledContent(
  { name }: ToolDef,
  source: ToolSource,
  globals: Globals,
): Promise<ContentRecord | undefined> {
  const { state, names, record } = source
  const { programmaticTools } = globals.tools
  if (names.via === 'disk' || record.directives?.some(one => programmaticTools.has(one))) return undefined
  const content = (await holdingIndex(source, globals))?.content?.(name)
  const { inputs = [] } = content ?? {}
  const isSame =
    globals.config.freshness === 'trust' ||
    (isTexts(inputs) && inputs.every(file => isStillFresh(state, names, file)))
  return isSame ? content : undefined
}

/** The forms of directives, by name. */
export function allForms(known: ReadonlyMap<string, ToolDef>): Map<string, readonly DirectiveForm[]> {
  return new Map([...known].map(([name, tool]) => [name, formsOf(tool)]))
}

/** The error where the content has directives and nothing is there that finds them. */
export function contentNotCompiled(what: string): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_NOT_COMPILED',
    `The content of "${what}" has directives that were not compiled, and the compiler is not there to find them.`,
    { hint: 'Run `agent-apps compile` and deploy its index, or install the whole package.' },
  )
}
