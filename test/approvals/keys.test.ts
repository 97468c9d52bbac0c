import {
  AgentAppsError,
  createRuntime,
  ctxDecision,
  defineTool,
  type PreviewContext,
  type RuntimeOptions,
  registerTool,
  type ToolContext,
} from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answering, asking, code } from '../support/asking.js'
import type { Tools } from '../support/registered-runtime.js'

const COMMAND = '${args.command}'
const BASH: Tools = {
  bash: {
    gated: true,
    metadata: { 'approval-key': COMMAND },
    fn: (_, args) => (args as { command: string }).command,
  },
}

/** What an agent's call of a stand-in for a shell gives under rules; nobody is there to ask. */
function run(rules: string, command: unknown, more: object = {}): Promise<unknown> {
  const { runtime } = asking(BASH, [], { policy: { rules } })
  return code(runtime.forAgent().invoke('bash', { command, ...more }))
}

describe('rules over the key of a call', () => {
  it('allow what begins with a text, and nothing that chains a second command', async () => {
    expect(await run('bash(git:*,$policy=allow)', 'git status')).toBe('git status')
    expect(await run('bash(git status,$policy=allow)', 'git status')).toBe('git status')
    expect(await run('bash(git:*,$policy=allow)', 'gitk')).toBe('APPROVAL_UNAVAILABLE')
    // CVE-2025-54795: a command that was allowed by its beginning ran another one.
    for (const command of [
      'git status; rm -rf /',
      'git status && rm -rf /',
      'git status | sh',
      'git log\nrm -rf /',
      'git log\r\nrm -rf /',
      'git log $(rm -rf /)',
      'git log `rm -rf /`',
      'git log > /etc/passwd',
      'git log & rm -rf /',
      'echo git status',
    ])
      expect([command, await run('bash(git:*,$policy=allow)', command)]).toEqual([
        command,
        'APPROVAL_UNAVAILABLE',
      ])
  })

  it('deny each command in a chain', async () => {
    for (const command of ['rm -rf /', 'ls; rm -rf /', 'ls\nrm -rf /', 'ls && (rm -rf /)'])
      expect([command, await run('bash(rm:*,$deny)', command)]).toEqual([command, 'TOOL_DENIED'])
  })

  it('never allow by an option that is misspelt', async () => {
    expect(await run('* bash(rm*,$dney)', 'rm -rf /')).toBe('OPTIONS_INVALID')
    const { runtime } = asking(
      {
        ...BASH,
        skill: {
          allowedTools: '* bash(rm*,$dney)',
          fn: ctx => ctx.manager.invoke('bash', { command: 'ls' }, { as: 'agent' }),
        },
      },
      ['allow-once'],
    )
    expect(await code(runtime.invoke('skill'))).toBe('TOOL_DENIED')
  })

  it('see variables that stand before a command, and a person sees the arguments that the key leaves out', async () => {
    const attack = 'NODE_OPTIONS=--require=/tmp/evil.cjs git status'
    expect(await run('bash(git:*,$policy=allow)', attack)).toBe('APPROVAL_UNAVAILABLE')
    const { runtime, requests } = asking(BASH, ['deny'])
    const env = { NODE_OPTIONS: '--require=/tmp/evil.cjs' }
    expect(await code(runtime.forAgent().invoke('bash', { command: 'git status', env }))).toBe(
      'APPROVAL_DENIED',
    )
    expect(requests[0]).toMatchObject({
      key: 'git status',
      ignored: ['env'],
      args: { command: 'git status', env },
    })
  })

  it('tell a person of the arguments that this call leaves out and another one with its key may have', async () => {
    const text = { type: 'string' }
    const params = { type: 'object', properties: { command: text, cwd: text } }
    const { runtime, requests } = asking({ bash: { ...BASH.bash, params } }, ['deny'])
    await code(runtime.forAgent().invoke('bash', { command: 'git status' }))
    expect(requests[0]).toMatchObject({ args: { command: 'git status' }, ignored: ['cwd'] })
  })

  it('do not take arguments of a tool without a key for its text', async () => {
    const tools = { bash: { gated: true } }
    const { runtime } = asking(tools, [], { policy: { rules: 'bash(git:*,$policy=allow)' } })
    expect(await code(runtime.forAgent().invoke('bash', { command: 'git status' }))).toBe(
      'APPROVAL_UNAVAILABLE',
    )
    const denying = asking(tools, [], { policy: { rules: 'bash(rm:*,$deny)' } }).runtime
    expect(await code(denying.forAgent().invoke('bash', { command: 'ls' }))).toBe('TOOL_DENIED')
  })
})

describe('approval-key', () => {
  const askedFor = async (template: string, calls: object[]): Promise<number> => {
    const tools = { tool: { gated: true, metadata: { 'approval-key': template } } }
    const { runtime, requests } = asking(tools, Array(calls.length).fill('allow-session'))
    const agent = runtime.forAgent()
    for (const args of calls) await agent.invoke('tool', args)
    return requests.length
  }

  it('is what an approval for the session is for', async () => {
    expect(
      await askedFor(COMMAND, [{ command: 'ls' }, { command: 'ls', cwd: '/' }, { command: 'pwd' }]),
    ).toBe(2)
  })

  it('of several parts tells apart what only reads the same', async () => {
    const template = '${args.a} in ${args.b}'
    expect(
      await askedFor(template, [
        { a: 'x in y', b: 'z' },
        { a: 'x', b: 'y in z' },
      ]),
    ).toBe(2)
    expect(
      await askedFor(template, [
        { a: '1', b: 'z' },
        { a: 1, b: 'z' },
      ]),
    ).toBe(2)
    expect(await askedFor('${args.a}', [{ a: '1' }, { a: 1 }, { a: [1] }, {}, { a: 'null' }])).toBe(5)
  })

  it('compares all of a long key, of which a person is shown the beginning', async () => {
    const long = 'x'.repeat(50_000)
    const tools = { tool: { gated: true, metadata: { 'approval-key': COMMAND } } }
    const { runtime, requests } = asking(tools, ['allow-session', 'allow-session'])
    const agent = runtime.forAgent()
    await agent.invoke('tool', { command: `${long}a` })
    await agent.invoke('tool', { command: `${long}b` })
    expect(requests).toHaveLength(2)
    expect(requests[0]?.key).toBe(`${'x'.repeat(2000)}… (50001 characters)`)
    expect(requests[0]?.args).toEqual({ command: `${long}a` })
    await expect(agent.invoke('tool', { command: long.repeat(3) })).rejects.toMatchObject({
      code: 'APPROVAL_KEY_INVALID',
      message: 'The call of "tool" has no approval key: it has 150000 characters, more than 100000.',
    })
  })

  it('is shown without what hides a part of it', async () => {
    const { runtime, requests } = asking(BASH, ['deny'])
    await code(runtime.forAgent().invoke('bash', { command: 'ls\u202e\u0007\n\u200b\u{e0041}x' }))
    expect(requests[0]?.key).toBe('ls\\u202e\\u0007\\n\\u200b\\u{e0041}x')
  })

  it.each([['text alone'], ['${env.HOME}'], ['${args.}'], [5]])(
    'that is faulty keeps the tool from running: %s',
    async template => {
      const tools = { tool: { metadata: { 'approval-key': template as string } } }
      expect(await code(asking(tools, []).runtime.forAgent().invoke('tool'))).toBe('CASCADE_INVALID')
    },
  )
})

describe('deriveApprovalKey', () => {
  function deriving(
    deriveApprovalKey: unknown,
    answers: unknown[] = [],
    more: RuntimeOptions = {},
  ): { runtime: ReturnType<typeof createRuntime>; requests: ReturnType<typeof answering>['requests'] } {
    const { interact, requests } = answering(answers)
    const runtime = createRuntime({ paths: [], library: false, interact, ...more })
    registerTool(runtime.globals, {
      name: 'tool',
      gated: true,
      params: { type: 'object' },
      metadata: { 'approval-key': '${args.never}' },
      deriveApprovalKey: deriveApprovalKey as () => string,
      execute: () => 'ran',
    })
    return { runtime, requests }
  }

  it('gives the key, of frozen arguments and before a template', async () => {
    const derive = (args: { command: string }): string => {
      expect(Object.isFrozen(args)).toBe(true)
      return args.command.split(' ')[0] ?? ''
    }
    const { runtime, requests } = deriving(derive, ['allow-session'])
    const agent = runtime.forAgent()
    expect(await agent.invoke('tool', { command: 'ls a' })).toBe('ran')
    expect(await agent.invoke('tool', { command: 'ls b' })).toBe('ran')
    expect(requests.map(({ key }) => key)).toEqual(['ls'])
    expect(await agent.authorize('tool', { command: 'ls c' })).toMatchObject({
      decision: 'allow',
      by: 'a person',
    })
    const ruled = deriving(derive, [], { policy: { rules: 'tool(ls,$policy=allow)' } }).runtime
    expect(await ruled.forAgent().invoke('tool', { command: 'ls a' })).toBe('ran')
    expect(await code(ruled.forAgent().invoke('tool', { command: 'rm a' }))).toBe('APPROVAL_UNAVAILABLE')
  })

  it('that fails denies the call', async () => {
    for (const [derive, why] of [
      [() => 5, 'did not return a string'],
      [async () => 'late', 'did not return a string'],
      [() => Promise.reject(new Error('late')), 'did not return a string'],
      [
        () => {
          throw new Error('out of order')
        },
        '`deriveApprovalKey` throws: out of order',
      ],
    ] as const) {
      const { runtime, requests } = deriving(derive, ['allow-once'])
      await expect(runtime.forAgent().invoke('tool')).rejects.toMatchObject({
        code: 'APPROVAL_KEY_INVALID',
        message: expect.stringContaining(why),
      })
      expect(requests).toEqual([])
    }
  })

  it('that takes too long is not called again', async () => {
    let calls = 0
    const derive = (): string => {
      calls++
      const end = performance.now() + 110
      while (performance.now() < end);
      return 'key'
    }
    const { runtime } = deriving(derive, ['allow-once', 'allow-once'])
    const agent = runtime.forAgent()
    for (let times = 0; times < 2; times++)
      await expect(agent.invoke('tool')).rejects.toMatchObject({
        code: 'APPROVAL_KEY_INVALID',
        message: expect.stringContaining('took longer than 100 ms'),
      })
    expect(calls).toBe(1)
  })

  it('gets what the caller gave, before a schema of a library transforms it', async () => {
    const { interact, requests } = answering(['allow-once'])
    const runtime = createRuntime({ paths: [], library: false, interact })
    runtime.register(
      defineTool({
        name: 'count',
        gated: true,
        params: z.object({ words: z.string().transform(words => words.split(' ')) }),
        deriveApprovalKey: ({ words }) => words.toUpperCase(),
        preview: ({ words }) => words.trim(),
        execute: ({ words }) => words.length,
      }),
    )
    expect(await runtime.forAgent().invoke('count', { words: 'a b' })).toBe(2)
    expect(requests[0]).toMatchObject({ key: 'A B', preview: 'a b' })
  })

  it('is not called for what no arguments could make allowed', async () => {
    const never = (): string => {
      throw new Error('called')
    }
    for (const policy of [{ deny: 'tool' }, { allow: 'other' }, { rules: 'tool($deny)' }])
      expect(await code(deriving(never, [], { policy }).runtime.forAgent().invoke('tool'))).toBe(
        'TOOL_DENIED',
      )
  })
})

describe('a request', () => {
  it('has the arguments with secrets masked by name, in the key too', async () => {
    const { runtime, requests } = asking({ tool: { gated: true } }, ['allow-once'])
    const args = {
      url: 'https://example.com',
      headers: [{ Authorization: 'Bearer abc', 'X-Api-Key': 'abc' }],
      password: 1234,
      accessToken: { value: 'abc' },
      maxTokens: 100,
    }
    await runtime.forAgent().invoke('tool', args)
    const masked = {
      url: 'https://example.com',
      headers: [{ Authorization: '[secret]', 'X-Api-Key': '[secret]' }],
      password: '[secret]',
      accessToken: '[secret]',
      maxTokens: 100,
    }
    expect(requests[0]?.args).toEqual(masked)
    expect(requests[0]?.key).not.toContain('abc')
    expect(requests[0]?.key).not.toContain('1234')
  })

  it('shows what the tool says that the call would do, or why it cannot', async () => {
    const previews: [unknown, string | null][] = [
      [({ path }: { path: string }) => `+ ${path}`, '+ a.ts'],
      [async (_: object, { signal }: { signal: AbortSignal }) => String(signal.aborted), 'false'],
      [() => 5, '(no preview: it is not a string)'],
      [() => Promise.reject(new Error('gone')), '(no preview: gone)'],
      [undefined, null],
    ]
    for (const [preview, shown] of previews) {
      const { interact, requests } = answering(['allow-once'])
      const runtime = createRuntime({ paths: [], library: false, interact })
      const definition = { name: 'save', gated: true, params: { type: 'object' }, execute: () => 'saved' }
      runtime.register(defineTool({ ...definition, ...(preview ? { preview: preview as never } : {}) }))
      expect(await runtime.forAgent().invoke('save', { path: 'a.ts' })).toBe('saved')
      expect(requests[0]?.preview).toBe(shown)
    }
  })

  it('asks nobody where the tool says by an error of ours that the call cannot work', async () => {
    const { interact, requests } = answering(['allow-once'])
    const runtime = createRuntime({ paths: [], library: false, interact })
    const preview = (): never => {
      throw new AgentAppsError('FILE_NOT_FOUND', 'There is no a.ts.', { hint: 'Name another.' })
    }
    runtime.register(defineTool({ name: 'save', gated: true, preview, execute: () => 'saved' }))
    const agent = runtime.forAgent()
    await expect(agent.invoke('save')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' })
    const decided = await agent.authorize('save', {}, { callId: '1' })
    expect(decided).toMatchObject({ decision: 'deny', code: 'FILE_NOT_FOUND', reason: 'There is no a.ts' })
    expect(decided.request).toBeUndefined()
    expect(requests).toEqual([])
    await expect(agent.answer('1', 'allow-once')).rejects.toMatchObject({ code: 'APPROVAL_INVALID' })
  })

  it('shows what a call would do once the ones before it were answered', async () => {
    let files = 1
    const shown: unknown[] = []
    const runtime = createRuntime({
      paths: [],
      library: false,
      interact: request => {
        shown.push(request.kind === 'approval' && request.preview)
        files++
        return 'allow-once'
      },
    })
    const preview = (): string => `${files} files`
    runtime.register(defineTool({ name: 'save', gated: true, preview, execute: () => 'saved' }))
    const agent = runtime.forAgent()
    await Promise.all([agent.invoke('save'), agent.invoke('save'), agent.invoke('save')])
    expect(shown).toEqual(['1 files', '2 files', '3 files'])
  })

  it('says to a preview what its agent may do without asking', async () => {
    const { interact, requests } = answering(['allow-session', 'allow-once', 'allow-once'])
    const runtime = createRuntime({
      paths: [],
      library: false,
      interact,
      policy: { rules: 'look(c,$policy=deny)' },
    })
    const params = { type: 'object', properties: { path: { type: 'string' } } } as const
    const deriveApprovalKey = ({ path }: { path?: string }): string => String(path)
    runtime.register(
      defineTool({ name: 'look', params, gated: true, deriveApprovalKey, execute: () => 'seen' }),
    )
    const said: unknown[] = []
    const preview = async (_: object, context: PreviewContext): Promise<string> => {
      for (const path of ['a', 'b', 'c']) said.push((await ctxDecision(context, 'look', { path }))?.decision)
      return ''
    }
    const execute = async (_: object, ctx: ToolContext) => String(await ctxDecision(ctx, 'look'))
    runtime.register(defineTool({ name: 'save', gated: true, preview, execute }))
    const agent = runtime.forAgent()
    await agent.invoke('look', { path: 'a' })
    await agent.invoke('save')
    expect(said).toEqual(['allow', 'ask', 'deny'])
    expect(requests).toHaveLength(2)
    expect(await runtime.invoke('save')).toBe('null')
  })
})
