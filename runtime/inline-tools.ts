import type { ToolFrontmatter } from '../src/frontmatter.js'
import { parseInline } from '../src/inline-reference.js'
import { loadParser } from './directory-files.js'
import type { Disk } from './disk-seam.js'
import type { Resolution } from './find-tool.js'
import type { Globals } from './globals.js'
import { notEvaluated } from './not-evaluated.js'
import { functionOf, noTool } from './run-code.js'
import type { ToolDef } from './tool-def.js'

/**
 * The tool of an `inline://` reference, made at its first use and kept as a registered tool under the whole
 * reference. Null where the compiler's reader is absent.
 *
 * @throws INLINE_INVALID, NOT_EVALUATED, and what importing the code throws
 */
export async function makeInlineTool(ref: string, globals: Globals, disk: Disk): Promise<Resolution> {
  const { kind, text } = parseInline(ref)
  const parser = await loadParser(globals, disk)
  if (parser === null) return null
  const cwd = globals.config.cwd ?? disk.cwd()
  if (kind === 'code') {
    if (globals.config.evaluate === false) throw notEvaluated(ref)
    const module = await parser.importModule(cwd, { code: text, from: 'inline.js' }, globals.config.external)
    const fn = functionOf(module.default)
    if (fn === null) throw noTool('The default export of inline code', { tool: ref })
    return keep({ name: ref, kind: 'code', frontmatter: bare(ref), fn, module })
  }
  const read = parser.readMarkdown(text, 'inline.skill.md')
  if ('broken' in read) return { broken: read.broken }
  const content = async (): Promise<string> => read.content
  return keep({
    name: read.frontmatter.name,
    kind: 'file',
    frontmatter: read.frontmatter,
    fn: content,
    content,
  })

  function keep(parts: Omit<ToolDef, 'src' | 'origin'>): Resolution {
    const origin = {
      layer: 'programmatic' as const,
      entry: '',
      file: '',
      via: 'programmatic' as const,
      shadows: [],
    }
    const tool: ToolDef = { ...parts, src: ref, origin }
    globals.tools.programmaticTools.set(ref, tool)
    globals.stats.via.programmatic++
    return { tool }
  }
}

/** Inline code has no frontmatter: it takes what it is given. */
function bare(name: string): ToolFrontmatter {
  return { name, tags: [], metadata: {}, extra: {}, params: { type: 'object' } }
}
