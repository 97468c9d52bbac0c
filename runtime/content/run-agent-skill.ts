import { AgentAppsError } from '../../src/base/error.js'
import { isBroken } from '../../src/index/index-format.js'
import { directoryStates, lookUp } from '../directory/look-up.js'
import { toolOf } from '../find/make-tool.js'
import type { Context, Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** The library's tool that gives a text to a model. */
const AGENT = 'agent'

/** The other exports of its module. */
interface AgentModule {
  /** Has a model work on a skill in the call of it. `render` gives the skill's text. */
  runSkill: (ctx: Context, skill: ToolDef, render: () => Promise<string>) => Promise<unknown>
}

/**
 * Runs a model over a skill's content. What does it is the library's tool `agent`, so that a bundle without
 * such a skill has none of it.
 *
 * @throws CONTEXT_MISSING where nobody called the skill; TOOL_NOT_FOUND without the library; what `agent` throws
 */
export async function runAgentSkill(
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

/** A tool of the library, whatever a project calls by its name. */
async function libraryTool(name: string, globals: Globals): Promise<ToolDef | null> {
  for (const state of directoryStates(globals)) {
    const found = state.library ? await lookUp(state, name, globals, true) : null
    if (found && !isBroken(found.record)) return toolOf({ ...found, record: found.record }, globals)
  }
  return null
}
