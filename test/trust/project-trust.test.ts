import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { times } from '../support/long.js'
import { skill } from '../support/tree.js'
import {
  asking,
  code,
  codeTool,
  compiled,
  names,
  PROJECT,
  projectWith,
  ran,
} from '../support/trust-project.js'

describe('a project that nobody chose', () => {
  it('is asked about once, at the first call of its code, and listing asks nobody', async () => {
    const project = await compiled()
    const { agent, runtime, requests } = asking(project, ['allow-session'])
    expect(names(await agent.listTools())).toEqual(['build', 'text'])
    expect(await agent.invoke('text')).toMatchObject({ content: 'Do text.\n' })
    expect(await agent.authorize('build')).toMatchObject({ decision: 'ask', step: 1 })
    expect(requests).toEqual([])
    expect(ran()).toEqual([])
    expect(await agent.invoke('build')).toBe('build ran')
    expect(await runtime.forAgent().invoke('build')).toBe('build ran')
    expect(requests).toMatchObject([
      {
        root: project,
        tools: [
          {
            name: 'build',
            file: join(project, 'skills/build.skill.ts'),
            permissions: { required: [], optional: [] },
            gated: null,
            shadows: [],
          },
        ],
        configuration: {},
      },
    ])
    expect(await agent.authorize('build')).toMatchObject({ decision: 'allow' })
  })

  it('loses its code where that is denied or nobody can be asked, and all else works', async () => {
    const project = await compiled()
    const none = createRuntime({ project })
    const denying = asking(project, ['deny'])
    const host = asking(project, [], { policy: { trust: { project: 'deny' } } })
    expect(await code(denying.agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
    for (const runtime of [none, denying.runtime, host.runtime]) {
      const agent = runtime.forAgent()
      expect(names(await agent.listTools())).toEqual(['text'])
      expect(await agent.findTool('build')).toBeNull()
      expect(await code(agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
      expect(await agent.authorize('build')).toMatchObject({ decision: 'deny', step: 1 })
      expect(await agent.invoke('text')).toMatchObject({ content: 'Do text.\n' })
      expect(runtime.diagnostics().map(({ rule }) => rule)).toContain('project-untrusted')
    }
    expect(ran()).toEqual([])
    expect([denying.requests.length, host.requests.length]).toEqual([1, 0])
    // Its author's own program calls what it likes.
    expect(await none.invoke('build')).toBe('build ran')
  })

  it('is no longer listed once it was denied, whether or not files are looked at', async () => {
    const { agent } = asking(await compiled(), ['deny'], { freshness: 'trust' })
    expect(names(await agent.listTools())).toEqual(['build', 'text'])
    expect(await code(agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(names(await agent.listTools())).toEqual(['text'])
  })

  it('is asked about again once one of its tools changed', async () => {
    const project = await compiled({
      ...PROJECT,
      'skills/build.skill.ts': `import { word } from './lib/word.js'\n${codeTool('build', '{}', '() => word')}`,
      'skills/lib/word.js': "export const word = 'one'",
    })
    const { agent, requests } = asking(project, ['allow-session', 'deny', 'allow-session'])
    expect(await agent.invoke('build')).toBe('one')
    writeFileSync(join(project, 'skills/lib/word.js'), "export const word = 'two'")
    expect(await code(agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(names(await agent.listTools())).toEqual(['text'])
    writeFileSync(join(project, 'skills/lib/word.js'), "export const word = 'one'")
    // What was trusted once, byte for byte, is.
    expect(await agent.invoke('build')).toBe('one')
    writeFileSync(join(project, 'skills/other.skill.ts'), codeTool('other'))
    expect(await agent.invoke('other')).toBe('other ran')
    expect(new Set(requests.map(({ digest }) => digest)).size).toBe(3)
  })

  it('is not asked about where the program chose it', async () => {
    const project = await compiled()
    const chosen = [
      createRuntime({ paths: [join(project, 'skills')] }),
      createRuntime({ project, policy: { trust: { project: 'allow' } } }),
    ]
    for (const runtime of chosen) expect(await runtime.forAgent().invoke('build')).toBe('build ran')
    const asked = createRuntime({ paths: [{ dir: join(project, 'skills'), trust: 'ask' }] })
    expect(await code(asked.forAgent().invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(await code(asked.forAgent().invoke('text'))).toMatchObject({ content: 'Do text.\n' })
  })

  it('asks for each call anew where one was allowed, and again after no answer', async () => {
    const project = await compiled()
    const { agent, requests } = asking(project, ['allow-once', 'perhaps', new Error('gone'), 'allow-once'])
    expect(await agent.invoke('build')).toBe('build ran')
    expect(await code(agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(await code(agent.invoke('build'))).toBe('TOOL_NOT_FOUND')
    expect(await agent.invoke('build')).toBe('build ran')
    expect(requests.length).toBe(4)
  })

  it('is asked about once by calls at the same time', async () => {
    const { agent, requests } = asking(await compiled(), ['allow-session'])
    expect(await Promise.all([agent.invoke('build'), agent.invoke('build')])).toEqual([
      'build ran',
      'build ran',
    ])
    expect(requests.length).toBe(1)
  })

  it('is asked about once, whenever a call comes while the answer does', { tags: 'long' }, async () => {
    const { runtime, requests } = asking(await compiled(), ['allow-session'])
    const calls = Array.from({ length: times(20, 200) }, async (_, delay) => {
      // Ticks: each call looks for an answer a little later than the one before it.
      for (let tick = 0; tick < delay; tick++) await (delay % 2 === 0 ? null : new Promise(setImmediate))
      return runtime.forAgent().invoke('build')
    })
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['build ran']))
    expect(requests.length).toBe(1)
  })
})

describe('what is code', () => {
  it('is all that code runs for: a delegate, middleware, a directive', async () => {
    const project = await compiled({
      ...PROJECT,
      'skills/delegating/SKILL.md': skill(
        'delegating',
        'D.\n',
        'metadata:\n  delegate: inline://code,export default () => 1\n',
      ),
      'skills/wrapped/SKILL.md': skill('wrapped', 'W.\n', 'metadata:\n  wrap: { a: 1 }\n'),
      'skills/wrap.skill.ts': codeTool('wrap', "{ role: 'middleware' }", 'ctx => ctx.manager.next()'),
      'skills/showing/SKILL.md': `${skill('showing')}\n:skill[text]\n`,
      'skills/waiting/SKILL.md': skill('waiting', 'W.\n', 'metadata:\n  timeout: 100\n'),
    })
    const agent = createRuntime({ project }).forAgent()
    expect(names(await agent.listTools())).toEqual(['text'])
  })

  it('is found out without running it, compiled or not', { tags: 'long' }, async () => {
    const project = projectWith({
      ...PROJECT,
      '.agent-apps/project.json': JSON.stringify({ version: 1, paths: [{ dir: 'skills' }] }),
      'skills/dynamic.skill.ts': codeTool('dynamic', "{ permissions: { required: ['read'].slice() } }"),
      'skills/heir/SKILL.md': skill('heir', 'H.\n', 'metadata:\n  $inherit: dynamic\n'),
    })
    const { agent, requests } = asking(project, ['allow-session'], { policy: { permissions: ['read'] } })
    // Its permissions count as all four, which nobody grants.
    expect(names(await agent.listTools())).toEqual(['build', 'heir', 'text'])
    expect(ran()).toEqual([])
    expect(await agent.invoke('dynamic')).toBe('dynamic ran')
    expect(requests[0]?.tools.find(({ name }) => name === 'dynamic')?.permissions.required).toEqual([
      'read',
      'write',
      'execute',
      'network',
    ])
    expect(names(await agent.listTools())).toContain('dynamic')
  })
})

it('a text that another version is required for keeps nothing else from being listed', async () => {
  const newer = skill('newer', 'x\n', 'metadata: { requires: ">=99" }\n')
  const project = await projectWith({ ...PROJECT, 'skills/newer.skill.md': newer })
  const runtime = createRuntime({ project })
  expect(names(await runtime.forAgent().listTools())).toEqual(['text'])
  expect((await runtime.forAgent().offer()).withheld.map(({ tool }) => tool.name)).toContain('newer')
  expect(await code(runtime.forAgent().invoke('newer'))).toBe('TOOL_BROKEN')
  expect(await code(runtime.forAgent().open('newer'))).toBe('TOOL_BROKEN')
})
