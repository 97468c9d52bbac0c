import { createRuntime, defineTool, type RuntimeOptions } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { answering, code } from '../support/asking.js'
import { makeTree, skill } from '../support/tree.js'

/** A tool with every field of a tool's contract. */
const SHELL = defineTool({
  name: 'shell',
  description: 'Runs a command.',
  contractVersion: '1.0.0',
  requires: '>=0.1.0',
  config: { type: 'object', properties: { folder: { type: 'string', default: '/tmp' } } },
  inputSchema: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  outputSchema: { type: 'array' },
  state: { schema: { type: 'number' }, initial: 0 },
  executor: 'local',
  gated: true,
  permissions: { required: ['execute'] },
  deriveApprovalKey: ({ command }) => String(command).trim(),
  execute: ({ command }, ctx) => {
    ctx.state = Number(ctx.state) + 1
    return [command, ctx.config.folder, ctx.state]
  },
})

function hostWith(answers: unknown[], approval: object, more: RuntimeOptions = {}) {
  const { interact, requests } = answering(answers)
  const runtime = createRuntime({
    ...{ paths: [], library: false, interact, ...more },
    policy: { permissions: ['execute'], approval },
  })
  runtime.register(SHELL)
  const agent = runtime.forAgent({ sessionId: 'one' })
  return { runtime, agent, keys: () => requests.map(({ tool, key }) => [tool, key]) }
}

describe('a new key', () => {
  it('is asked about in mode ask, and not again in the session', async () => {
    const { runtime, agent, keys } = hostWith(['allow-session', 'deny', 'deny'], { mode: 'ask' })
    expect(await agent.invoke('shell', { command: 'ls' })).toEqual(['ls', '/tmp', 1])
    expect(await agent.invoke('shell', { command: ' ls ' })).toEqual([' ls ', '/tmp', 2])
    expect(keys()).toEqual([['shell', 'ls']])
    expect(await code(agent.invoke('shell', { command: 'rm' }))).toBe('APPROVAL_DENIED')
    const another = runtime.forAgent({ sessionId: 'two' })
    expect(await code(another.invoke('shell', { command: 'ls' }))).toBe('APPROVAL_DENIED')
    expect(keys().length).toBe(3)
  })

  it('is compared with the patterns of mode allowlist, and asked about if none has it', async () => {
    const { agent, keys } = hostWith(['deny'], { mode: 'allowlist', allow: 'shell(git:*)' })
    expect(await agent.invoke('shell', { command: ' git status' })).toEqual([' git status', '/tmp', 1])
    expect(await code(agent.invoke('shell', { command: 'git status; rm -r .' }))).toBe('APPROVAL_DENIED')
    expect(keys()).toEqual([['shell', 'git status; rm -r .']])
  })

  it('is not asked about in mode yolo', async () => {
    const { agent, keys } = hostWith([], { mode: 'yolo' })
    expect(await agent.invoke('shell', { command: 'rm' })).toEqual(['rm', '/tmp', 1])
    expect(keys()).toEqual([])
  })
})

it('a tool with `gated: false` is not asked about, whatever it does', async () => {
  const { runtime, agent, keys } = hostWith([], { mode: 'ask' })
  runtime.register({
    ...{ name: 'free', description: 'Runs.', gated: false },
    permissions: { required: ['execute'] },
    execute: () => 'ran',
  })
  expect(await agent.invoke('free')).toBe('ran')
  expect(keys()).toEqual([])
})

it('a model is told of input that is malformed, and nobody is asked about it', async () => {
  const { agent, keys } = hostWith([], { mode: 'ask' })
  expect(await code(agent.invoke('shell', { command: 7 }))).toBe('ARGS_INVALID')
  expect(keys()).toEqual([])
})

it('each call leaves a trail with the layer of its tool, and a project’s tool shadows the user’s own', async () => {
  const root = makeTree({
    'project/shell.skill.md': skill('shell', 'Of the project.\n'),
    'project/other.skill.md': skill('other', 'Of the project.\n'),
    'global/other.skill.md': skill('other', 'The user’s own.\n'),
  })
  const paths = [`${root}/project`, { dir: `${root}/global`, layer: 'global' as const }]
  const { runtime, agent } = hostWith(['deny'], { mode: 'ask' }, { paths })
  const trail: unknown[] = []
  for (const type of ['tool:start', 'tool:end', 'tool:error', 'tool:denied'] as const)
    runtime.globals.events.on(type, ({ tool, layer }) => trail.push([type, tool, layer]))
  expect(await agent.invoke('other')).toBe('Of the project.\n')
  await code(agent.invoke('shell', { command: 'ls' }))
  await code(agent.invoke('shell', {}))
  await expect
    .poll(() => trail)
    .toEqual([
      ['tool:start', 'other', 'project'],
      ['tool:end', 'other', 'project'],
      ['tool:start', 'shell', 'programmatic'],
      ['tool:denied', 'shell', 'programmatic'],
      ['tool:start', 'shell', 'programmatic'],
      ['tool:error', 'shell', 'programmatic'],
    ])
  const shadows = (await runtime.tools()).map(one => [
    one.name,
    one.layer,
    one.executor,
    one.shadows.map(({ layer }) => layer),
  ])
  expect(shadows).toEqual([
    ['shell', 'programmatic', 'local', []],
    ['other', 'project', 'local', ['global']],
  ])
})
