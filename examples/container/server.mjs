import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { answer } from './answer.mjs'
import { runtime } from './dist/agent.mjs'

const server = createServer(async (request, response) => {
  try {
    const { status, body } = await answer(await text(request))
    // A connection that is kept would keep the process.
    const connection = server.listening ? 'keep-alive' : 'close'
    response.writeHead(status, { 'content-type': 'application/json', connection }).end(body)
  } catch {
    // The caller broke off.
    response.destroy()
  }
})
server.listen(process.env.PORT, () => console.log(`listening on ${server.address().port}`))

// So a container is ended: what was asked is answered, and then the process is done.
process.once('SIGTERM', () => server.close(() => runtime.close()))
