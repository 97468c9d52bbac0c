import { LIFTED_KEYS, type ToolFrontmatter } from '../../src/skill/frontmatter.js'
import type { Context } from './context.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/** A tool as a program sets it, for example in place of another in a test: what it does not say is filled in. */
interface SetTool {
  name: string
  fn: (ctx: Context, args: unknown) => unknown
  /** As it is parsed, `params` at its top, or as an author writes it, `params` under `metadata`. */
  frontmatter?: Partial<ToolFrontmatter>
  src?: string | null
  module?: unknown
  /** The text that `content()` gives. */
  content?: string
}

/** Tools by the name or URI that they are found by. Each is complete, however little of it was set. */
export class RegisteredTools extends Map<string, ToolDef> {
  override set(key: string, tool: ToolDef | SetTool): this {
    return super.set(key, 'origin' in tool ? tool : completeTool(tool))
  }
}

function completeTool({ frontmatter = {}, fn, content, ...tool }: SetTool): ToolDef {
  const written = Object.entries(frontmatter.metadata ?? {})
  const isLifted = ([key]: [string, unknown]): boolean => LIFTED_KEYS.includes(key)
  return {
    kind: 'code',
    src: null,
    ...tool,
    fn: fn as ToolFunction,
    frontmatter: {
      tags: [],
      extra: {},
      ...Object.fromEntries(written.filter(isLifted)),
      ...frontmatter,
      name: tool.name,
      metadata: Object.fromEntries(written.filter(entry => !isLifted(entry))),
    },
    ...(content !== undefined && { content: async () => content }),
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
}
