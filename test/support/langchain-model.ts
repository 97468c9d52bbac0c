import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { fakeModel } from 'langchain'

/** What the model gives in one step. */
type Step = { text: string } | { calls: { id: string; name: string; args: Record<string, unknown> }[] }

export type Model = ReturnType<typeof scriptedModel>

/** LangChain's own fake model, which does one step after the other, and keeps the tools that it is bound to. */
export function scriptedModel(...steps: Step[]) {
  const model = fakeModel()
  for (const step of steps)
    model.respond(
      'text' in step ? new AIMessage(step.text) : new AIMessage({ content: '', tool_calls: step.calls }),
    )
  const offered: { name: string; schema: unknown; description: string }[] = []
  const bindTools = model.bindTools.bind(model)
  model.bindTools = tools => {
    offered.splice(0, offered.length, ...(tools as typeof offered))
    return bindTools(tools)
  }
  return Object.assign(model, { offered })
}

/** A step with one call. */
export function calling(name: string, args: Record<string, unknown> = {}, id = `call-${name}`): Step {
  return { calls: [{ id, name, args }] }
}

/** The system prompt that the model saw at its last step. */
export function seenSystem(model: Model): string {
  return seenMessages(model)
    .filter(({ type }) => type === 'system')
    .map(({ text }) => text)
    .join('\n')
}

/** What the model was shown as the results of its calls, by the calls' ids. */
export function seenResults(model: Model): Record<string, { status: unknown; content: unknown }> {
  return resultsIn(seenMessages(model))
}

export function resultsIn(
  messages: readonly BaseMessage[],
): Record<string, { status: unknown; content: unknown }> {
  return Object.fromEntries(
    messages
      .filter(message => ToolMessage.isInstance(message))
      .map(({ tool_call_id, status, content }) => [tool_call_id, { status, content }]),
  )
}

function seenMessages(model: Model): BaseMessage[] {
  return model.calls.at(-1)?.messages ?? []
}
