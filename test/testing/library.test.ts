import { createRuntime } from 'agent-apps'
import { conformance } from 'agent-apps/testing'
import { afterAll, expect, it } from 'vitest'
import { makeTree, skill } from '../support/tree.js'

const dir = makeTree({ 'review.skill.md': skill('review') })
const runtime = createRuntime({ paths: [dir] })
afterAll(() => runtime.close())

/** Arguments for each tool of the library that is called, and not put around others or into texts. */
const ARGUMENTS: Record<string, { args: unknown[]; refused?: unknown[] }> = {
  'agent-discover': { args: [{}] },
  'skill-describe': { args: [{ name: 'review' }], refused: [{}, { name: 1 }] },
  'skill-list': { args: [{}, { pattern: 're*' }, { limit: 1, offset: 1 }], refused: [{ limit: 0 }] },
}

it('has arguments for each tool of the library', async () => {
  const called = (await runtime.tools()).filter(({ layer }) => layer === 'bundled').map(({ name }) => name)
  const tools = await Promise.all(called.map(name => runtime.findTool(name)))
  const shown = tools.filter(tool => tool && !tool.frontmatter.role).map(tool => tool?.name)
  expect(Object.keys(ARGUMENTS).sort()).toEqual(shown.sort())
})

it.each(Object.entries(ARGUMENTS))('%s keeps its contract', async (name, options) => {
  await conformance(name, { runtime, ...options })
})
