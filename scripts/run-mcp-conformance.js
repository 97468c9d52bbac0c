// Runs MCP's own conformance scenarios against `agent-apps mcp --http`, in both eras of the protocol. They need Node 24.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { install } from './processes.js'

const PROJECT = fileURLToPath(new URL('..', import.meta.url))
const PACKAGES = ['@modelcontextprotocol/conformance@0.2.0-alpha.12']
const FIXTURE = join(PROJECT, 'test/samples/mcp-conformance')
const TOKEN = 'a token that the scenarios do not know of'

/** What is run: all that a revision of the protocol has, and what is not of any. */
const RUNS = [
  ['--suite', 'all', '--spec-version', '2025-11-25'],
  ['--suite', 'all', '--spec-version', '2026-07-28'],
  ...['directory', 'enumeration', 'manifest'].map(name => ['--scenario', `sep-2640-skills-${name}`]),
]

const scratch = mkdtempSync(join(process.env.AGENT_APPS_CI_SCRATCH ?? tmpdir(), 'mcp-conformance-'))
const { server, port } = await serve()
const bridge = createServer((incoming, outgoing) => hand(incoming, outgoing, port)).listen(0, '127.0.0.1')
try {
  await once(bridge, 'listening')
  install(join(scratch, 'suite'), PACKAGES)
  const suite = join(scratch, 'suite/node_modules/@modelcontextprotocol/conformance/dist/index.js')
  for (const [at, given] of RUNS.entries()) {
    const url = `http://localhost:${bridge.address().port}/mcp`
    const results = [
      '-o',
      join(scratch, `results-${at}`),
      '--expected-failures',
      join(FIXTURE, 'baseline.yaml'),
    ]
    const said = await ended(process.execPath, [suite, 'server', '--url', url, ...given, ...results])
    console.log(`\n${given.join(' ')}\n${said.replace(/^[\s\S]*(?==== SUMMARY)/, '').trim()}`)
  }
} catch (error) {
  console.log(`${error.stack}\n${error.said ?? ''}`)
  process.exitCode = 1
} finally {
  bridge.close()
  bridge.closeAllConnections()
  server.kill('SIGINT')
  rmSync(scratch, { recursive: true, force: true })
}

/** The command, serving a copy of the fixture. */
async function serve() {
  const cwd = join(scratch, 'project')
  cpSync(FIXTURE, cwd, { recursive: true })
  const env = { ...process.env, AGENT_APPS_MCP_TOKEN: TOKEN, HOME: scratch }
  const args = [join(PROJECT, 'dist/cli/main.js'), 'mcp', '--trust', '--http', '0']
  const server = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  const port = await new Promise((resolve, reject) => {
    server.stderr.setEncoding('utf8').on('data', text => {
      said += text
      const [, port] = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(said) ?? []
      if (port) resolve(port)
    })
    server.once('exit', () => reject(new Error(`The server ended: ${said}`)))
  })
  return { server, port }
}

/**
 * Hands a request on to the server with the token, which the scenarios cannot give, and the answer back. The scenarios ask for
 * `test_simple_text`: names of skills have hyphens in the place of underscores.
 */
function hand(incoming, outgoing, port) {
  const name = incoming.headers['mcp-name']
  const headers = {
    ...incoming.headers,
    authorization: `Bearer ${TOKEN}`,
    ...(name !== undefined && { 'mcp-name': toOurs(name) }),
  }
  const { method, url } = incoming
  const handed = request({ host: '127.0.0.1', port, path: url, method, headers }, answer => {
    outgoing.writeHead(answer.statusCode, answer.headers)
    answer.setEncoding('utf8').on('data', text => outgoing.write(toTheirs(text)))
    answer.on('end', () => outgoing.end())
  })
  handed.on('error', () => outgoing.destroy())
  outgoing.on('close', () => handed.destroy())
  incoming.setEncoding('utf8').on('data', text => handed.write(toOurs(text)))
  incoming.on('end', () => handed.end())
}

function toOurs(text) {
  return text.replace(/\b(?:test|json_schema_2020)_\w+/g, name => name.replaceAll('_', '-'))
}

function toTheirs(text) {
  return text.replace(/\b(?:test-[a-z]+|json-schema-2020)-[a-z0-9-]+/g, name => name.replaceAll('-', '_'))
}

/** What a program printed that ended well; the bridge goes on meanwhile. */
async function ended(command, args) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      said += text
    })
  const [code] = await once(child, 'close')
  if (code === 0) return said
  throw Object.assign(new Error(`The scenarios end with ${code}.`), { said })
}
