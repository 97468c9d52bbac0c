// Chats over a web route, in which a second request answers what the first one asked. Run it with
// `node examples/web-approvals/server.js FOLDER`, and then:
//   curl localhost:PORT/chats/one -d '{"text": "news"}'                            what is to be approved
//   curl localhost:PORT/chats/one -d '{"answers": {"APPROVAL_ID": true}}'          what came of it
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { fileStore } from 'agent-apps/store'
import { generateText, stepCountIs } from 'ai'
import { model } from './model.js'

/** The longest request, in bytes. */
const REQUEST_MAX = 100_000

const [folder] = process.argv.slice(2)
const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, store: fileStore(folder) })

/** The messages of each chat. They never come from a client, which could make up what a model said. */
const chats = new Map()
const busy = new Set()

const server = createServer(async (request, response) => {
  const [status, body] = await answer(request).catch(error => [400, { error: error.message }])
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`))

async function answer(request) {
  // Here a real route also looks whether the chat is the user's.
  const [, id] = /^\/chats\/(\w+)$/.exec(request.url) ?? []
  if (id === undefined || request.method !== 'POST') return [404, { error: 'POST to /chats/ID' }]
  if (!(Number(request.headers['content-length']) <= REQUEST_MAX)) return [413, { error: 'too long' }]
  const { text, answers } = await json(request)
  if (busy.has(id)) return [409, { error: 'the chat waits for the model' }]
  busy.add(id)
  try {
    return [
      200,
      await goOn(id, text === undefined ? answered(answers) : { role: 'user', content: String(text) }),
    ]
  } finally {
    busy.delete(id)
  }
}

/** A person's answers, as the SDK takes them. */
function answered(answers) {
  const content = Object.entries(answers).map(([approvalId, approved]) => ({
    ...{ type: 'tool-approval-response', approvalId, approved: approved === true },
  }))
  return { role: 'tool', content }
}

/** Goes on with a chat, and gives what the model says, or what a person has to approve first. */
async function goOn(id, message) {
  const messages = [...(chats.get(id) ?? []), message]
  const skills = await skillTools(runtime, { approval: 'sdk', policy: { sessionId: id } })
  const result = await generateText({ ...skills, model, messages, stopWhen: stepCountIs(9) })
  // Version 6 has what came of it in `response`.
  const { response, responseMessages = response.messages } = result
  chats.set(id, [...messages, ...responseMessages])
  const asked = result.content.filter(({ type }) => type === 'tool-approval-request')
  return {
    text: result.text,
    asks: asked.map(({ approvalId, toolCall }) => ({
      ...{ approvalId, callId: toolCall.toolCallId, tool: toolCall.toolName, args: toolCall.input },
    })),
  }
}
