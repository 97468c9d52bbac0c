import { createRuntime, defineTool } from 'agent-apps'
import { expect, it } from 'vitest'
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
