import { lazy } from '../host/later.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef, ToolFunction } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

const code = lazy(() => import('../call/run-code.js'))
const markdown = lazy(() => import('./markdown-tool.js'))

/** The function of a tool: its delegate's, the one that gives its content, or the one in its code, which is imported. */
export async function loadFunction(
  tool: ToolDef,
  source: ToolSource,
  globals: Globals,
): Promise<ToolFunction> {
  const delegate = tool.frontmatter.metadata.delegate
  // Null takes an inherited one away.
  if (delegate !== undefined && delegate !== null) return (await code()).loadDelegate(source, globals)
  if (tool.kind !== 'code') {
    const { runSkill } = await markdown()
    return ctx => runSkill(tool, source, ctx as Context | undefined, globals)
  }
  const loaded = await (await code()).loadCode(source, globals)
  tool.module = loaded.module
  return loaded.fn
}
