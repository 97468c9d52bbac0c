// A stand-in for a model: LangChain's own fake, which loads a skill, reads its template, and publishes the page.
import { AIMessage, fakeModel } from 'langchain'

const CALLS = [
  ['load-skill', { name: 'release-notes' }],
  ['read-skill-resource', { name: 'release-notes', path: 'template.md' }],
  ['publish', { page: 'notes' }],
]

/** What it says next depends on the messages alone, so that another process can go on. */
function next(messages) {
  const results = messages.filter(({ type }) => type === 'tool')
  const [name, args] = CALLS[results.length] ?? []
  if (!name) return new AIMessage(`The last call gave: ${results.at(-1).text}`)
  return new AIMessage({ content: '', tool_calls: [{ id: `call-${results.length}`, name, args }] })
}

export const model = fakeModel()
for (let calls = 0; calls < 9; calls++) model.respond(next)
