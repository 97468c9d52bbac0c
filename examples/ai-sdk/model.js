// A stand-in for a model: the SDK's own mock, which loads a skill, reads its template, and publishes the page.
import * as mocks from 'ai/test'

const CALLS = [
  ['load-skill', { name: 'release-notes' }],
  ['read-skill-resource', { name: 'release-notes', path: 'template.md' }],
  ['publish', { page: 'notes' }],
]

const Model = mocks.MockLanguageModelV4 ?? mocks.MockLanguageModelV3

export const model = new Model({
  doGenerate: async ({ prompt }) => {
    const results = prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content.filter(({ type }) => type === 'tool-result') : [],
    )
    const [toolName, input] = CALLS[results.length] ?? []
    const last = results.at(-1)?.output
    const content = toolName
      ? { type: 'tool-call', toolCallId: `call-${results.length}`, toolName, input: JSON.stringify(input) }
      : { type: 'text', text: `The last call gave: ${last.value ?? last.reason}` }
    return {
      content: [content],
      finishReason: { unified: toolName ? 'tool-calls' : 'stop', raw: undefined },
      usage: { inputTokens: { total: 1 }, outputTokens: { total: 1 } },
      warnings: [],
    }
  },
})
