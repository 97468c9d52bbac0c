// A stand-in for a model: the SDK's own mock. It searches by the words of the user, loads the first skill that is found, and calls the tool that the skill names.
import * as mocks from 'ai/test'

const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3

export const model = new Model({
  doGenerate: async ({ prompt }) => {
    const contents = role => prompt.flatMap(one => (one.role === role ? one.content : []))
    const results = contents('tool').filter(({ type }) => type === 'tool-result')
    const call = nextCall(contents('user').at(-1).text, results)
    return {
      content: [call ?? { type: 'text', text: `Done: ${results.at(-1).output.value}` }],
      finishReason: { unified: call ? 'tool-calls' : 'stop', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }
  },
})

function nextCall(words, results) {
  const { toolName, output } = results.at(-1) ?? {}
  if (toolName === undefined) return callOf('search-skills', { query: words })
  if (toolName === 'search-skills') {
    const { skills } = JSON.parse(output.value)
    return callOf('load-skill', { name: skills[0].name })
  }
  if (toolName !== 'load-skill') return null
  const [, tool] = /call `([\w-]+)`/.exec(output.value)
  return callOf(tool, { amount: Number(/\d+/.exec(words)[0]) })
}

function callOf(toolName, input) {
  return { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }
}
