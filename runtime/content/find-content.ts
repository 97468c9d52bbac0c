import { AgentAppsError } from '../../src/base/error.js'
import { isStringArray } from '../../src/base/json.js'
import { ContentWork } from '../../src/content/content-work.js'
import { type DirectiveForm, directiveForms } from '../../src/content/directive.js'
import type { ContentRecord } from '../../src/index/content-record.js'
import { isContentOf } from '../../src/index/content-record.js'
import { isBroken } from '../../src/index/index-format.js'
import { namespaceOf } from '../../src/skill/names.js'
import { namesInScope } from '../../src/skill/namespaces.js'
import { holdingIndex } from '../cascade/chain-of.js'
import { layerDirectories } from '../cascade/compiled-chain.js'
import { isStillFresh } from '../directory/file-freshness.js'
import { directoryStates, lookUp, withNames } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import { loadParser } from '../directory/read-files.js'
import { toolOf } from '../find/make-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

interface FoundContent {
  text: string
  content: ContentRecord
  /** The directives that may occur in it, by name. */
  known: Map<string, ToolDef>
}

/** Finds a tool's content and its parts: compiled ones if they are up to date, else parsed now. */
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
  const parsed = await parser?.readContent(state, record.file, tool.name, allForms(known), work)
  if (parsed) return { ...parsed, known }
  throw contentNotCompiled(tool.name)
}

/** Finds the directives among some names in the content of a tool. */
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
  // As in the compiler, `else` without `if` is a fault only in content that has directives.
  const branching = known.size > 0 && names.includes('else') ? await findDirective('if', tool, globals) : null
  if (branching) known.set('if', branching)
  return known
}

/**
 * Finds a directive for the content of a tool, as middleware is found: in the tool's namespace, then without one; each
 * time among registered tools, those of the layer, and the library.
 */
export async function findDirective(label: string, tool: ToolDef, globals: Globals): Promise<ToolDef | null> {
  for (const name of namesInScope(label, namespaceOf(tool.name))) {
    const registered = globals.tools.programmaticTools.get(name)
    if (registered && formsOf(registered).length > 0) return registered
    for (const state of layerDirectories(tool, directoryStates(globals))) {
      const found = await lookUp(state, name, globals, true)
      if (found && !isBroken(found.record) && directiveForms(found.record.frontmatter.tags).length > 0)
        return toolOf({ ...found, record: found.record }, globals)
    }
  }
  return null
}

/** The forms of a directive; empty for other tools. */
function formsOf({ frontmatter: { tags } }: ToolDef): DirectiveForm[] {
  return directiveForms(tags)
}

/** The compiled parts; undefined if they are out of date. */
async function compiledContent(
  { name }: ToolDef,
  source: ToolSource,
  globals: Globals,
): Promise<ContentRecord | undefined> {
  const { state, names, record } = source
  const { programmaticTools } = globals.tools
  const inScope = (record.directives ?? []).flatMap(one => namesInScope(one, namespaceOf(name)))
  if (names.via === 'disk' || inScope.some(one => programmaticTools.has(one))) return undefined
  const content = (await holdingIndex(source, globals))?.content?.(name)
  const { inputs = [] } = content ?? {}
  const isSame =
    globals.config.freshness === 'trust' ||
    (isStringArray(inputs) && inputs.every(file => isStillFresh(state, names, file)))
  return isSame ? content : undefined
}

export function allForms(known: ReadonlyMap<string, ToolDef>): Map<string, readonly DirectiveForm[]> {
  return new Map([...known].map(([name, tool]) => [name, formsOf(tool)]))
}

/** The error for uncompiled directives on a host without the compiler. */
export function contentNotCompiled(what: string): AgentAppsError {
  return new AgentAppsError(
    'CONTENT_NOT_COMPILED',
    `The content of "${what}" has directives that were not compiled, and the compiler is not installed to find them.`,
    { hint: 'Run `agent-apps compile` and deploy its index, or install the whole package.' },
  )
}
