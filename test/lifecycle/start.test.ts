import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { project, WAYS } from '../support/four-ways.js'
import { isLong } from '../support/long.js'
import { installed, newNotes, notingSkill } from '../support/noting-skill.js'
import { skill } from '../support/tree.js'

let close = async (): Promise<void> => {}
afterEach(() => close())

const TREE = installed({
  'skills/a.skill.js': notingSkill('a', 1, "metadata: { 'requires-tools': 'b' },"),
  'skills/b.skill.js': notingSkill('b'),
  'skills/delegate.js': notingSkill('delegate'),
  'skills/markdown.skill.md': skill(
    'markdown',
    'Text.\n',
    'metadata: { delegate: ./delegate.js, lifecycle: true }\n',
  ),
  'skills/off.skill.js': notingSkill('off', 1, 'metadata: { enabled: false },'),
  'skills/plain.skill.js':
    "globalThis.notesOfSkills?.push('loaded')\nexport const frontmatter = { name: 'plain', description: 'x' }\nexport default () => 1\n",
  'skills/late.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool('late', async () => ({
  description: 'Is defined late.',
  init: () => void globalThis.notesOfSkills.push('init late'),
  execute: () => 'late',
}))
`,
})

describe.each(isLong ? WAYS : (['compiled, trusted'] as const))('%s', way => {
  it('start initialises the tools with hooks, in order, and loads no others', async () => {
    const log = newNotes()
    const { runtime } = await project(way, TREE)
    close = () => runtime.close()
    log.length = 0
    await runtime.start()
    expect(runtime.diagnostics().filter(({ severity }) => severity === 'error')).toEqual([])
    expect([...log].sort()).toEqual(['init a 1', 'init b 1', 'init delegate 1', 'init late'])
    expect(log.indexOf('init b 1')).toBeLessThan(log.indexOf('init a 1'))
    expect(await runtime.invoke('a')).toBe(1)
    expect(await runtime.invoke('markdown')).toBe(1)
    expect(await runtime.invoke('late')).toBe('late')
    const states = Object.fromEntries((await runtime.tools()).map(({ name, state }) => [name, state]))
    expect(states).toMatchObject({
      a: 'active',
      b: 'active',
      late: 'active',
      markdown: 'active',
      off: 'disabled',
      plain: 'active',
    })
    await runtime.close()
    expect(log.filter(line => line.startsWith('dispose')).sort()).toEqual([
      'dispose a 1',
      'dispose b 1',
      'dispose delegate 1',
    ])
    expect(log.indexOf('dispose a 1')).toBeLessThan(log.indexOf('dispose b 1'))
  })

  it('initialises a tool at its first call where nobody called start', { tags: 'long' }, async () => {
    const log = newNotes()
    const { runtime } = await project(way, TREE)
    close = () => runtime.close()
    log.length = 0
    expect(await runtime.invoke('a')).toBe(1)
    expect(log).toEqual(['init b 1', 'init a 1', 'call a 1'])
  })
})

it('the index marks the tools with hooks', { tags: 'long' }, async () => {
  newNotes()
  const { cwd, runtime } = await project('compiled, trusted', TREE)
  close = () => runtime.close()
  const { tools } = JSON.parse(readFileSync(join(cwd, 'skills/.agent-apps.json'), 'utf8'))
  const marked = Object.keys(tools).filter(name => tools[name].frontmatter.metadata.lifecycle)
  expect(marked).toEqual(['a', 'b', 'late', 'markdown', 'off'])
})
