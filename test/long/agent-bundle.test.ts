import { readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentSkill, SDK, saying } from '../support/agent-project.js'
import { calling, scriptedModel, seenResults } from '../support/ai-model.js'
import { codeProject } from '../support/code-project.js'
import { skill, type Tree } from '../support/tree.js'

/** A bundle of a project, with the text of all of its files. */
async function bundleOf(tree: Tree, keep?: string[]) {
  const { root } = codeProject(tree)
  symlinkSync(SDK, join(root, 'node_modules/ai'))
  await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', ...(keep && { keep }) })
  const folder = join(root, 'dist')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(name =>
    name.endsWith('.mjs'),
  )
  const text = files.map(name => readFileSync(join(folder, name), 'utf8')).join('\n')
  const { runtime } = await import(pathToFileURL(join(folder, 'agent.mjs')).href)
  return { runtime, text }
}

const PLAIN = {
  'skills/manners.skill.md': skill('manners'),
  'skills/look.skill.js': saying('look', 'a typo'),
}
const IMPORT = /from\s*["']ai["']/

describe('a bundle', () => {
  it('without a skill that a model runs has nothing of it', async () => {
    const { runtime, text } = await bundleOf(PLAIN)
    expect(text).not.toMatch(IMPORT)
    expect(text).not.toContain('give-result')
    expect(text).not.toContain('context-manager($')
    expect(await runtime.findTool('agent')).toBeNull()
    expect(await runtime.findTool('context-manager')).toBeNull()
  })

  it.each([
    ['a skill with `agent`', { 'skills/a.skill.md': agentSkill('a') }, undefined],
    [
      '`allowed-tools`',
      { 'skills/a.skill.md': skill('a', 'A.\n', 'allowed-tools: agent(allowedTools=look)\n') },
      undefined,
    ],
    ['a delegate', { 'skills/a.skill.md': agentSkill('a', 'delegate: agent') }, undefined],
    ['`keep`', {}, ['agent', 'manners']],
    ['`keep` of a skill with `agent`', { 'skills/a.skill.md': agentSkill('a') }, ['a']],
  ])('has it by %s', async (_, tree: Tree, keep) => {
    const { runtime, text } = await bundleOf({ ...PLAIN, ...tree }, keep)
    expect(text).toMatch(IMPORT)
    const model = scriptedModel(calling('context-manager', { op: 'drop', skill: 'x' }, 'drop'), {
      text: 'Fine.',
    })
    runtime.globals.models = { default: model }
    expect(await runtime.invoke('agent', { prompt: 'Go.' })).toBe('Fine.')
    if (keep?.[0] !== 'agent')
      expect(seenResults(model)).toMatchObject({ drop: { value: expect.stringContaining('NOT_OPEN') } })
  })

  it('has nothing of it by a list that names no tool of it, or forbids it', async () => {
    const tree = { ...PLAIN, 'skills/a.skill.md': skill('a', 'A.\n', 'allowed-tools: "* a* agent($deny)"\n') }
    expect((await bundleOf(tree)).text).not.toMatch(IMPORT)
  })

  it('with a workspace has it for `task`', async () => {
    const { root } = codeProject(PLAIN)
    symlinkSync(SDK, join(root, 'node_modules/ai'))
    await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', host: 'node' })
    const { createRuntime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    const model = scriptedModel(calling('look'), { text: 'A typo.' })
    const runtime = createRuntime({ workspace: root, models: { default: model } })
    const task = { description: 'Find the fault', prompt: 'Look.' }
    expect(await runtime.invoke('task', task)).toMatchObject({ output: 'A typo.' })
    expect(seenResults(model)).toMatchObject({ 'call-look': { value: 'a typo' } })
  })

  it('says to whoever calls for a model that there is none', async () => {
    const { runtime } = await bundleOf({ 'skills/a.skill.md': agentSkill('a') })
    await expect(runtime.invoke('a')).rejects.toMatchObject({ code: 'MODEL_MISSING' })
  })
})
