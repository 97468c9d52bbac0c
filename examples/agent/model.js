// A stand-in for a model: the SDK's own mock. It reads the change, answers in words, and is made to give its result by a call.
import * as mocks from 'ai/test'

const ANSWERS = [
  call('read-diff', { change: '1234' }),
  { type: 'text', text: 'I would reject it.' },
  call('give-result', { verdict: 'reject', reason: 'It has no test.' }),
]

const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3

let step = 0

export const model = new Model({
  doGenerate: async () => {
    const answer = ANSWERS[step++]
    return {
      content: [answer],
      finishReason: { unified: answer.type === 'text' ? 'stop' : 'tool-calls', raw: undefined },
      usage: { inputTokens: { total: 100 }, outputTokens: { total: 10 } },
      warnings: [],
    }
  },
})

function call(toolName, input) {
  return { type: 'tool-call', toolCallId: toolName, toolName, input: JSON.stringify(input) }
}
