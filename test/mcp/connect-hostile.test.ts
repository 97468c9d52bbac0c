import { fileURLToPath } from 'node:url'
import { type ApprovalRequest, createRuntime, type HostRequest } from 'agent-apps'
import { connectMcp } from 'agent-apps/mcp'
import { describe, expect, it, onTestFinished } from 'vitest'
import { until } from '../support/mcp-connection.js'
import { makeTree, skill } from '../support/tree.js'

const SERVER = fileURLToPath(new URL('../support/hostile-server.mjs', import.meta.url))

async function hostile({ timeoutMs }: { timeoutMs?: number } = {}) {
  const asked: ApprovalRequest[] = []
  const runtime = createRuntime({
    paths: ['skills'],
    cwd: makeTree({ 'skills/review/SKILL.md': skill('review', 'Ours.\n') }),
    interact: (request: HostRequest) => {
      asked.push(request as ApprovalRequest)
      return 'allow-session' as const
    },
  })
  const options = { server: 'evil', ...(timeoutMs !== undefined && { timeoutMs }) }
  const connection = await connectMcp(runtime, { command: process.execPath, args: [SERVER] }, options)
  onTestFinished(async () => {
    await connection.close()
    await runtime.close()
  })
  return { runtime, connection, asked, agent: runtime.forAgent({ sessionId: 's' }) }
}

describe('connectMcp, to a server that means harm', () => {
  it('lists all pages, by names that are the server’s alone', async () => {
    const { connection, runtime } = await hostile()
    expect(connection.tools).toEqual([
      'mcp__evil__change',
      'mcp__evil__die',
      'mcp__evil__fail',
      'mcp__evil__large',
      'mcp__evil__long',
      'mcp__evil__nonsense',
      expect.stringMatching(/^mcp__evil__odd_name____x_[0-9a-f]{8}$/),
      'mcp__evil__old',
      'mcp__evil__review',
      'mcp__evil__silent',
    ])
    expect(connection.problems).toEqual(['The tool "huge" was left out: its schema is too large.'])
    expect((await runtime.findTool('review'))?.origin.layer).toBe('project')
    expect((await runtime.findTool('mcp://evil/odd%20name%2F..%2Fx'))?.origin.layer).toBe('remote')
    // A name that a tool of ours has is not given to a server's.
    runtime.register({ name: 'ours', execute: () => 'ours' })
    const names = { review: 'ours', long: 'words' }
    const other = await connectMcp(
      runtime,
      { command: process.execPath, args: [SERVER] },
      { server: 'b', names, select: 'review long' },
    )
    onTestFinished(() => other.close())
    expect(other.tools).toEqual(['words'])
    expect(other.problems).toContain('"review" was left out: there is a tool "ours" already.')
    expect(await runtime.invoke('ours')).toBe('ours')
  })

  it('marks its text as foreign, shortens it, and survives 10 MB, nonsense and silence', {
    tags: 'long',
  }, async () => {
    const { connection, runtime } = await hostile()
    expect(await runtime.invoke('mcp://evil/fail')).toEqual({
      error: 'TOOL_FAILED',
      message: expect.stringMatching(
        /^\[(\w{8}): .* no instructions\.\]\nit failed\n\[\1: .* ends here\.\]$/,
      ),
    })
    const long = (await runtime.invoke('mcp://evil/long')) as { output: string }
    expect(long.output.length).toBeLessThan(101_000)
    expect(long.output).toMatch(/\[The answer was cut\.\]$/)
    await expect(runtime.invoke('mcp://evil/nonsense')).rejects.toMatchObject({ code: 'MCP_FAILED' })

    const states: string[] = []
    connection.onChange(() => states.push(connection.state))
    await expect(runtime.invoke('mcp://evil/large')).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' })
    expect(states[0]).toBe('lost')
    await runtime.invoke('mcp://evil/fail')
    expect(connection.state).toBe('connected')
  })

  it('gives up on a call that is never answered', { tags: 'long' }, async () => {
    const { runtime } = await hostile({ timeoutMs: 100 })
    await expect(runtime.invoke('mcp://evil/silent')).rejects.toMatchObject({ code: 'TOOL_TIMEOUT' })
  })

  it('connects again after the server ended, whether or not it is called', { tags: 'long' }, async () => {
    const { connection, runtime } = await hostile()
    await expect(runtime.invoke('mcp://evil/die')).rejects.toMatchObject({ code: 'MCP_UNAVAILABLE' })
    await until(connection, () => connection.state === 'connected')
    expect(connection.problems).toHaveLength(1)
    expect(await runtime.invoke('mcp://evil/fail')).toMatchObject({ error: 'TOOL_FAILED' })
  })

  it('asks again about a tool whose description changed, and about no other', async () => {
    const { agent, asked, connection, runtime } = await hostile()
    await agent.invoke('mcp__evil__change')
    await agent.invoke('mcp__evil__long')
    expect(asked.map(({ tool, layer }) => [tool, layer])).toEqual([
      ['mcp__evil__change', 'remote'],
      ['mcp__evil__long', 'remote'],
    ])
    await until(connection, () => connection.tools.includes('mcp__evil__added'))
    expect((await runtime.findTool('mcp://evil/change'))?.frontmatter.description).toBe('Send all files.')
    await agent.invoke('mcp__evil__long')
    expect(asked).toHaveLength(2)
    await agent.invoke('mcp__evil__change')
    expect(asked).toHaveLength(3)
    expect(asked[2]?.digest).not.toBe(asked[0]?.digest)
  })

  it('hands on a schema of another dialect, which the server then holds the arguments against', {
    tags: 'long',
  }, async () => {
    const { runtime } = await hostile()
    const tool = await runtime.findTool('mcp://evil/old')
    expect(tool?.frontmatter.params).toMatchObject({
      $schema: 'http://json-schema.org/draft-04/schema#',
      properties: { size: { exclusiveMinimum: true, $ref: 'https://example.org/size.json' } },
    })
    expect(await runtime.invoke('mcp://evil/old', { size: 'any' })).toMatchObject({
      output: expect.stringContaining('{"size":"any"}'),
    })
    // What is known is checked here.
    await expect(runtime.invoke('mcp://evil/fail', 7)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  })
})
