import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import {
  type ApprovalRequest,
  createRuntime,
  type HostRequest,
  type Runtime,
  type ToolContext,
} from 'agent-apps'
import {
  type ConnectOptions,
  connectMcp,
  type McpConnection,
  type McpServerPlace,
  serveSkills,
} from 'agent-apps/mcp'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { isLong, some } from '../support/long.js'
import { until } from '../support/mcp-connection.js'
import { clientOf, connectedTo, ERAS, type Era } from '../support/mcp-project.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const main = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url))

async function connected(
  place: McpServerPlace | (() => Promise<Client>),
  options: ConnectOptions,
  runtime: Runtime = createRuntime({ paths: [] }),
): Promise<{ runtime: Runtime; connection: McpConnection }> {
  const connection = await connectMcp(runtime, place, options)
  onTestFinished(async () => {
    await connection.close()
    await runtime.close()
  })
  return { runtime, connection }
}

const EVERYTHING: McpServerPlace = { command: process.execPath, args: [main('server-everything')] }

describe('connectMcp, to the server "everything"', () => {
  it('registers its tools, which are called with progress, and stopped', { tags: 'long' }, async () => {
    const interact = vi.fn(() => 'allow-session' as const)
    const runtime = createRuntime({ paths: [], interact })
    const { connection } = await connected(EVERYTHING, { server: 'everything' }, runtime)
    expect(connection.state).toBe('connected')
    expect(connection.tools).toContain('mcp__everything__echo')
    const tool = await runtime.findTool('mcp://everything/echo')
    expect(tool).toMatchObject({
      name: 'mcp__everything__echo',
      src: 'mcp://everything/echo',
      origin: { layer: 'remote', via: 'remote' },
    })
    expect(runtime.stats().via).toMatchObject({ remote: connection.tools.length, programmatic: 0 })
    const result = await runtime.invoke('mcp://everything/echo', { message: 'hi' })
    expect(result).toMatchObject({
      title: 'echo',
      output: expect.stringMatching(
        /^\[\w{8}: what follows is the text of the server "everything".*\nEcho: hi\n/,
      ),
    })

    const seen: unknown[] = []
    runtime.globals.events.on('tool:update', ({ progress, total }) => seen.push([progress, total]))
    await runtime.invoke('mcp__everything__trigger-long-running-operation', { duration: 0.2, steps: 4 })
    // The SDK's client drops the progress that it reads together with the result.
    expect(seen.length).toBeGreaterThan(0)
    expect(seen).toEqual([1, 2, 3, 4].slice(0, seen.length).map(done => [done, 4]))

    const controller = new AbortController()
    runtime.globals.events.on('tool:update', () => controller.abort())
    // The server finishes it whatever was cancelled, and does not end before.
    const unwanted = runtime.invoke(
      'mcp__everything__trigger-long-running-operation',
      { duration: 0.4, steps: 40 },
      { signal: controller.signal },
    )
    await expect(unwanted).rejects.toMatchObject({ code: 'RUN_ABORTED' })

    // A model's call of it is asked about, whatever the tool says of itself.
    const agent = runtime.forAgent({ sessionId: 's' })
    await agent.invoke('mcp__everything__get-sum', { a: 1, b: 2 })
    expect(interact).toHaveBeenCalledTimes(1)
    await connection.close()
    expect(await runtime.listTools()).not.toContainEqual(
      expect.objectContaining({ name: 'mcp__everything__echo' }),
    )
  })
})

describe('connectMcp, to the server "filesystem"', () => {
  it.runIf(isLong)('finds it again after it was killed', async () => {
    const dir = makeTree({ 'a.txt': 'inside' })
    const processes: StdioClientTransport[] = []
    const place = async (): Promise<Client> => {
      const client = clientOf('2025')
      const transport = new StdioClientTransport({
        ...{ command: process.execPath, args: [main('server-filesystem'), dir], stderr: 'ignore' },
      })
      processes.push(transport)
      await client.connect(transport)
      return client
    }
    const select = 'read_text_file, mcp__files__list_*'
    const { runtime, connection } = await connected(place, { server: 'files', select })
    const tools = [
      'mcp__files__list_allowed_directories',
      'mcp__files__list_directory',
      'mcp__files__list_directory_with_sizes',
      'mcp__files__read_text_file',
    ]
    expect(connection.tools).toEqual(tools)
    const read = () => runtime.invoke('mcp__files__read_text_file', { path: `${dir}/a.txt` })
    expect(await read()).toMatchObject({ output: expect.stringContaining('\ninside\n') })
    expect(await runtime.invoke('mcp://files/read_text_file', { path: '/etc/passwd' })).toMatchObject({
      error: 'TOOL_FAILED',
    })

    process.kill(processes[0]?.pid as number, 'SIGKILL')
    await until(connection, () => connection.state === 'lost')
    expect(connection.tools).toEqual(tools)
    await until(connection, () => connection.state === 'connected')
    expect(await read()).toMatchObject({ output: expect.stringContaining('\ninside\n') })

    // A call need not wait for the next try.
    process.kill(processes[1]?.pid as number, 'SIGKILL')
    await until(connection, () => connection.state === 'lost')
    expect(await read()).toMatchObject({ output: expect.stringContaining('\ninside\n') })
    expect(processes).toHaveLength(3)
  })
})

/** A runtime that a server in this process serves, with what connects to it. */
function ourServer(era: Era) {
  const cwd = makeTree({
    'skills/review/SKILL.md': skill('review', 'Read `docs/a b.md`.\n', 'allowed-tools: save\n'),
    'skills/review/docs/a b.md': 'Be kind.\n',
  })
  const server = createRuntime({ paths: ['skills'], cwd })
  return { cwd, server, place: () => connectedTo(server, serveSkills(server), era) }
}

describe.each(some(ERAS))('connectMcp, to a server of ours, in the protocol of %s', era => {
  it('opens its skills once a person agrees, and gives no file that was not verified', async () => {
    const { cwd, place } = ourServer(era)
    const asked: string[] = []
    const interact = ({ kind, ...request }: HostRequest) => {
      asked.push((request as ApprovalRequest).tool)
      return kind === 'approval' ? 'allow-session' : 'deny'
    }
    const { runtime, connection } = await connected(
      place,
      { server: 'us' },
      createRuntime({ paths: [], interact }),
    )
    expect(connection.tools).toEqual(['mcp__us__review', 'mcp__us__skill__review'])
    const agent = runtime.forAgent({ sessionId: 's' })
    const [, listed] = await agent.listTools()
    expect(listed).toMatchObject({ name: 'mcp__us__skill__review', kind: 'folder', runs: false })
    expect(listed?.frontmatter['allowed-tools']).toBeUndefined()
    expect(await agent.open('mcp__us__skill__review')).toEqual({
      content: 'Read `docs/a b.md`.\n',
      resources: [{ path: 'docs/a b.md', size: 9 }],
    })
    expect(asked).toEqual(['mcp__us__skill__review'])
    const file = await runtime.readResource('mcp://us/skill/review', 'docs/a b.md')
    expect(new TextDecoder().decode(file)).toBe('Be kind.\n')
    await expect(runtime.readResource('mcp://us/skill/review', '../x')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
    writeTree(cwd, { 'skills/review/docs/a b.md': 'Be evil.\n' })
    const read = runtime.readResource('mcp://us/skill/review', 'docs/a b.md')
    await expect(read).rejects.toMatchObject({ code: 'MCP_FAILED' })
  })

  it('follows its lists, also where names are chosen', async () => {
    const { server, place } = ourServer(era)
    const names = { review: 'their-review' }
    const { connection, runtime } = await connected(place, { server: 'us', names })
    expect(connection.tools).toEqual(['mcp__us__skill__review', 'their-review'])
    const undo = server.register({ name: 'late', description: 'Late.', execute: () => ({ at: 7 }) })
    let stopped = (): void => {}
    const seen = new Promise<void>(resolve => {
      stopped = resolve
    })
    server.register({
      ...{ name: 'hang', description: 'Hangs.' },
      execute: (_: unknown, { signal, update }: ToolContext) =>
        new Promise(resolve => {
          signal?.addEventListener('abort', () => {
            stopped()
            resolve('stopped')
          })
          update({ title: 'hanging', progress: 1 })
        }),
    })
    await until(connection, () => connection.tools.includes('mcp__us__hang'))
    expect(await runtime.invoke('mcp://us/late')).toMatchObject({
      metadata: { server: 'us', tool: 'late', structuredContent: { at: 7 } },
    })
    const controller = new AbortController()
    runtime.globals.events.on('tool:update', () => controller.abort())
    const hanging = runtime.invoke('mcp://us/hang', {}, { signal: controller.signal })
    await expect(hanging).rejects.toMatchObject({ code: 'RUN_ABORTED' })
    // The server learns of it.
    await seen
    // It is asked for changes once a second.
    if (!isLong) return
    undo()
    await until(connection, () => !connection.tools.includes('mcp__us__late'))
    expect(await runtime.findTool('mcp://us/late')).toBeNull()
  })
})

describe('connectMcp', () => {
  it('reaches a server over HTTP', async () => {
    const server = createRuntime({ paths: [] })
    server.register({ name: 'hello', description: 'Says hello.', execute: () => 'hello' })
    const { fetch } = createMcpHandler(serveSkills(server).create)
    const handler = toNodeHandler({ fetch })
    const http = createServer((request, response) => void handler(request as never, response))
    await new Promise<void>(resolve => http.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      http.closeAllConnections()
      http.close()
    })
    const { port } = http.address() as AddressInfo
    const { runtime } = await connected({ url: `http://127.0.0.1:${port}/mcp` }, { server: 'web' })
    expect(await runtime.invoke('mcp://web/hello')).toMatchObject({
      output: expect.stringContaining('\nhello\n'),
    })
  })

  it.runIf(isLong)(
    'reads the lists of a server anew once at a time, however often that says that they changed',
    async () => {
      const { place } = ourServer('2026')
      const client = await place()
      const lists = vi.spyOn(client, 'listTools')
      const { connection } = await connected(async () => client, { server: 'us' })
      expect(lists).toHaveBeenCalledTimes(1)
      let running = 0
      let most = 0
      let release = (): void => {}
      const held = new Promise<void>(resolve => {
        release = resolve
      })
      lists.mockImplementation(async () => {
        most = Math.max(most, ++running)
        await held
        running--
        return { tools: [{ name: 'late', description: 'Late.', inputSchema: { type: 'object' } }] } as never
      })
      for (let count = 0; count < 20_000; count++)
        client.transport?.onmessage?.({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' })
      await vi.waitFor(() => expect(lists).toHaveBeenCalledTimes(2))
      release()
      await until(connection, () => connection.tools.includes('mcp__us__late'))
      // Long enough for thousands.
      await new Promise(resolve => setTimeout(resolve, 500))
      expect(lists.mock.calls.length).toBeLessThanOrEqual(3)
      expect(most).toBe(1)
    },
  )

  it('leaves out a tool that nobody can be shown, and no other', async () => {
    const { place } = ourServer('2026')
    const client = await place()
    const tool = (name: string, inputSchema: object = { type: 'object' }, description = 'Does it.') => ({
      ...{ name, description, inputSchema },
    })
    let deep: object = { type: 'object' }
    for (let depth = 0; depth < 20_000; depth++) deep = { type: 'object', properties: { a: deep } }
    const half = { type: 'object', properties: { '\ud800': {} } }
    const whole = { type: 'object', description: '\u{1f600} and \\ud800' }
    vi.spyOn(client, 'listTools').mockResolvedValue({
      tools: [tool('odd\ud800'), tool('said', undefined, 'x\udc00'), tool('half', half)].concat(
        tool('deep', deep),
        tool('fine', whole),
      ),
    } as never)
    const { connection } = await connected(async () => client, { server: 'us' })
    expect(connection.tools).toContain('mcp__us__fine')
    expect(connection.tools.filter(name => !name.includes('skill__'))).toEqual(['mcp__us__fine'])
    const why = 'was left out: its texts contain half of a character.'
    expect(connection.problems).toEqual([
      `The tool "odd\\ud800" ${why}`,
      `The tool "said" ${why}`,
      `The tool "half" ${why}`,
      'The tool "deep" was left out: its description nests deeper than 200 levels.',
    ])
  })

  it('leaves out a skill that nobody can be shown, and no other', async () => {
    const { place } = ourServer('2026')
    const client = await place()
    const { skills } = await new SkillsClient(client).list()
    const [entry] = skills
    if (!entry) throw new Error('no skill')
    let deep: object = {}
    for (let depth = 0; depth < 20_000; depth++) deep = { a: deep }
    const other = (name: string, frontmatter: object, file = 'SKILL.md') => ({
      uri: `skill://${name}/SKILL.md`,
      frontmatter: { name, description: name, ...frontmatter },
      resources: [{ uri: `skill://${name}/${file}`, digest: 'sha256:00', size: 1 }],
    })
    vi.spyOn(SkillsClient.prototype, 'list').mockResolvedValueOnce({
      skills: [
        other('odd\ud800', {}),
        other('said', { description: '\ud800' }),
        other('deep', { metadata: deep }),
        other('file', {}, '%zz'),
        entry,
      ],
      invalid: [],
    } as never)
    const { connection } = await connected(async () => client, { server: 'us' })
    expect(connection.tools.filter(name => name.includes('skill__'))).toEqual(['mcp__us__skill__review'])
    expect(connection.problems).toEqual([
      expect.stringMatching(
        /^The skill skill:\/\/odd.* was left out: its texts contain half of a character\.$/,
      ),
      'The skill skill://said/SKILL.md was left out: its texts contain half of a character.',
      'The skill skill://deep/SKILL.md was left out: its description nests deeper than 200 levels.',
      'The skill skill://file/SKILL.md was left out: the URI of one of its files is invalid.',
    ])
  })

  it('leaves a client open that it was given', async () => {
    const { place } = ourServer('2026')
    const client = await place()
    const runtime = createRuntime({ paths: [] })
    const connection = await connectMcp(runtime, client, { server: 'us' })
    await expect(connectMcp(runtime, client, { server: 'us' })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
    await connection.close()
    expect(await runtime.listTools()).not.toContainEqual(expect.objectContaining({ name: 'mcp__us__review' }))
    expect((await client.listTools()).tools).toHaveLength(1)
    const again = await connectMcp(runtime, client, { server: 'us' })
    await client.close()
    await until(again, () => again.state === 'closed')
    await expect(runtime.invoke('mcp://us/review')).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' })
    await again.close()
  })

  it('fails where there is no server, and for options that say nothing', async () => {
    const runtime = createRuntime({ paths: [] })
    const none = connectMcp(runtime, { command: '/nowhere/server' }, { server: 'none' })
    await expect(none).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' })
    for (const options of [
      { server: 'No' },
      { server: 'a', tools: 'x' },
      { server: 'a', select: 'bash(' },
      { server: 'a', names: { x: 'a:b' } },
      { server: 'a', names: { x: 'same', y: 'same' } },
      { server: 'a', timeoutMs: 0 },
    ])
      await expect(
        connectMcp(runtime, EVERYTHING, options as never),
        JSON.stringify(options),
      ).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})
