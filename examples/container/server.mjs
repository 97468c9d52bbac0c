import { createServer } from 'node:http'
import { answer } from './answer.mjs'
import { runtime } from './dist/agent.mjs'

/** The longest request, in bytes. */
const REQUEST_MAX = 1_048_576
/** How long (ms) callers have to end what they began: less than a container is given. */
const PATIENCE = 5_000

const server = createServer(async (request, response) => {
  try {
    const text = await read(request)
    const { status, body } = text === null ? { status: 413, body: '' } : await answer(text)
    // A connection that is kept would keep the process.
    const connection = server.listening && text !== null ? 'keep-alive' : 'close'
    response.writeHead(status, { 'content-type': 'application/json', connection }).end(body)
  } catch {
    // The caller broke off.
    response.destroy()
  }
})
server.listen(process.env.PORT, () => console.log(`listening on ${server.address().port}`))

// So a container is ended: what was asked is answered, and then the process is done.
process.once('SIGTERM', () => {
  server.close(() => runtime.close())
  setTimeout(() => server.closeAllConnections(), PATIENCE).unref()
})

/** A request's body; null where it is too long. */
async function read(request) {
  const chunks = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length > REQUEST_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
