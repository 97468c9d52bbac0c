import type { RunContext } from '../call/run-context.js'
import { readContent } from '../directory/read-content.js'
import { lazy } from '../host/later.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

const agents = lazy(() => import('./run-agent-skill.js'))
const rendering = lazy(() => import('./render-tool.js'))

/** The result of calling a Markdown skill: its text, or the result of the model that runs it. */
export async function runSkill(
  tool: ToolDef,
  source: ToolSource,
  ctx: Context | undefined,
  globals: Globals,
): Promise<unknown> {
  if (!tool.frontmatter.metadata.agent) return runMarkdown(tool, source, ctx, globals)
  return (await agents()).runAgentSkill(tool, ctx, globals, () => runMarkdown(tool, source, ctx, globals))
}

/** Returns what `renderTool` returns; without directives and `${…}`, no renderer is loaded for it. */
export async function runMarkdown(
  tool: ToolDef,
  source: ToolSource,
  ctx: Context | undefined,
  globals: Globals,
): Promise<string> {
  const { directives = [] } = source.record
  if (directives.length === 0 && !isInterpolated(tool, ctx)) return readContent(source, globals)
  return (await rendering()).renderTool(tool, source, ctx, globals)
}

/** True where the content's own `${…}` is filled in. */
export function isInterpolated({ frontmatter: { metadata } }: ToolDef, ctx: Context | undefined): boolean {
  const { interpolate: own = (ctx as RunContext | undefined)?.chain?.interpolate } = metadata
  return own === true
}
