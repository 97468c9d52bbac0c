import { existsSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import {
  Client,
  type ClientOptions,
  InMemoryTransport,
  type JSONRPCMessage,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import type { ServedSkills } from 'agent-apps/mcp'
import { onTestFinished, vi } from 'vitest'
import { agentApps, COMMAND } from './commands.js'
import { makeTree, skill, type Tree } from './tree.js'

/** The two eras of the protocol, as a client asks for them. */
export const ERAS = ['2025', '2026'] as const
export type Era = (typeof ERAS)[number]

const tool = (name: string, fields: string, body: string): string => `
import { setTimeout } from 'node:timers/promises'
export const frontmatter = { name: '${name}', description: 'Does ${name}.', metadata: { ${fields} } }
export default async (ctx, args) => { ${body} }
`

/** A project with a tool for each thing that a client may meet. */
export const MCP_PROJECT: Tree = {
  'package.json': '{}\n',
  'agent-apps.config.json': JSON.stringify({ paths: ['./skills'] }),
  'skills/count.skill.mjs': tool(
    'count',
    `permissions: { required: ['read'] },
     params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
     returns: { type: 'object', properties: { words: { type: 'number' } }, required: ['words'] }`,
    "return { words: args.text.split(' ').length }",
  ),
  'skills/list.skill.mjs': tool(
    'list',
    "returns: { type: 'array', items: { type: 'string' } }",
    "console.log('noise on standard output'); return ['a', 'b']",
  ),
  'skills/save.skill.mjs': tool(
    'save',
    `permissions: { required: ['write'] },
     params: { type: 'object', properties: { path: { type: 'string' } } }`,
    "return 'saved ' + args.path",
  ),
  'skills/fail.skill.mjs': tool('fail', '', "throw Object.assign(new Error('no disk'), { code: 'ENOSPC' })"),
  'skills/refuse.skill.mjs': tool('refuse', '', "return { error: 'NO_KEY', message: 'There is no key.' }"),
  'skills/slow.skill.mjs': tool(
    'slow',
    '',
    `for (let done = 0; done <= 3; done++) {
       ctx.run.update({ title: 'step ' + done, progress: done, total: 3 })
       await setTimeout(5)
     }
     return 'done'`,
  ),
  'skills/hang.skill.mjs': tool(
    'hang',
    '',
    `ctx.run.update({ title: 'hanging' })
     await setTimeout(600_000, undefined, { signal: ctx.run.signal }).catch(() => process.stderr.write('ABORTED\\n'))`,
  ),
  'skills/review/SKILL.md': skill('review', 'Review it: see [the guide](docs/guide.md).\n'),
  'skills/review/docs/guide.md': 'Be kind.\n',
  'skills/review/logo.png': new Uint8Array([137, 80, 78, 71, 0, 255]),
  'skills/greet.skill.md': skill(
    'greet',
    'Say hello to :value[args.name], :value[args.times] times.\n',
    `user-invocable: true
metadata:
  params:
    type: object
    properties:
      name: { type: string, description: Who. }
      times: { type: integer }
    required: [name]
`,
  ),
  'skills/locked/SKILL.md': skill('locked', 'A secret.\n', 'metadata: { gated: true }\n'),
  'skills/odd/SKILL.md': skill('odd', 'Odd.\n', 'metadata: { list: [1] }\n'),
}

export interface Served {
  client: Client
  cwd: string
  /** All that the server wrote to standard error so far. */
  said: () => string
  /** The messages that came from the server so far. */
  received: readonly JSONRPCMessage[]
  close: () => Promise<void>
}

export interface Start {
  tree?: Tree
  args?: string[]
  env?: Record<string, string>
  options?: ClientOptions
}

let compiled = ''

/** The project, compiled once for all tests of a file: none of them changes it. */
async function compiledProject(): Promise<string> {
  // Test files share this module, and what one of them made is removed at its end.
  if (!existsSync(compiled)) {
    const cwd = makeTree(MCP_PROJECT)
    await compile({ cwd })
    compiled = cwd
  }
  return compiled
}

/** Starts `agent-apps mcp` over stdio with the SDK's own client. */
export async function overStdio(
  era: Era,
  { tree, args = ['--trust'], env = environment(), options = {} }: Start = {},
): Promise<Served> {
  const cwd = tree ? makeTree(tree) : await compiledProject()
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [COMMAND, 'mcp', ...args], cwd, stderr: 'pipe' },
    env,
  })
  let said = ''
  transport.stderr?.on('data', chunk => {
    said += chunk
  })
  const client = clientOf(era, options)
  await client.connect(transport)
  const received: JSONRPCMessage[] = []
  const { onmessage } = transport
  transport.onmessage = message => {
    received.push(message)
    onmessage?.(message)
  }
  return { client, cwd, said: () => said, received, close: () => client.close() }
}

/** Runs `agent-apps mcp` in this process, with streams in place of its standard input and output. */
export async function inProcess(
  era: Era,
  { tree, args = ['--trust'], env = environment(), options = {} }: Start = {},
): Promise<Omit<Served, 'received'>> {
  const cwd = tree ? makeTree(tree) : await compiledProject()
  const [input, output] = [new PassThrough(), new PassThrough()]
  const stdin = vi.spyOn(process, 'stdin', 'get').mockReturnValue(input as never)
  let said = ''
  const command = agentApps(cwd, ['mcp', ...args], {
    env,
    onOutput: (stream, text) => {
      if (stream === 'stdout') output.write(text)
      else said += text
    },
  }).finally(() => stdin.mockRestore())
  const client = clientOf(era, options)
  const close = async (): Promise<void> => {
    await client.close()
    input.end()
    await command
  }
  onTestFinished(close)
  // Either end of standard input and output reads and writes the same lines.
  await client.connect(new StdioServerTransport(output, input))
  return { client, cwd, said: () => said, close }
}

/** A client of what a runtime of this process serves. */
export async function connectedTo(
  runtime: Runtime,
  { create }: ServedSkills,
  era: Era = '2026',
  options: ClientOptions = {},
): Promise<Client> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const handle = serveStdio(create, { transport: far })
  const client = clientOf(era, options)
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await handle.close()
    await runtime.close()
  })
  return client
}

/** A client that speaks one era. */
export function clientOf(era: Era, options: ClientOptions = {}): Client {
  const versionNegotiation = { mode: era === '2025' ? ('legacy' as const) : { pin: '2026-07-28' } }
  return new Client({ name: 'test', version: '1' }, { versionNegotiation, ...options })
}

/** The environment of a user who lets agents read and write. */
export function environment(): Record<string, string> {
  const config = JSON.stringify({ policy: { permissions: ['read', 'write'] } })
  return { PATH: process.env.PATH ?? '', HOME: makeTree({ '.config/agent-apps/config.json': config }) }
}
