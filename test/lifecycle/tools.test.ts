import { createRequire } from 'node:module'
import { createRuntime, defineTool, type Globals, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { createRuntime as createSlimRuntime } from 'agent-apps/runtime'
import { describe, expect, it, vi } from 'vitest'
import { PERMISSIONS } from '../../src/base/permissions.js'
import { notingTool } from '../support/noting-tool.js'
import { makeTree, skill } from '../support/tree.js'

const { version } = createRequire(import.meta.url)('agent-apps/package.json')

it('runtime.tools tells which tool is behind each name, and in what state it is', async () => {
  const project = makeTree({
    'a.skill.md': skill('a', 'x\n', 'metadata: { gated: true }\n'),
    'off.skill.md': skill('off', 'x\n', 'metadata: { enabled: false }\n'),
  })
  const shared = makeTree({ 'a.skill.md': skill('a'), 'b.skill.md': skill('b') })
  const paths = [project, { dir: shared, layer: 'global' as const }]
  const runtime = createRuntime({ paths, library: false, freshness: 'check' })
  const init = () => {
    throw new Error('no connection')
  }
  runtime.register(notingTool('fails', [], { init }))
  runtime.register(notingTool('idle', []))
  runtime.register(notingTool('runs', []))
  runtime.register(defineTool({ name: 'plain', gated: false, execute: () => 1 }))
  await runtime.listTools()
  for (const name of ['fails', 'runs']) await runtime.activate(name).catch(() => {})
  await runtime.deactivate('b')
  const row = (name: string, more: object) =>
    expect.objectContaining({ name, executor: 'local', problems: [], shadows: [], gated: undefined, ...more })
  const own = { layer: 'programmatic', entry: '', file: '' }
  expect(await runtime.tools()).toEqual([
    row('fails', {
      ...own,
      state: 'failed',
      problems: ['The tool "fails" is not initialised: no connection.'],
    }),
    row('idle', { ...own, state: 'idle' }),
    row('runs', { ...own, state: 'active' }),
    row('plain', { ...own, state: 'active', gated: false }),
    row('a', {
      ...{ layer: 'project', entry: project, file: 'a.skill.md', gated: true, state: 'active' },
      shadows: [{ layer: 'global', entry: shared, file: 'a.skill.md' }],
    }),
    row('off', { layer: 'project', state: 'disabled' }),
    row('b', { layer: 'global', state: 'inactive' }),
  ])
  await runtime.close()
})

it('runtime.tools shows what cannot be called, and why, and agents are not listed it', async () => {
  const project = makeTree({
    'well.skill.md': skill('well'),
    'syntax.skill.js': 'const = 1\n',
    'perhaps.skill.md': skill('perhaps', 'x\n', 'metadata: { gated: perhaps }\n'),
    'granted.skill.md': skill('granted', 'x\n', 'metadata: { permissions: { required: [raed] } }\n'),
    'keyed.skill.md': skill('keyed', 'x\n', 'metadata: { approval-key: 3 }\n'),
    'trusting.skill.md': skill('trusting', 'x\n', 'metadata: { trust: { rules: "a(" } }\n'),
    'off.skill.md': skill('off'),
    'newer.skill.md': skill('newer', 'x\n', 'metadata: { requires: ">=99" }\n'),
    'met.skill.md': skill('met', 'x\n', 'metadata: { requires: ">=0.1.0 <99" }\n'),
    'foreign.skill.md': skill('foreign', 'x\n', 'metadata: { requires: ">=99 of git" }\n'),
  })
  for (const freshness of ['check', 'trust'] as const)
    for (const isCompiled of [false, true]) {
      if (isCompiled) await compile({ paths: [project] })
      const policy = { permissions: PERMISSIONS, approval: { mode: 'yolo' as const } }
      const config = { tools: { off: { enabled: false }, hosts: { enabled: false } } }
      const runtime = createRuntime({ paths: [project], library: false, freshness, policy, config })
      runtime.register({ name: 'hosts', description: 'H.', execute: () => 1 })
      registerTool(runtime.globals, {
        ...{ name: 'registered', description: 'R.', fn: () => 1 },
        metadata: { gated: 'perhaps' },
      })
      for (let time = 0; time < 2; time++) {
        const states = (await runtime.tools()).map(({ name, state, problems }) => [
          name,
          state,
          problems.length,
        ])
        expect(states.sort()).toEqual([
          ['foreign', 'active', 0],
          ['granted', 'broken', 1],
          ['hosts', 'disabled', 0],
          ['keyed', 'broken', 1],
          ['met', 'active', 0],
          ['newer', 'broken', 1],
          ['off', 'disabled', 0],
          ['perhaps', 'broken', 1],
          ['registered', 'broken', 1],
          ['syntax', 'broken', 1],
          ['trusting', 'broken', 1],
          ['well', 'active', 0],
        ])
        expect((await runtime.forAgent().listTools()).map(({ name }) => name).sort()).toEqual([
          'foreign',
          'met',
          'well',
        ])
      }
    }
})

describe('a tool that another version is required for', () => {
  const metadata = { requires: '>=99' }
  const project = {
    'text.skill.md': skill('text', 'x\n', 'metadata: { requires: ">=99" }\n'),
    'code.skill.js':
      "import { defineTool } from 'agent-apps'\nexport default defineTool({ name: 'code', description: 'C.', requires: '>=99', execute: () => 1 })\n",
    'around.skill.md': skill('around', 'x\n', 'metadata: { wraps: true }\n'),
  }
  const register = (globals: Globals, onRun: () => number): void => {
    registerTool(globals, { name: 'registered', description: 'R.', fn: onRun, metadata })
    registerTool(globals, { name: 'wraps', role: 'middleware', description: 'W.', fn: onRun, metadata })
  }

  for (const [entry, create] of [
    ['agent-apps', createRuntime],
    ['agent-apps/runtime', createSlimRuntime],
  ] as const)
    for (const isCompiled of [false, true])
      it(`does not run: ${entry}, ${isCompiled ? 'compiled' : 'from disk'}`, async () => {
        const paths = [makeTree(project)]
        if (isCompiled) await compile({ paths })
        const run = vi.fn(() => 1)
        const runtime = create({ paths, library: false, policy: { permissions: PERMISSIONS } })
        register(runtime.globals, run)
        for (const name of ['text', 'code', 'registered']) {
          const reason = `The tool "${name}" requires agent-apps >=99, and this is ${version}.`
          const refused = { code: 'TOOL_BROKEN', message: reason, tool: name }
          for (let time = 0; time < 2; time++)
            await expect(runtime.invoke(name)).rejects.toMatchObject(refused)
          await expect(runtime.forAgent().invoke(name)).rejects.toMatchObject(refused)
          const state = (await runtime.tools()).find(tool => tool.name === name)
          expect(state).toMatchObject({ state: 'broken', problems: [reason] })
          const { withheld } = await runtime.forAgent().offer()
          expect(withheld.find(({ tool }) => tool.name === name)?.why).toBe(reason)
        }
        await expect(runtime.forAgent().open('text')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
        await expect(runtime.invoke('around')).rejects.toMatchObject({ code: 'TOOL_BROKEN', tool: 'wraps' })
        expect((await runtime.forAgent().listTools()).map(({ name }) => name)).toEqual(['around'])
        expect(run).not.toHaveBeenCalled()
      })

  it('is not initialised', async () => {
    const log: string[] = []
    const runtime = createRuntime({ paths: [], library: false })
    runtime.register(notingTool('newer', log, metadata))
    await runtime.start()
    await expect(runtime.activate('newer')).rejects.toMatchObject({ code: 'INIT_FAILED' })
    await expect(runtime.invoke('newer')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
    await runtime.close()
    expect(log).toEqual([])
  })
})
