import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { temporary } from '../support/temporary.js'
import { call, codeOf, workspaceRuntime } from '../support/workspace-tools.js'

const LIST = [
  { content: 'Read the code', status: 'completed', priority: 'high' },
  { content: 'Fix\nthe fault', status: 'in_progress' },
  { content: 'Run the tests', status: 'pending' },
  { content: 'Rewrite it all', status: 'cancelled' },
]
const SHOWN = '[x] Read the code (high)\n[~] Fix the fault\n[ ] Run the tests\n[-] Rewrite it all'

describe("a session's todos", () => {
  it('are shown in parts where they are too long for a model', async () => {
    const runtime = workspaceRuntime(temporary())
    const todos = Array.from({ length: 200 }, () => ({ content: 'x'.repeat(2000) }))
    const { output, metadata } = await call(runtime, 'todowrite', { todos })
    expect(String(output).length).toBeLessThan(50_000)
    expect(metadata.todos).toMatchObject(todos)
  })

  it('are what was written last', async () => {
    const runtime = workspaceRuntime(temporary())
    const session = { sessionId: 'monday' }
    expect(await call(runtime, 'todoread', {}, session)).toEqual({
      title: 'No todos',
      metadata: { todos: [] },
      output: 'The list is empty.',
    })
    const written = await call(runtime, 'todowrite', { todos: LIST }, session)
    expect(written).toEqual({ title: '2 of 4 todos done', metadata: { todos: LIST }, output: SHOWN })
    expect(await call(runtime, 'todoread', {}, session)).toEqual(written)
    await call(runtime, 'todowrite', { todos: [{ content: 'More' }] }, session)
    expect((await call(runtime, 'todoread', {}, session)).output).toBe('[ ] More')
    await call(runtime, 'todowrite', { todos: [] }, session)
    expect((await call(runtime, 'todoread', {}, session)).metadata).toEqual({ todos: [] })
  })

  it('are of one session, and of one runtime', async () => {
    const runtime = workspaceRuntime(temporary())
    await call(runtime, 'todowrite', { todos: LIST }, { sessionId: 'monday' })
    expect((await call(runtime, 'todoread', {}, { sessionId: 'tuesday' })).metadata.todos).toEqual([])
    const other = workspaceRuntime(temporary())
    expect((await call(other, 'todoread', {}, { sessionId: 'monday' })).metadata.todos).toEqual([])
    expect((await call(runtime, 'todoread', {}, { sessionId: 'monday' })).metadata.todos).toEqual(LIST)
  })

  it('are not changed through a result', async () => {
    const runtime = workspaceRuntime(temporary())
    const session = { sessionId: 'monday' }
    const { metadata } = await call(runtime, 'todowrite', { todos: LIST }, session)
    ;(metadata.todos as unknown[]).length = 0
    expect((await call(runtime, 'todoread', {}, session)).metadata.todos).toEqual(LIST)
  })

  it('end with the session', async () => {
    const runtime = workspaceRuntime(temporary())
    await call(runtime, 'todowrite', { todos: LIST }, { sessionId: 'monday' })
    await runtime.endSession('monday')
    expect((await call(runtime, 'todoread', {}, { sessionId: 'monday' })).metadata.todos).toEqual([])
  })

  it('are an agent’s that was granted `read`, without approval', async () => {
    const runtime = workspaceRuntime(temporary())
    const agent = runtime.forAgent({ permissions: ['read'] })
    await agent.invoke('todowrite', { todos: LIST })
    expect(await agent.invoke('todoread')).toMatchObject({ output: SHOWN })
    const without = runtime.forAgent({ permissions: ['write', 'execute', 'network'] })
    for (const name of ['todowrite', 'todoread'])
      expect(await codeOf(without.invoke(name, {}))).toBe('PERMISSION_MISSING')
  })

  it('are shown at the command line', async () => {
    const args = ['run', 'todowrite', '--workspace', '.', '--args', JSON.stringify({ todos: LIST })]
    const { stdout } = await agentApps(temporary(), args)
    expect(JSON.parse(stdout)).toMatchObject({ output: SHOWN })
  })

  it('are refused where they are none', async () => {
    const runtime = workspaceRuntime(temporary())
    for (const todos of [
      'all',
      [{}],
      [{ content: '' }],
      [{ content: 'a', status: 'done' }],
      [{ content: 'a', other: 1 }],
      Array.from({ length: 201 }, () => ({ content: 'a' })),
    ])
      expect(await codeOf(call(runtime, 'todowrite', { todos }))).toBe('ARGS_INVALID')
  })
})
