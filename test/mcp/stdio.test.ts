import type { CallToolResult } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { agentApps } from '../support/commands.js'
import { some } from '../support/long.js'
import { ERAS, type Era, inProcess, MCP_PROJECT, overStdio, type Served } from '../support/mcp-project.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const textOf = ({ content }: CallToolResult): string => (content[0] as { text: string }).text

/** A client that can be asked, with the answers that its person gives in turn, and what they were asked. */
async function asked(era: Era, answers: unknown[]) {
  const questions: string[] = []
  const served = await inProcess(era, { options: { capabilities: { elicitation: { form: {} } } } })
  served.client.setRequestHandler('elicitation/create', ({ params }) => {
    questions.push(params.message)
    const answer = answers.shift()
    return answer === null
      ? { action: 'decline' as const }
      : { action: 'accept' as const, content: { answer: answer as string } }
  })
  const save = (path: string): Promise<CallToolResult> =>
    served.client.callTool({ name: 'save', arguments: { path } })
  return { ...served, questions, save }
}

describe.each(some(ERAS))('agent-apps mcp over stdio, as a client of %s sees it', era => {
  let served: Served

  beforeAll(async () => {
    served = await overStdio(era)
  })

  afterAll(() => served.close())

  it('lists tools and calls them, and writes nothing but the protocol', async () => {
    const { client, said } = served
    expect(client.getProtocolEra()).toBe(era === '2025' ? 'legacy' : 'modern')
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-apps', version: '0.1.0' })
    const { tools } = await client.listTools()
    const names = 'count fail greet hang list locked odd refuse review save slow'
    expect(tools.map(({ name }) => name).join(' ')).toBe(names)
    expect(tools.find(({ name }) => name === 'count')).toMatchObject({
      description: 'Does count.',
      inputSchema: { type: 'object', required: ['text'] },
      outputSchema: { type: 'object', required: ['words'] },
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    })
    expect(tools.find(({ name }) => name === 'save')?.annotations).toMatchObject({ destructiveHint: true })
    expect(tools.find(({ name }) => name === 'fail')?.annotations).toBeUndefined()

    const count = await client.callTool({ name: 'count', arguments: { text: 'a b c' } })
    expect(count).toMatchObject({ structuredContent: { words: 3 }, content: [{ text: '{"words":3}' }] })
    const list = await client.callTool({ name: 'list' })
    expect(list.structuredContent).toEqual(era === '2025' ? { result: ['a', 'b'] } : ['a', 'b'])
    expect(said()).toContain('Serving over MCP')
    expect(said()).toContain('noise on standard output')
  })

  it('tells the model what failed', async () => {
    const { client } = served
    const failed = await client.callTool({ name: 'fail' })
    expect(failed.isError).toBe(true)
    expect(JSON.parse(textOf(failed))).toEqual({ error: 'ENOSPC', message: 'no disk' })
    const refused = await client.callTool({ name: 'refuse' })
    expect(refused.isError).toBe(true)
    expect(JSON.parse(textOf(refused))).toEqual({ error: 'NO_KEY', message: 'There is no key.' })
    const wrong = await client.callTool({ name: 'count', arguments: { text: 7 } })
    expect(JSON.parse(textOf(wrong))).toMatchObject({ error: 'ARGS_INVALID' })
    await expect(client.callTool({ name: 'none' })).rejects.toMatchObject({ code: -32602 })
    // The library's own tools are not served unless they are named.
    await expect(client.callTool({ name: 'skill-list' })).rejects.toMatchObject({ code: -32602 })
  })

  it('reports progress, and ends a call that is no longer wanted', async () => {
    const { client, said, received } = served
    const before = received.length
    const slow = await client.callTool({ name: 'slow' }, { onprogress: () => {} })
    expect(textOf(slow)).toBe('done')
    // As the server wrote it: the SDK's client drops progress that it reads together with the result.
    const told = received
      .slice(before)
      .flatMap((message): unknown[] =>
        'params' in message && message.method === 'notifications/progress'
          ? [{ ...message.params, progressToken: 0 }]
          : 'result' in message && 'content' in message.result
            ? ['result']
            : [],
      )
    const steps = [0, 1, 2, 3].map(n => ({ progressToken: 0, progress: n, total: 3, message: `step ${n}` }))
    expect(told).toEqual([...steps, 'result'])

    const controller = new AbortController()
    const own: unknown[] = []
    const hanging = client.callTool(
      { name: 'hang' },
      { signal: controller.signal, onprogress: progress => own.push(progress) },
    )
    hanging.catch(() => {})
    await vi.waitFor(() => expect(own).toHaveLength(1), { timeout: 60_000 })
    await client.callTool({ name: 'slow' }, { onprogress: () => {} })
    // What another call reports at the same time is not its progress.
    expect(own).toEqual([{ progress: 1, message: 'hanging' }])
    controller.abort()
    await expect(hanging).rejects.toThrow()
    await vi.waitFor(() => expect(said()).toContain('ABORTED'), { timeout: 60_000 })
  })

  it('asks the person at the client about a call that needs approval', async () => {
    const { save, questions } = await asked(era, ['allow-once', 'deny', null, 'nonsense', 'allow-session'])
    expect(textOf(await save('a'))).toBe('saved a')
    expect(questions[0]).toMatch(/^save \(project\) needs approval, as .*\.\n {2}path: a(\n|$)/)
    for (const path of ['b', 'c', 'd']) {
      const denied = await save(path)
      expect([path, JSON.parse(textOf(denied)).error]).toEqual([path, 'APPROVAL_DENIED'])
    }
    expect(textOf(await save('e'))).toBe('saved e')
    expect(textOf(await save('e'))).toBe('saved e')
    expect(questions).toHaveLength(5)
  })

  it('refuses a call that needs approval where the client cannot ask', async () => {
    const { client } = served
    const refused = await client.callTool({ name: 'save', arguments: { path: 'a' } })
    expect(JSON.parse(textOf(refused))).toMatchObject({ error: 'APPROVAL_UNAVAILABLE' })
  })

  it('serves the skills that a person may call as prompts', async () => {
    const { client } = served
    const { prompts } = await client.listPrompts()
    expect(prompts).toEqual([
      {
        name: 'greet',
        description: 'What greet does.',
        arguments: [
          { name: 'name', description: 'Who.', required: true },
          { name: 'times', required: false },
        ],
      },
    ])
    const { messages } = await client.getPrompt({ name: 'greet', arguments: { name: 'Ada', times: '3' } })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Say hello to Ada, 3 times.\n' } },
    ])
    const wrong = client.getPrompt({ name: 'greet', arguments: { name: 'Ada', times: 'often' } })
    await expect(wrong).rejects.toThrow(/ARGS_INVALID/)
    await expect(client.getPrompt({ name: 'review' })).rejects.toMatchObject({ code: -32602 })
  })

  it('says how many skills are not served under the Skills extension, and why', {
    tags: 'long',
  }, async () => {
    const { client, said } = served
    await new SkillsClient(client).list()
    await vi.waitFor(() => expect(said()).toContain('2 skills not served under the Skills extension:'), {
      timeout: 60_000,
    })
    expect(said()).toContain('  1  opening it needs approval\n')
    expect(said()).toContain('  1  frontmatter metadata must map strings to strings\n')
    expect(said()).not.toContain('[mcp-sdk]')
  })

  it('tells that lists changed when a file did', { tags: 'long' }, async () => {
    const changed: string[] = []
    const on = (list: string) => ({ autoRefresh: false, onChanged: () => void changed.push(list) })
    const listChanged = { tools: on('tools'), prompts: on('prompts'), resources: on('resources') }
    const { client, cwd } = await inProcess(era, { tree: MCP_PROJECT, options: { listChanged } })
    await client.listTools()
    // Again and again: what changes before the server looked for the first time is not a change.
    let number = 0
    await vi.waitFor(
      () => {
        writeTree(cwd, { [`skills/added-${++number}/SKILL.md`]: skill(`added-${number}`) })
        expect(new Set(changed)).toEqual(new Set(['tools', 'resources']))
      },
      { timeout: 60_000, interval: 500 },
    )
    const { tools } = await client.listTools(undefined, { cacheMode: 'refresh' })
    expect(tools.map(({ name }) => name)).toContain('added-1')
  })
})

describe('agent-apps mcp', () => {
  it('serves no code of a project that is not trusted', async () => {
    const { client } = await inProcess('2026', { args: [] })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['locked', 'odd', 'review'])
  })

  it('grants what --permissions names, besides what the user grants', async () => {
    const env = { HOME: makeTree({}), PATH: process.env.PATH ?? '' }
    const names = async (...args: string[]): Promise<string[]> => {
      const { client, close } = await inProcess('2026', {
        args: ['--trust', '--tools', 'count save', ...args],
        env,
      })
      const { tools } = await client.listTools()
      await close()
      return tools.map(({ name }) => name)
    }
    expect(await names()).toEqual([])
    expect(await names('--permissions', 'write')).toEqual(['save'])
    expect(await names('--permissions', 'read,write')).toEqual(['count', 'save'])
    expect(await names('--permissions', 'read', '--permissions', 'write')).toEqual(['count', 'save'])
    const misspelt = await agentApps(env.HOME, ['mcp', '--permissions', 'wrte'], { env })
    expect([misspelt.status, misspelt.stdout]).toEqual([2, ''])
  })

  it('serves only the tools that are named, by names that clients accept', async () => {
    const tree = {
      ...MCP_PROJECT,
      'plugin/.claude-plugin/plugin.json': JSON.stringify({ name: 'acme' }),
      'plugin/skills/deploy/SKILL.md': skill('deploy'),
      'agent-apps.config.json': JSON.stringify({ paths: ['./skills', './plugin'] }),
    }
    const { client } = await inProcess('2026', {
      tree,
      args: ['--trust', '--tools', 'acme:*, count, skill-list'],
    })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['acme__deploy', 'count', 'skill-list'])
    expect(textOf(await client.callTool({ name: 'acme__deploy' }))).toBe('Do deploy.\n')
    await expect(client.callTool({ name: 'review' })).rejects.toMatchObject({ code: -32602 })
  })
})

describe('what agent-apps mcp says on standard error', () => {
  it('names the tools that are not served as nothing is granted, and what would grant it', async () => {
    const env = { PATH: process.env.PATH ?? '', HOME: makeTree({}) }
    const { client, said } = await inProcess('2026', { env })
    expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('save')
    await vi.waitFor(
      () => expect(said()).toMatch(/Agents do not get "save", which requires write.*~\/\.config\/agent-apps/),
      { timeout: 20_000 },
    )
  })
})
