import { LIFTED_KEYS } from '../../src/skill/frontmatter.js'
import type { RegisteredTools, SetTool } from './context.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/** Registered tools; each is complete, however little of it was set. */
export class RegisteredToolMap extends Map<string, ToolDef> implements RegisteredTools {
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
