import { createRuntime, defineTool, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { PERMISSIONS } from '../../src/base/permissions.js'
import { notingTool } from '../support/noting-tool.js'
import { makeTree, skill } from '../support/tree.js'

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
          ['granted', 'broken', 1],
          ['hosts', 'disabled', 0],
          ['keyed', 'broken', 1],
          ['off', 'disabled', 0],
          ['perhaps', 'broken', 1],
          ['registered', 'broken', 1],
          ['syntax', 'broken', 1],
          ['trusting', 'broken', 1],
          ['well', 'active', 0],
        ])
        expect((await runtime.forAgent().listTools()).map(({ name }) => name)).toEqual(['well'])
      }
    }
})
