import { fileURLToPath } from 'node:url'
import { createRuntime, type Runtime } from 'agent-apps'
import { type ConnectOptions, connectMcp, type McpConnection, type McpServerPlace } from 'agent-apps/mcp'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { makeTree } from '../support/tree.js'

const main = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/@modelcontextprotocol/${name}/dist/index.js`, import.meta.url))

async function connected(
  place: McpServerPlace,
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
  it('registers its tools, which are called with progress, and stopped', async () => {
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
    await runtime.invoke('mcp__everything__trigger-long-running-operation', { duration: 0.1, steps: 4 })
    expect(seen).toEqual([1, 2, 3, 4].map(done => [done, 4]))

    const controller = new AbortController()
    runtime.globals.events.on('tool:update', () => controller.abort())
    const endless = runtime.invoke(
      'mcp__everything__trigger-long-running-operation',
      { duration: 36_000, steps: 3_600_000 },
      { signal: controller.signal },
    )
    await expect(endless).rejects.toMatchObject({ code: 'RUN_ABORTED' })

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
  it('finds it again after it was killed', async () => {
    const dir = makeTree({ 'a.txt': 'inside', 'server.pid': '' })
    const place = { command: process.execPath, args: [main('server-filesystem'), dir] }
    const { runtime, connection } = await connected(place, {
      server: 'files',
      select: 'read_text_file, list_*',
    })
    expect(connection.tools).toEqual([
      'mcp__files__list_allowed_directories',
      'mcp__files__list_directory',
      'mcp__files__list_directory_with_sizes',
      'mcp__files__read_text_file',
    ])
    const read = () => runtime.invoke('mcp__files__read_text_file', { path: `${dir}/a.txt` })
    expect(await read()).toMatchObject({ output: expect.stringContaining('\ninside\n') })
  })
})
