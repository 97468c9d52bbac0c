import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { compile } from 'agent-apps/compiler'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { agentApps, COMMAND, type Said } from '../support/commands.js'
import { isLong, some } from '../support/long.js'
import { clientOf, ERAS, type Era, environment, MCP_PROJECT } from '../support/mcp-project.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const TOKEN = 'a long text that nobody guesses'
const cwd = makeTree(MCP_PROJECT)
let server: ChildProcess
let url: URL
let said = ''

beforeAll(async () => {
  await compile({ cwd })
  const env = { ...environment(), AGENT_APPS_MCP_TOKEN: TOKEN }
  server = spawn(process.execPath, [COMMAND, 'mcp', '--trust', '--http', '0'], { cwd, env })
  server.stderr?.on('data', chunk => {
    said += chunk
  })
  url = await addressOf(server)
})

afterAll(async () => {
  server.kill('SIGINT')
  const [code] = await once(server, 'exit')
  expect(code).toBe(130)
})

async function connected(era: Era, headers = { authorization: `Bearer ${TOKEN}` }): Promise<Client> {
  const client = clientOf(era, { capabilities: { elicitation: { form: {} } } })
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
  return client
}

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })

/** The status of a request, made with exactly these headers. */
function status(headers: Record<string, string>, body: string | Buffer = PING, at = url): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = posted(headers, at)
    sent.on('response', answer => {
      answer.resume()
      resolve(answer.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function posted(headers: Record<string, string>, { hostname, port, pathname }: URL): ClientRequest {
  const all = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...headers,
  }
  return request({ host: hostname, port, path: pathname, method: 'POST', headers: all })
}

/** The head of a request with a body of so many bytes. */
function head(length: number): string {
  const headers = {
    ...{ host: 'localhost', authorization, 'content-type': 'application/json', connection: 'close' },
    ...{ accept: 'application/json, text/event-stream', 'content-length': length },
  }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\n${lines.join('')}\r\n`
}

/** All that the server says to a client that sends a text and then closes its half of the connection. */
async function sent(text: string): Promise<string> {
  const socket = connect({ port: Number(url.port), host: url.hostname, allowHalfOpen: true })
  let said = ''
  socket.setEncoding('utf8').on('data', chunk => {
    said += chunk
  })
  socket.on('error', () => {})
  socket.on('end', () => socket.destroy())
  socket.end(text)
  await once(socket, 'close')
  return said
}

/** Where a server serves, once it says so. */
function addressOf(child: ChildProcess): Promise<URL> {
  return new Promise((resolve, reject) => {
    let said = ''
    child.stderr?.on('data', chunk => {
      said += chunk
      const found = addressIn(said)
      if (found) resolve(found)
    })
    child.once('exit', code => reject(new Error(`It ended with ${code}: ${said}`)))
  })
}

function addressIn(said: string): URL | undefined {
  const [found] = /http:\S+\/mcp/.exec(said) ?? []
  return found === undefined ? undefined : new URL(found)
}

const authorization = `Bearer ${TOKEN}`

describe.each(some(ERAS))('agent-apps mcp over HTTP, as a client of %s sees it', era => {
  it('serves tools, prompts and skills', async () => {
    const client = await connected(era)
    const count = await client.callTool({ name: 'count', arguments: { text: 'a b' } })
    expect(count.structuredContent).toEqual({ words: 2 })
    expect((await client.listPrompts()).prompts).toHaveLength(1)
    const skills = new SkillsClient(client)
    const [review] = (await skills.list()).skills
    expect(await skills.read(review as never, 'docs/guide.md')).toMatchObject({ verified: true })
    await client.close()
  })

  it('reports progress, and ends a call that is no longer wanted', async () => {
    const client = await connected(era)
    const seen: unknown[] = []
    await client.callTool({ name: 'slow' }, { onprogress: ({ progress }) => seen.push(progress) })
    expect(seen).toEqual([0, 1, 2, 3])
    // A request of 2025 over HTTP knows of no other that ends it: the client hangs up.
    const before = said.split('ABORTED').length
    const hanging = client.callTool({ name: 'hang' }, { onprogress: () => void client.close() })
    await expect(hanging).rejects.toThrow()
    await vi.waitFor(() => expect(said.split('ABORTED').length).toBe(before + 1), { timeout: 60_000 })
  })

  it('asks nobody about a call that needs approval: a client that approved its own would approve nothing', async () => {
    const client = await connected(era)
    client.setRequestHandler('elicitation/create', () => ({
      action: 'accept',
      content: { answer: 'allow-once' },
    }))
    const refused = await client.callTool({ name: 'save', arguments: { path: 'a' } })
    expect(refused).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('APPROVAL_UNAVAILABLE') }],
    })
    await client.close()
  })

  it('needs the token', async () => {
    await expect(connected(era, { authorization: 'Bearer another' })).rejects.toThrow()
  })
})

describe('agent-apps mcp --http', () => {
  it('tells that lists changed when a file did', { tags: 'long' }, async () => {
    const changed: string[] = []
    const client = clientOf('2026', {
      listChanged: { tools: { autoRefresh: false, onChanged: () => void changed.push('tools') } },
    })
    await client.connect(
      new StreamableHTTPClientTransport(url, { requestInit: { headers: { authorization } } }),
    )
    // Again and again: what changes before the server hears of the client is none of its business.
    let number = 0
    await vi.waitFor(
      () => {
        writeTree(cwd, { [`skills/added-${++number}/SKILL.md`]: skill(`added-${number}`) })
        expect(changed).toContain('tools')
      },
      { timeout: 60_000, interval: 700 },
    )
    await client.close()
  })

  it('answers only who has the token and comes by a name of this machine, without reading what they send', async () => {
    expect(await status({ authorization })).toBe(200)
    expect(await status({})).toBe(401)
    expect(await status({ authorization: 'Bearer ' })).toBe(401)
    expect(await status({ authorization: `Basic ${TOKEN}` })).toBe(401)
    expect(await status({ authorization, host: 'evil.example' })).toBe(403)
    expect(await status({ authorization, host: `localhost:${url.port}` })).toBe(200)
    expect(await status({ authorization, origin: 'https://evil.example' })).toBe(403)
    expect(await status({ authorization, origin: 'null' })).toBe(403)
    expect(await status({ authorization, origin: `http://localhost:${url.port}` })).toBe(200)
    expect(await status({ authorization }, PING, new URL('/other', url))).toBe(404)
  })

  it('listens on the loopback address alone', async () => {
    expect(url.hostname).toBe('127.0.0.1')
    const others = Object.values(networkInterfaces())
      .flat()
      .filter(one => one?.family === 'IPv4' && !one.internal)
      .map(one => one?.address ?? '')
    // What listens on all addresses would answer at this one, too.
    for (const address of ['127.0.0.2', ...others]) {
      const socket = connect(Number(url.port), address)
      const [error] = await once(socket, 'error')
      expect(error.code).toBe('ECONNREFUSED')
    }
  })

  it('listens where it is told to, and there needs the token as well', async () => {
    const env = { ...environment(), AGENT_APPS_MCP_TOKEN: TOKEN }
    const controller = new AbortController()
    let ended: Promise<Said> | undefined
    const own = await new Promise<URL>((resolve, reject) => {
      const onOutput = (_: string, text: string): void => {
        const found = addressIn(text)
        if (found) resolve(found)
      }
      const { signal } = controller
      ended = agentApps(makeTree({}), ['mcp', '--http', '0.0.0.0:0'], { env, signal, onOutput })
      ended.then(({ stderr }) => reject(new Error(stderr)), reject)
    })
    onTestFinished(async () => {
      controller.abort()
      await ended
    })
    expect(own.hostname).toBe('0.0.0.0')
    own.hostname = '127.0.0.2'
    expect(await status({ authorization, host: 'any.example' }, PING, own)).toBe(200)
    expect(await status({ host: 'any.example' }, PING, own)).toBe(401)
    expect(await status({ authorization, origin: 'https://evil.example' }, PING, own)).toBe(403)
  })

  it.each([
    ['that says so', { 'content-length': `${10 * 1024 * 1024}` }],
    ['that does not', { 'transfer-encoding': 'chunked' }],
  ])('takes no body of 10 MB %s', async (_, headers) => {
    const body = Buffer.alloc(10 * 1024 * 1024, 32)
    // Who goes on writing may see the connection end before the answer.
    const refused = await status({ authorization, ...headers }, body).catch(error => error.code)
    expect([413, 'ECONNRESET', 'EPIPE']).toContain(refused)
    expect(await status({ authorization })).toBe(200)
  })

  it('answers a client that has closed its half of the connection', async () => {
    const said = await sent(`${head(PING.length)}${PING}`)
    expect(said).toMatch(/^HTTP\/1.1 200 /)
    expect(said).toContain('"result":{}')
  })

  it('goes on when clients leave in the middle of a request, or send rubbish', async () => {
    expect(await sent(`${head(1000)}{`)).not.toMatch(/^HTTP\/1.1 200 /)
    expect(await sent('rubbish\r\n\r\n')).toMatch(/^HTTP\/1.1 400 /)
    expect(await status({ authorization })).toBe(200)
  })

  it.runIf(isLong)('gives a request its time, body and all, and hardly more', async () => {
    // A server whose times are a fifteenth of what they are.
    const hurry = `import http from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
const { createServer } = http
const part = time => Math.ceil(time / 15)
http.createServer = ({ requestTimeout, headersTimeout, connectionsCheckingInterval = 30_000, ...more }) =>
  createServer({
    requestTimeout: part(requestTimeout),
    headersTimeout: part(headersTimeout),
    connectionsCheckingInterval: part(connectionsCheckingInterval),
    ...more,
  })
syncBuiltinESMExports()`
    const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(hurry)}`
    const env = { ...environment(), AGENT_APPS_MCP_TOKEN: TOKEN, NODE_OPTIONS }
    const hurried = spawn(process.execPath, [COMMAND, 'mcp', '--http', '0'], { cwd: makeTree({}), env })
    onTestFinished(() => void hurried.kill())
    const at = await addressOf(hurried)
    /** How long a request lives whose body comes slowly, and never to its end. */
    const life = async (): Promise<number> => {
      const start = performance.now()
      // The server resets the connection where a byte is under way, so its end may be an error.
      const socket = connect(Number(at.port), at.hostname)
        .on('error', () => {})
        .resume()
      const closed = new Promise(resolve => socket.on('close', resolve))
      socket.write(head(1000))
      const drip = setInterval(() => socket.write(' '), 100)
      await closed
      clearInterval(drip)
      return performance.now() - start
    }
    // Whenever the server looks by Node's default, one of these comes half of the time between after it.
    const lives = [life()]
    await wait(1000)
    lives.push(life())
    for (const one of await Promise.all(lives)) {
      expect(one).toBeGreaterThan(1800)
      expect(one).toBeLessThan(4500)
    }
  })

  it('answers 64 requests at once, and tells others to come back', { tags: 'long' }, async () => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'hang', arguments: {} } }
    const hanging = Array.from({ length: 64 }, () => {
      const one = posted({ authorization }, url)
      one.on('error', () => {})
      one.end(JSON.stringify(body))
      return one
    })
    await vi.waitFor(async () => expect(await status({ authorization })).toBe(503), { timeout: 60_000 })
    for (const one of hanging) one.destroy()
    await vi.waitFor(async () => expect(await status({ authorization })).toBe(200), { timeout: 60_000 })
  })

  it('keeps 256 connections, and closes others', async () => {
    let closed = 0
    const sockets = Array.from({ length: 300 }, () => {
      const socket = connect(Number(url.port), url.hostname)
      socket.on('error', () => {}).on('close', () => closed++)
      return socket.resume()
    })
    await vi.waitFor(() => expect(closed).toBeGreaterThanOrEqual(300 - 256), { timeout: 60_000 })
    for (const socket of sockets) socket.destroy()
    await vi.waitFor(async () => expect(await status({ authorization })).toBe(200), { timeout: 60_000 })
  })

  it('does not start without a token, or at what is not an address', async () => {
    const started = async (args: string[], token: string): Promise<string> => {
      const env = { ...environment(), ...(token !== '' && { AGENT_APPS_MCP_TOKEN: token }) }
      const { status, stderr } = await agentApps(cwd, ['mcp', ...args], { env })
      return `${status} ${stderr}`
    }
    expect(await started(['--http', '0'], '')).toMatch(/^2 [\s\S]*\$AGENT_APPS_MCP_TOKEN is not set/)
    expect(await started(['--http', '0'], 'short')).toMatch(/^2 [\s\S]*fewer than 16 characters/)
    expect(await started(['--http', 'here'], TOKEN)).toMatch(/^2 [\s\S]*is not an address/)
    expect(await started(['--http', url.port], TOKEN)).toMatch(/^1 [\s\S]*EADDRINUSE/)
  })
})
