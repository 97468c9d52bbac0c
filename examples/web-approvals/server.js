// Chats over a web route, in which a second request answers what the first one asked, in this process or in another one
// with the same store. Run it with `node examples/web-approvals/server.js STORE`, where STORE is a folder or the address of a
// Redis or PostgreSQL, and then:
//   curl localhost:PORT/chats/one -d '{"text": "news"}'                            what is to be approved
//   curl localhost:PORT/chats/one -d '{"answers": {"APPROVAL_ID": true}}'          what came of it
import { createServer } from 'node:http'
import { json } from 'node:stream/consumers'
import { createRuntime } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { generateText, stepCountIs } from 'ai'
import { model } from './model.js'
import { openStore } from './open-store.js'

/** The longest request, in bytes. */
const REQUEST_MAX = 100_000

const [address] = process.argv.slice(2)
const store = await openStore(address)
const runtime = createRuntime({ paths: ['skills'], cwd: import.meta.dirname, store })

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
  return goOn(id, text === undefined ? answered(answers) : { role: 'user', content: String(text) })
}

/** A person's answers, as the SDK takes them. */
function answered(answers) {
  const content = Object.entries(answers).map(([approvalId, approved]) => ({
    ...{ type: 'tool-approval-response', approvalId, approved: approved === true },
  }))
  return { role: 'tool', content }
}

/**
 * Goes on with a chat, and gives what the model says, or what a person has to approve first. The messages never come from a
 * client, which could make up what a model said.
 */
async function goOn(id, message) {
  const key = `chat ${id}`
  const chat = await store.get(key)
  const messages = [...(chat?.value ?? []), message]
  const skills = await skillTools(runtime, { approval: 'sdk', policy: { sessionId: id } })
  const result = await generateText({ ...skills, model, messages, stopWhen: stepCountIs(9) })
  // Version 6 has what came of it in `response`.
  const { response, responseMessages = response.messages } = result
  try {
    await store.set(key, [...messages, ...responseMessages], chat?.version ?? null)
  } catch (error) {
    if (error.code !== 'STATE_CONFLICT') throw error
    return [409, { error: 'another request went on with this chat meanwhile' }]
  }
  const asked = result.content.filter(({ type }) => type === 'tool-approval-request')
  const asks = asked.map(({ approvalId, toolCall }) => ({
    ...{ approvalId, callId: toolCall.toolCallId, tool: toolCall.toolName, args: toolCall.input },
  }))
  return [200, { text: result.text, asks }]
}
