import { AgentAppsError } from '../../src/base/error.js'
import { asText } from '../../src/content/interpolate.js'
import { namespaceOf } from '../../src/skill/names.js'
import { isText, requireAllowed, toolForCall } from '../call/agent-calls.js'
import { callTool, invokeFor } from '../call/call-tool.js'
import { RunContext } from '../call/run-context.js'
import { chainOf } from '../cascade/chain-of.js'
import { runMarkdown } from '../content/markdown-tool.js'
import { type OpenedSkill, openSkill } from '../find/opened-skill.js'
import { agentLimits } from '../policy/agent-limits.js'
import { noteOpened } from '../policy/opened-skills.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import { sourceOf } from '../state/tool-source.js'

/** An opened skill for a model: the result of calling it, or its text if it runs something. */
export async function openForAgent(
  ref: string,
  args: unknown,
  own: Globals,
  options: InvokeOptions,
  caller: RunContext | undefined,
): Promise<OpenedSkill> {
  const namespace = caller ? namespaceOf(caller.tool.name) : ''
  const { tool, globals } = await toolForCall(ref, own, namespace, options, caller)
  const { content } = tool
  if (!content) {
    throw new AgentAppsError('CONTENT_MISSING', `The tool "${tool.name}" is code and has no content.`, {
      hint: 'Call it with `invoke`.',
      tool: tool.name,
    })
  }
  const chain = await chainOf(tool, globals)
  if (isText(tool, chain)) {
    const result = await callTool(tool.name, args, globals, options, caller)
    return isOpened(result) ? result : openSkill(tool, asText(result), globals)
  }
  await requireAllowed(ref, globals, agentLimits(globals, { options, caller }), namespace)
  const ctx = new RunContext(globals, tool, invokeFor, caller, options)
  ctx.chain = chain
  ctx.takeArguments({})
  noteOpened(ctx)
  const source = sourceOf(tool)
  const text = source ? await runMarkdown(tool, source, ctx, globals) : await content()
  return openSkill(tool, globals.redact?.(text) ?? text, globals)
}

function isOpened(result: unknown): result is OpenedSkill {
  return typeof result === 'object' && result !== null && 'content' in result && 'resources' in result
}
