import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { skill } from '../support/tree.js'
import { asking, code, codeTool, projectWith, ran } from '../support/trust-project.js'

afterEach(() => vi.unstubAllEnvs())

/** A tool with hooks, which writes down that it was imported. */
const hooked = (name: string): string => `import { defineTool } from 'agent-apps'
${codeTool(name).split('\n')[0]}
export default defineTool({ name: '${name}', description: 'D.', init: () => '${name}', execute: () => '${name} ran' })
`

describe('hooks, around a project that is not trusted', () => {
  const TREE = {
    'skills/db.skill.ts': hooked('db'),
    'skills/store/SKILL.md': skill('store', 'x', 'metadata: { lifecycle: true, delegate: ./run.ts }\n'),
    'skills/store/run.ts': hooked('store'),
  }

  it('of a tool of the host initialise none that it requires, nor does start', async () => {
    const { runtime, agent, requests } = asking(projectWith(TREE), ['allow-session'])
    runtime.register({
      ...{ name: 'query', description: 'Q.', metadata: { 'requires-tools': 'db store' } },
      init: () => 'ready',
      execute: (_, { instance }) => instance,
    })
    await runtime.start()
    expect(await agent.invoke('query')).toBe('ready')
    expect(ran()).toEqual([])
    expect(requests).toEqual([])
    expect(await agent.invoke('db')).toBe('db ran')
    expect(requests.length).toBe(1)
  })

  it('that fail do not make another project of it', async () => {
    const failing = hooked('db').replace("init: () => 'db'", "init: () => { throw new Error('no') }")
    const { agent, requests } = asking(projectWith({ 'skills/db.skill.ts': failing }), [
      'allow-session',
      'deny',
    ])
    expect(await agent.invoke('build')).toBe('build ran')
    expect(await code(agent.invoke('db'))).toBe('INIT_FAILED')
    expect(await agent.invoke('build')).toBe('build ran')
    expect(requests.length).toBe(1)
  })

  it('are not called of what was edited since, where the runtime is reloaded', { tags: 'long' }, async () => {
    for (const freshness of ['check', 'trust'] as const) {
      const project = projectWith(TREE)
      const { runtime, agent } = asking(project, ['allow-session', 'deny'], { freshness })
      expect(await agent.invoke('db')).toBe('db ran')
      ran()
      writeFileSync(join(project, 'skills/db.skill.ts'), hooked('db').replace(/'db\\n'/, "'edited\\n'"))
      await runtime.reload()
      expect(await code(agent.invoke('db'))).toBe('TOOL_NOT_FOUND')
      expect(ran()).toEqual([])
    }
  })
})

describe('what tools of the host have of their own, around a project that is not trusted', () => {
  it('ends with the session', async () => {
    const { runtime } = asking(projectWith({}), [])
    runtime.register({
      ...{ name: 'count', description: 'C.' },
      state: { schema: { type: 'object' }, initial: { calls: 0 } },
      execute: (_, { state }) => ++(state as { calls: number }).calls,
    })
    const call = (): Promise<unknown> => runtime.forAgent({ sessionId: 's' }).invoke('count')
    expect([await call(), await call(), await runtime.invoke('count', {}, { sessionId: 's' })]).toEqual([
      1, 2, 3,
    ])
    await runtime.endSession('s')
    expect(await call()).toBe(1)
  })

  it('ends with the runtime, in the workspace of its agents too', async () => {
    const lines = Array.from({ length: 5000 }, (_, index) => `needle ${index}\n`).join('')
    const project = projectWith({ 'a.txt': lines })
    const policy = { permissions: ['read' as const] }
    const { runtime, agent } = asking(project, [], { workspace: project, policy })
    const found = (await agent.invoke('grep', { pattern: 'needle', limit: 5000 })) as { output: string }
    const file = /whole output is in (\S+):/.exec(found.output)?.[1] ?? ''
    expect(existsSync(file)).toBe(true)
    await runtime.close()
    expect(existsSync(file)).toBe(false)
  })

  it('is left out of what agents get, whoever called first', async () => {
    vi.stubEnv('SECRET_ONE', 'first-value')
    vi.stubEnv('SECRET_TWO', 'second-value')
    const { runtime, agent } = asking(projectWith({}), [], { env: ['SECRET_ONE', 'SECRET_TWO'] })
    for (const [name, variable] of [
      ['one', 'SECRET_ONE'],
      ['two', 'SECRET_TWO'],
    ] as const)
      runtime.register({ name, env: [variable], execute: (_, { env }) => `It is ${env[variable]}.` })
    await runtime.invoke('one')
    expect(await agent.invoke('two')).toBe('It is [redacted].')
    expect(await agent.invoke('one')).toBe('It is [redacted].')
  })

  it('is left out of the text of a skill in a folder, too', async () => {
    vi.stubEnv('SECRET_ONE', 'first-value')
    const project = projectWith({
      'skills/says/SKILL.md': skill('says', '${env.SECRET_ONE}\n', 'metadata: { interpolate: true }\n'),
      'skills/runs/SKILL.md': skill(
        'runs',
        '${env.SECRET_ONE}\n',
        'metadata: { interpolate: true, delegate: ./run.ts }\n',
      ),
      'skills/runs/run.ts': 'export default () => 1\n',
    })
    const { runtime, agent } = asking(project, ['allow-session'], { env: ['SECRET_ONE'] })
    runtime.register({ name: 'one', env: ['SECRET_ONE'], execute: () => 'ran' })
    await runtime.invoke('one')
    expect(await agent.invoke('says')).toMatchObject({ content: '[redacted]\n' })
    expect(await agent.open('runs')).toMatchObject({ content: '[redacted]\n' })
  })
})
