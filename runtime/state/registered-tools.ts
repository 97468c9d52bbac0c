import { extractFrontmatter } from '../../src/skill/frontmatter.js'
import { isQualifiedName, labelOf } from '../../src/skill/names.js'
import type { RegisteredTools, SetTool } from './context.js'
import type { ToolDef, ToolFunction } from './tool-def.js'

/**
 * Registered tools; each is complete, however little of it was set. What is read includes the tools of
 * `shared`, after its own; what is set, deleted or cleared are its own alone.
 */
export class RegisteredToolMap extends Map<string, ToolDef> implements RegisteredTools {
  version = 0

  constructor(readonly shared?: RegisteredTools) {
    super()
  }

  override get(key: string): ToolDef | undefined {
    return super.get(key) ?? this.shared?.get(key)
  }

  override has(key: string): boolean {
    return this.get(key) !== undefined
  }

  override get size(): number {
    return this.shared?.size ? [...this].length : super.size
  }

  override set(key: string, tool: ToolDef | SetTool): this {
    this.version++
    return super.set(key, 'origin' in tool ? tool : completeTool(tool))
  }

  override delete(key: string): boolean {
    this.version++
    return super.delete(key)
  }

  override *entries(): MapIterator<[string, ToolDef]> {
    yield* super.entries()
    for (const entry of this.shared ?? []) if (!super.has(entry[0])) yield entry
  }

  override [Symbol.iterator](): MapIterator<[string, ToolDef]> {
    return this.entries()
  }

  override *keys(): MapIterator<string> {
    for (const [key] of this) yield key
  }

  override *values(): MapIterator<ToolDef> {
    for (const [, tool] of this) yield tool
  }
}

function completeTool({ frontmatter = {}, fn, content, ...tool }: SetTool): ToolDef {
  const { name } = tool
  const { metadata = {}, ...parsed } = frontmatter
  return {
    kind: 'code',
    runs: true,
    src: null,
    label: isQualifiedName(name) ? labelOf(name) : name,
    ...tool,
    fn: fn as ToolFunction,
    frontmatter: { ...extractFrontmatter({ metadata }, { kind: 'code', name }), ...parsed, name },
    ...(content !== undefined && { content: async () => content }),
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
}
