import type { Model } from 'agent-apps/runtime'
import type { ModelMessage, ToolChoice, ToolSet } from 'ai'
import { aiTool } from '../ai-tool.js'
import type { AgentRun } from './agent-run.js'
import { type AgentTools, agentTools } from './agent-tools.js'
import { type Answer, askModel } from './ask-model.js'
import { RESULT_TOOL } from './result-tool.js'

/** The work of an agent. */
export interface AgentWork extends AgentTools {
  model: Model
  /** What it is to follow. */
  system: string
  /** What it is to do. */
  prompt: string
}

const ASK_AGAIN = `Give your result by a call of ${RESULT_TOOL}, and not in words.`

/**
 * Has a model work as an agent, step by step, until it gives its result: by a call where one is expected, else in words.
 * Each step is a request of its own, so that what the model has of earlier ones can change.
 *
 * @throws AGENT_LIMIT, AGENT_NO_RESULT, AGENT_FAILED; RUN_ABORTED; what the model's provider throws
 */
export async function runAgent(work: AgentWork, run: AgentRun): Promise<unknown> {
  run.mustGoOn()
  const { model, system, prompt, expected } = work
  const { tools: made, about } = await agentTools(work, run)
  const tools: ToolSet = Object.fromEntries([...made].map(([name, tool]) => [name, aiTool(name, tool, null)]))
  const instructions = about === '' ? system : `${system}\n\n${about}`
  const messages: ModelMessage[] = [{ role: 'user', content: prompt }]
  for (let step = 1; step <= run.maxSteps; step++) {
    const isOnly = step === run.maxSteps || made.size === 1
    const toolChoice = expected ? choiceOf(isOnly) : undefined
    const answer = await askModel({ model, instructions, messages, tools, toolChoice }, run)
    messages.push(...answer.messages)
    run.endStep(answer)
    const { ending } = run
    if (ending && 'error' in ending) throw ending.error
    if (ending) return ending.result
    if (answer.calls.length === 0) {
      if (!expected) return wordsOf(answer, run)
      messages.push({ role: 'user', content: ASK_AGAIN })
    }
    run.mustGoOn()
  }
  throw run.unfinished('steps')
}

/** The call that a model must make: of any tool, or of that which takes the result. */
function choiceOf(isOnly: boolean): ToolChoice<ToolSet> {
  return isOnly ? { type: 'tool', toolName: RESULT_TOOL } : 'required'
}

function wordsOf({ text, finishReason }: Answer, run: AgentRun): string {
  if (finishReason === 'length') throw run.unfinished('cut')
  if (finishReason === 'content-filter' || finishReason === 'error') throw run.unfinished('refused')
  return text
}
