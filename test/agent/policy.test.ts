import { createCallbackRef, createRuntime, type Interact, type RuntimeOptions } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill, saying } from '../support/agent-project.js'
import { calling, scriptedModel, seenResults } from '../support/ai-model.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill } from '../support/tree.js'

type Call = [name: string, input?: unknown]

const TOOLS = {
  'skills/file-read.skill.js': saying('file-read', 'read'),
  'skills/custom-tool.skill.js': saying('custom-tool', 'custom'),
  'skills/drop-table.skill.js': saying('drop-table', 'dropped', { tags: ['destructive'] }),
}

/** What the model of a skill with `allowed-tools` is told of its calls: `ran`, or not. */
async function outcomes(allowed: string | null, calls: Call[], options: RuntimeOptions = {}) {
  const steps = calls.map(([name, input], at) => calling(name, input, `${at}`))
  const model = scriptedModel(...steps, { text: 'Done.' })
  const more = allowed === null ? '' : `allowed-tools: ${JSON.stringify(allowed)}\n`
  const tree = { ...TOOLS, 'skills/work.skill.md': agentSkill('work', 'agent: true', undefined, more) }
  const runtime = agentRuntime(tree, model, options)
  const sent = calls.map(([name]) => name)
  const result = runtime.invoke('work')
  return { result: await result.catch(({ code }) => code), said: said(model, sent) }
}

function said(model: ReturnType<typeof scriptedModel>, names: string[]): Record<string, string> {
  const results = seenResults(model) as Record<string, { type: string; value: string }>
  return Object.fromEntries(
    Object.entries(results).map(([at, { type, value }]) => [
      `${at} ${names[Number(at)]}`,
      type === 'error-text'
        ? (/"error":"(\w+)"/.exec(value)?.[1] ?? /unavailable tool/.exec(value)?.[0] ?? value)
        : 'ran',
    ]),
  )
}

const UNAVAILABLE = 'unavailable tool'

describe('`allowed-tools` of a skill that a model runs', () => {
  it('allows all internal tools, and one more', async () => {
    const { said } = await outcomes('#meta-internal custom-tool', [
      ...([['skill-list'], ['custom-tool'], ['file-read']] as Call[]),
    ])
    expect(said).toEqual({ '0 skill-list': 'ran', '1 custom-tool': 'ran', '2 file-read': UNAVAILABLE })
  })

  it('allows everything but what is destructive', async () => {
    const { said } = await outcomes('* #destructive($deny)', [['file-read'], ['drop-table']])
    expect(said).toEqual({ '0 file-read': 'ran', '1 drop-table': UNAVAILABLE })
  })

  it('denies operations of `context-manager`, which is allowed otherwise', async () => {
    const calls: Call[] = [
      ['context-manager', { op: 'finish', result: 'Early.' }],
      ['context-manager', { op: 'fail', reason: 'Enough.' }],
      ['context-manager', { op: 'drop', skill: 'none' }],
    ]
    const { said, result } = await outcomes('* context-manager(op={finish,fail},$deny)', calls)
    expect(said).toEqual({
      '0 context-manager': 'TOOL_DENIED',
      '1 context-manager': 'TOOL_DENIED',
      '2 context-manager': 'NOT_OPEN',
    })
    expect(result).toBe('Done.')
    const only = await outcomes('file-read', [['context-manager', { op: 'finish', result: 'Early.' }]])
    expect(only.result).toBe('Early.')
  })

  it('allows agents by what a call narrows them to', async () => {
    const start = (allowedTools?: unknown): Call => [
      'agent',
      { prompt: 'Go.', ...(allowedTools !== undefined && { allowedTools }) },
    ]
    const calls = [
      start(),
      start([]),
      start('custom-tool'),
      start(['file-read', 'custom-tool']),
      start('file-*'),
    ]
    const { said } = await outcomes('file-read agent(allowedTools=file-read)', calls)
    expect(Object.values(said)).toEqual(calls.map(() => 'TOOL_DENIED'))
    const model = scriptedModel(
      calling('agent', { prompt: 'Go.', allowedTools: ['file-read'] }, 'start'),
      ...[calling('custom-tool', {}, 'no'), calling('file-read', {}, 'yes'), { text: 'Inner.' }],
      { text: 'Done.' },
    )
    const more = 'allowed-tools: file-read agent(allowedTools=file-read)\n'
    const tree = { ...TOOLS, 'skills/work.skill.md': agentSkill('work', 'agent: true', undefined, more) }
    expect(await agentRuntime(tree, model).invoke('work')).toBe('Done.')
    const inner = model.doGenerateCalls[3]?.prompt.flatMap(({ role, content }) =>
      role === 'tool' ? content : [],
    )
    expect(inner).toMatchObject([
      { toolCallId: 'no', output: { type: 'error-text' } },
      { toolCallId: 'yes', output: { type: 'text', value: 'read' } },
    ])
  })

  it('allows callbacks by their names', async () => {
    const more = 'allowed-tools: file-read callback-*\n'
    const tree = { ...TOOLS, 'skills/work.skill.md': agentSkill('work', 'agent: true', undefined, more) }
    const runtime = agentRuntime(tree)
    const name = createCallbackRef(runtime.globals, 'callback', () => 'called back')
    const calls = scriptedModel(calling(name, {}, 'a'), calling('custom-tool', {}, 'b'), { text: 'Done.' })
    runtime.globals.models = { default: calls }
    expect(await runtime.invoke('work')).toBe('Done.')
    expect(seenResults(calls)).toMatchObject({
      a: { type: 'text', value: 'called back' },
      b: { type: 'error-text' },
    })
  })
})

describe('`trust` of the main skill', () => {
  it('approves the internal tools, and asks about all others', async () => {
    const asked: string[] = []
    const interact: Interact = request => {
      asked.push(request.kind === 'approval' ? request.tool : request.kind)
      return 'deny'
    }
    const model = scriptedModel(
      ...[calling('agent', { prompt: 'Look.' }, 'start'), calling('file-read', {}, 'inner')],
      ...[{ text: 'Inner.' }, calling('custom-tool', {}, 'outer'), { text: 'Done.' }],
    )
    const main = 'metadata: { role: main, trust: { rules: "#meta-internal($policy=allow) *" } }\n'
    const tree = {
      ...TOOLS,
      'skills/SKILL.md': skill('project', 'Of the project.\n', main),
      'skills/work.skill.md': agentSkill('work'),
    }
    expect(await agentRuntime(tree, model, { interact }).invoke('work')).toBe('Done.')
    expect(asked).toEqual(['file-read', 'custom-tool'])
    expect(seenResults(model)).toMatchObject({
      start: { type: 'text', value: 'Inner.' },
      outer: { type: 'error-text', value: expect.stringContaining('APPROVAL_DENIED') },
    })
  })
})

describe('an agent below others', () => {
  const GRANTED = {
    'skills/save.skill.js': saying('save', 'saved', { permissions: { required: ['write'] } }),
  }
  const nested = (inner: string) => [
    calling('agent', { prompt: 'Go.' }, 'start'),
    ...[calling(inner, {}, 'inner'), { text: 'Inner.' }, { text: 'Done.' }],
  ]
  /** What the innermost agent was told of its call. */
  const told = (model: ReturnType<typeof scriptedModel>): unknown =>
    model.doGenerateCalls
      .flatMap(({ prompt }) => prompt.flatMap(({ role, content }) => (role === 'tool' ? content : [])))
      .find(part => part.type === 'tool-result' && part.toolCallId === 'inner')

  it.each(
    oneIn(2, [
      ['the runtime denies', { policy: { deny: 'custom-tool' } }, {}, ''],
      ['the agent of the host denies', {}, { deny: 'custom-tool' }, ''],
      ['the agent of the host is not allowed', {}, { allow: ['work', 'agent'] }, ''],
      ["the outer skill's `allowed-tools` lacks", {}, {}, 'allowed-tools: agent\n'],
      [
        'the outer skill denies by its rules',
        {},
        {},
        'metadata: { agent: true, trust: { rules: "custom-tool($deny)" } }\n',
      ],
    ]),
  )('calls nothing that %s', async (_, options, policy, more) => {
    const model = scriptedModel(...nested('custom-tool'))
    const text = more.startsWith('metadata')
      ? skill('work', undefined, more)
      : agentSkill('work', 'agent: true', undefined, more)
    const runtime = agentRuntime({ ...TOOLS, 'skills/work.skill.md': text }, model, options)
    expect(await runtime.forAgent(policy).invoke('work')).toBe('Done.')
    expect(told(model)).toMatchObject({ output: { type: 'error-text' } })
  })

  it('calls what none of them forbids', async () => {
    const model = scriptedModel(...nested('custom-tool'))
    const runtime = agentRuntime({ ...TOOLS, 'skills/work.skill.md': agentSkill('work') }, model)
    expect(await runtime.forAgent().invoke('work')).toBe('Done.')
    expect(told(model)).toMatchObject({ output: { type: 'text', value: 'custom' } })
  })

  it.each([
    [['write'], ['write'], 'text'],
    [['write'], [], 'error-text'],
    [[], ['write'], 'error-text'],
  ] as const)('has the permissions that all grant: %j and %j', async (own, granted, type) => {
    const model = scriptedModel(...nested('save'))
    const policy = { permissions: own, approval: { mode: 'yolo' as const } }
    const tree = { ...GRANTED, 'skills/work.skill.md': agentSkill('work') }
    const agent = agentRuntime(tree, model, { policy }).forAgent({ permissions: granted })
    expect(await agent.invoke('work')).toBe('Done.')
    expect(told(model)).toMatchObject({ output: { type } })
  })

  it('follows only what the one above may open', async () => {
    const model = scriptedModel(calling('agent', { prompt: 'Go.', skill: 'secret' }, 'inner'), {
      text: 'Done.',
    })
    const tree = {
      'skills/secret.skill.md': skill('secret', 'Hush.\n'),
      'skills/work.skill.md': agentSkill('work', 'agent: true', undefined, 'allowed-tools: agent\n'),
    }
    expect(await agentRuntime(tree, model).invoke('work')).toBe('Done.')
    expect(told(model)).toMatchObject({
      output: { type: 'error-text', value: expect.stringContaining('TOOL_NOT_FOUND') },
    })
  })

  it('ends where calls stand too deep in each other', async () => {
    const model = scriptedModel(
      ...Array.from({ length: 9 }, (_, at) => calling('agent', { prompt: 'Go.' }, `${at}`)),
      ...Array.from({ length: 9 }, () => ({ text: 'Done.' })),
    )
    expect(await agentRuntime({}, model, { maxDepth: 5 }).invoke('agent', { prompt: 'Go.' })).toBe('Done.')
    const results = model.doGenerateCalls.flatMap(({ prompt }) => JSON.stringify(prompt))
    expect(results.join()).toContain('DEPTH_EXCEEDED')
  })
})

describe('a project that nobody trusts yet', () => {
  it('has no model run its skills', async () => {
    const tree = { 'skills/work.skill.md': agentSkill('work'), 'package.json': '{}' }
    const cwd = makeTree(tree)
    const model = scriptedModel({ text: 'Done.' })
    const asked: string[] = []
    const runtimeOf = (answer: 'deny' | 'allow-once') =>
      createRuntime({
        ...{ cwd, paths: [{ dir: 'skills', trust: 'ask' }], models: { default: model } },
        interact: request => {
          asked.push(request.kind)
          return answer
        },
      }).forAgent()
    await expect(runtimeOf('deny').invoke('work')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(model.doGenerateCalls).toEqual([])
    expect(await runtimeOf('allow-once').invoke('work')).toBe('Done.')
    expect(asked).toEqual(['project', 'project'])
  })
})
