import { AgentAppsError } from '../../src/base/error.js'
import { isBroken } from '../../src/index/index-format.js'
import type { RunContext } from '../call/run-context.js'
import { directoryStates, lookUp } from '../directory/look-up.js'
import { readContent } from '../directory/read-content.js'
import { toolOf } from '../find/make-tool.js'
import { lazy } from '../host/later.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef, ToolFunction } from '../state/tool-def.js'
import type { ToolSource } from '../state/tool-source.js'

const code = lazy(() => import('../call/run-code.js'))
const rendering = lazy(() => import('./render-tool.js'))

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
  if (tool.kind !== 'code') return ctx => runSkill(tool, source, ctx as Context | undefined, globals)
  const loaded = await (await code()).loadCode(source, globals)
  tool.module = loaded.module
  return loaded.fn
}

/** Calls a Markdown skill: returns its text, or the result of the model that runs it. */
async function runSkill(
  tool: ToolDef,
  source: ToolSource,
  ctx: Context | undefined,
  globals: Globals,
): Promise<unknown> {
  if (!tool.frontmatter.metadata.agent) return runMarkdown(tool, source, ctx, globals)
  return runAgentSkill(tool, ctx, globals, () => runMarkdown(tool, source, ctx, globals))
}

/** Renders a Markdown skill; without directives and `${…}`, no renderer is loaded. */
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

/** True if `${…}` in the content itself is filled in. */
export function isInterpolated({ frontmatter: { metadata } }: ToolDef, ctx: Context | undefined): boolean {
  const { interpolate: own = (ctx as RunContext | undefined)?.chain?.interpolate } = metadata
  return own === true
}

/** The library's tool that has a model run a text. */
const AGENT = 'agent'

/** The other exports of its module. */
interface AgentModule {
  /** Has a model run a skill within its call. `render` returns the skill's text. */
  runSkill: (ctx: Context, skill: ToolDef, render: () => Promise<string>) => Promise<unknown>
}

/**
 * Has a model run a skill, by the library's tool `agent`, so that a bundle without such a skill contains none of it.
 *
 * @throws CONTEXT_MISSING outside a call; TOOL_NOT_FOUND without the library; the errors of `agent`
 */
async function runAgentSkill(
  skill: ToolDef,
  ctx: Context | undefined,
  globals: Globals,
  render: () => Promise<string>,
): Promise<unknown> {
  if (!ctx?.globals) {
    throw new AgentAppsError('CONTEXT_MISSING', `"${skill.name}" was called without a runtime.`, {
      hint: 'Call it with `invoke`.',
      tool: skill.name,
    })
  }
  const tool = await libraryTool(AGENT, globals)
  if (!tool) {
    throw new AgentAppsError(
      'TOOL_NOT_FOUND',
      `No model can run "${skill.name}": the library's tool "${AGENT}" is not there.`,
      { hint: 'Leave the library among the paths: `library: true`.', tool: AGENT },
    )
  }
  await tool.load?.()
  const { runSkill } = tool.module as AgentModule
  const redacted = async (): Promise<string> => {
    const text = await render()
    return globals.redact?.(text) ?? text
  }
  return runSkill(ctx, skill, redacted)
}

/** Finds a tool of the library, even if a project shadows its name. */
async function libraryTool(name: string, globals: Globals): Promise<ToolDef | null> {
  for (const state of directoryStates(globals)) {
    const found = state.library ? await lookUp(state, name, globals, true) : null
    if (found && !isBroken(found.record)) return toolOf({ ...found, record: found.record }, globals)
  }
  return null
}
