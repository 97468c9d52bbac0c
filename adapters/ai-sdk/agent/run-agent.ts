import type { Model } from 'agent-apps/runtime'
import type { ToolChoice, ToolSet } from 'ai'
import { aiTool } from '../ai-tool.js'
import type { AgentRun } from './agent-run.js'
import { type AgentTools, agentTools } from './agent-tools.js'
import { type Answer, askModel, type StepMessage } from './ask-model.js'
import { RESULT_TOOL } from './result-tool.js'

export interface AgentWork extends AgentTools {
  model: Model
  system: string
  prompt: string
}

const ASK_AGAIN = `Give your result by calling ${RESULT_TOOL}, not as text.`

/**
 * Runs a model as an agent, step by step, until it gives its result: by a call if one is expected, else as text. Each step
 * is a request of its own, so that earlier messages can change.
 *
 * @throws AGENT_LIMIT, AGENT_NO_RESULT, AGENT_FAILED; RUN_ABORTED; what the model's provider throws
 */
export async function runAgent(work: AgentWork, run: AgentRun): Promise<unknown> {
  run.throwIfOver()
  const { model, system, prompt, expected } = work
  const { tools: made, about } = await agentTools(work, run)
  // Without a prototype, since the SDK would take `constructor` for a tool.
  const tools: ToolSet = Object.create(null)
  for (const [name, tool] of made) tools[name] = aiTool(name, tool, null)
  const instructions = about === '' ? system : `${system}\n\n${about}`
  const messages: StepMessage[] = [{ step: 0, message: { role: 'user', content: prompt } }]
  for (let step = 1; step <= run.maxSteps; step++) {
    const isOnly = step === run.maxSteps || made.size === 1
    const toolChoice = expected ? choiceOf(isOnly) : undefined
    const answer = await askModel({ model, instructions, messages, tools, toolChoice }, run)
    messages.push(...answer.messages.map(message => ({ step: run.step, message })))
    run.endStep(answer)
    const { ending } = run
    if (ending && 'error' in ending) throw ending.error
    if (ending) return ending.result
    if (answer.calls.length === 0) {
      if (!expected) return textOf(answer, run)
      messages.push({ step: run.step, message: { role: 'user', content: ASK_AGAIN } })
    }
    run.throwIfOver()
  }
  throw run.unfinished('steps')
}

function choiceOf(isOnly: boolean): ToolChoice<ToolSet> {
  return isOnly ? { type: 'tool', toolName: RESULT_TOOL } : 'required'
}

function textOf({ text, finishReason }: Answer, run: AgentRun): string {
  if (finishReason === 'length') throw run.unfinished('cut')
  if (finishReason === 'content-filter' || finishReason === 'error') throw run.unfinished('refused')
  return text
}
