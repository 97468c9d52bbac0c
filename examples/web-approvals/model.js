// A stand-in for a model: the SDK's own mock, which publishes the page that it is told to. As some models do, it numbers
// its calls from the start in each chat.
import * as mocks from 'ai/test'

const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3

export const model = new Model({
  doGenerate: async ({ prompt }) => {
    const { role, content } = prompt.at(-1)
    const calls = prompt.flatMap(one => (one.role === 'assistant' ? one.content : [])).length
    const part =
      role === 'user'
        ? call(`call-${calls + 1}`, 'publish', { page: content[0].text })
        : { type: 'text', text: said(content.find(({ type }) => type === 'tool-result').output) }
    return {
      content: [part],
      finishReason: { unified: part.type === 'text' ? 'stop' : 'tool-calls', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }
  },
})

function call(toolCallId, toolName, input) {
  return { type: 'tool-call', toolCallId, toolName, input: JSON.stringify(input) }
}

function said({ type, value }) {
  return type === 'execution-denied' ? 'It was not to be.' : `It gave: ${value}`
}
