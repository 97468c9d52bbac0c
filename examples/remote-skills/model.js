// A stand-in for a model: the SDK's own mock. It searches by the words of the user, loads the first skill that is found, and reads the file that the skill names.
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

let loaded

function nextCall(words, results) {
  const { toolName, output } = results.at(-1) ?? {}
  if (toolName === undefined) return callOf('search-skills', { query: words })
  if (toolName === 'search-skills') {
    loaded = JSON.parse(output.value).skills[0].name
    return callOf('load-skill', { name: loaded })
  }
  if (toolName !== 'load-skill') return null
  const [path] = /references\/[\w.-]+/.exec(output.value)
  return callOf('read-skill-resource', { name: loaded, path })
}

function callOf(toolName, input) {
  return { type: 'tool-call', toolCallId: `call-${toolName}`, toolName, input: JSON.stringify(input) }
}
