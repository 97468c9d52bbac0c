import { disk } from '#disk'
import { parseInline } from '../../src/skill/reference.js'
import { notEvaluated } from '../directory/not-evaluated.js'
import { loadParser } from '../directory/read-files.js'
import type { Globals } from '../state/context.js'
import type { Resolution, ToolDef, ToolFunction } from '../state/tool-def.js'
import { functionOf, noTool } from './delegate-source.js'

/**
 * Makes the tool of an `inline://` reference, and registers it under the whole reference. Null without the compiler's
 * reader.
 *
 * @throws INLINE_INVALID, NOT_EVALUATED, and the errors of importing the code
 */
export async function makeInlineTool(ref: string, globals: Globals): Promise<Resolution> {
  const { kind, text } = parseInline(ref)
  const parser = await loadParser(globals)
  if (parser === null) return null
  const cwd = globals.config.cwd ?? disk.cwd()
  if (kind === 'code') {
    if (globals.config.evaluate === false) throw notEvaluated(ref)
    const module = await parser.importModule(cwd, { code: text, from: 'inline.js' }, globals.config.external)
    const fn = functionOf(module.default)
    if (fn === null) throw noTool('The default export of inline code', { tool: ref })
    return { tool: keepInlineCode(ref, fn, module, globals) }
  }
  const read = parser.readMarkdown(text, 'inline.skill.md')
  if ('broken' in read) return { broken: read.broken }
  const content = async (): Promise<string> => read.content
  const { frontmatter } = read
  const { name } = frontmatter
  return {
    tool: keep(
      ref,
      { name, label: name, kind: 'file', runs: false, frontmatter, fn: content, content },
      globals,
    ),
  }
}

/**
 * Registers imported inline code under its whole reference, unless that is registered. It takes any arguments.
 */
export function keepInlineCode(
  ref: string,
  fn: ToolFunction,
  module: Record<string, unknown>,
  globals: Globals,
): ToolDef {
  const known = globals.tools.programmaticTools.get(ref)
  if (known) return known
  const frontmatter = { name: ref, tags: [], metadata: {}, extra: {}, params: { type: 'object' } }
  return keep(ref, { name: ref, label: ref, kind: 'code', runs: true, frontmatter, fn, module }, globals)
}

function keep(ref: string, parts: Omit<ToolDef, 'src' | 'origin'>, { tools, stats }: Globals): ToolDef {
  const tool: ToolDef = {
    ...parts,
    src: ref,
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
  tools.programmaticTools.set(ref, tool)
  stats.via.programmatic++
  return tool
}
