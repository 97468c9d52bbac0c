import { lazy } from '../host/later.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef, ToolFunction } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

const code = lazy(() => import('../call/run-code.js'))
const markdown = lazy(() => import('./markdown-tool.js'))

const loading = new WeakMap<ToolDef, Promise<ToolFunction>>()

/** Loads the function of a tool, once, and again after a failure. */
export function loadFunction(tool: ToolDef, source: ToolSource, globals: Globals): Promise<ToolFunction> {
  const known = loading.get(tool)
  if (known) return known
  const started = functionOf(tool, source, globals).catch(error => {
    loading.delete(tool)
    throw error
  })
  loading.set(tool, started)
  return started
}

/** The function of a tool: its delegate's, the one that returns its content, or that of its code. */
async function functionOf(tool: ToolDef, source: ToolSource, globals: Globals): Promise<ToolFunction> {
  const { delegate } = tool.frontmatter.metadata
  // Null removes an inherited one.
  if (delegate !== undefined && delegate !== null) return (await code()).loadDelegate(source, globals)
  if (tool.kind !== 'code') {
    const { runSkill } = await markdown()
    return ctx => runSkill(tool, source, ctx as Context | undefined, globals)
  }
  const loaded = await (await code()).loadCode(source, globals)
  tool.module = loaded.module
  return loaded.fn
}
