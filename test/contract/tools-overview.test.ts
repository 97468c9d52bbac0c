import { createRuntime, failureForModel, outputForModel, registerTool, type ToolContext } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { code } from '../support/asking.js'
import { skill } from '../support/tree.js'
import { compiled } from '../support/trust-project.js'

const NAMES = ['web_search', 'file_read', 'shell_exec', 'file_delete']

function runtimeWithTools(options: object = {}) {
  const runtime = createRuntime({ paths: [], library: false, ...options })
  for (const name of NAMES) runtime.register({ name, description: 'A tool.', execute: () => `${name} ran` })
  return runtime
}

const listed = async (agent: { listTools(): Promise<{ name: string }[]> }) =>
  (await agent.listTools()).map(({ name }) => name)

describe('allow and deny', () => {
  it('are evaluated in this order: all tools, allow, deny', async () => {
    const runtime = runtimeWithTools()
    expect(await listed(runtime.forAgent())).toEqual(NAMES)
    expect(await listed(runtime.forAgent({ allow: [] }))).toEqual(NAMES)
    expect(await listed(runtime.forAgent({ allow: ['web_search', 'file_read'] }))).toEqual(NAMES.slice(0, 2))
    const both = runtime.forAgent({ allow: ['file_read', 'file_delete'], deny: ['file_delete'] })
    expect(await listed(both)).toEqual(['file_read'])
    expect(await code(both.invoke('file_delete'))).toBe('TOOL_DENIED')
    expect(await listed(runtimeWithTools({ policy: { deny: 'file_*' } }).forAgent({ allow: NAMES }))).toEqual(
      ['web_search', 'shell_exec'],
    )
  })

  it('give an agent that is spawned what both lists allow', async () => {
    const parent = runtimeWithTools().forAgent({ allow: ['web_search', 'file_read'] })
    const child = parent.spawn({ allow: ['file_read', 'shell_exec'] })
    expect(await listed(child)).toEqual(['file_read'])
    for (const name of ['web_search', 'shell_exec'])
      expect(await code(child.invoke(name))).toBe('TOOL_DENIED')
    expect(await listed(child.spawn({ allow: ['web_search'] }))).toEqual([])
  })
})

describe('a tool that is called for an agent', () => {
  it('gets its arguments and the ids of the agent, its user, workspace and session', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    let seen: ToolContext | undefined
    const undo = runtime.register({
      name: 'my_tool',
      description: 'Searches for something and returns results',
      parameters: z.object({
        query: z.string().describe('The search query'),
        maxResults: z.number().default(10).describe('Number of results to return'),
      }),
      execute: async (params, ctx) => {
        seen = ctx
        return { results: [params.query, params.maxResults] }
      },
    })
    const ids = { agentId: 'a', userId: 'u', workspaceId: 'w', sessionId: 's' }
    expect(await runtime.forAgent(ids).invoke('my_tool', { query: 'q' })).toEqual({ results: ['q', 10] })
    expect(seen).toMatchObject(ids)
    expect(seen?.signal).toBeInstanceOf(AbortSignal)
    undo()
  })

  it('tells the model of a failure by returning or throwing it, and the next call runs', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    const error = 'API returned 401 — check API key configuration'
    registerTool(runtime.globals, { name: 'returns', description: 'Fails.', fn: () => ({ error }) })
    registerTool(runtime.globals, {
      name: 'throws',
      description: 'Fails.',
      fn: () => {
        throw new Error(error)
      },
    })
    registerTool(runtime.globals, {
      name: 'works',
      description: 'Works.',
      fn: () => ({ data: [1], count: 42 }),
    })
    const agent = runtime.forAgent()
    expect(outputForModel(await agent.invoke('returns'))).toBe(JSON.stringify({ error }))
    const thrown = await agent.invoke('throws').catch(failureForModel)
    expect(thrown).toEqual({ error: 'TOOL_FAILED', message: error })
    expect(await agent.invoke('works')).toEqual({ data: [1], count: 42 })
  })
})

it('trust rules of a main skill let the library’s tools run, and have a person asked about all others', async () => {
  const project = await compiled({
    'skills/SKILL.md': skill(
      'rules',
      '',
      'metadata: { role: main, trust: { rules: "#meta-internal($policy=allow) *" } }\n',
    ),
    'skills/own/SKILL.md': skill('own', 'Text.\n'),
  })
  const asked: string[] = []
  const runtime = createRuntime({
    paths: [`${project}/skills`],
    interact: request => {
      if (request.kind === 'approval') asked.push(request.tool)
      return 'deny'
    },
  })
  const agent = runtime.forAgent()
  await agent.invoke('skill-list')
  expect(asked).toEqual([])
  expect(await code(agent.invoke('own'))).toBe('APPROVAL_DENIED')
  expect(asked).toEqual(['own'])
})
