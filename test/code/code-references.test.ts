import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, loadSkillsFromFile } from 'agent-apps'
import { clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { some } from '../support/long.js'
import { makeTree } from '../support/tree.js'

/** A tool whose schema is known only once the file has run. */
const COUNT = `const fields = ['text']
export const frontmatter = {
  name: 'count',
  description: 'Counts.',
  metadata: { params: { type: 'object', required: fields.slice() } },
}
export default (_ctx, { text }) => text.length
`

describe('code by its path', () => {
  it.each(some(['compiled', 'from disk']))('%s', async way => {
    const cwd = makeTree({ 'skills/count.skill.js': COUNT })
    if (way === 'compiled') await compile({ cwd, paths: ['skills'] })
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    for (const ref of ['./skills/count.skill.js', './skills/count.skill.js#count', 'count']) {
      const tool = await runtime.findTool(ref)
      expect(tool?.frontmatter.params).toEqual({ type: 'object', required: ['text'] })
      expect(await runtime.invoke(ref, { text: 'abc' })).toBe(3)
    }
    const loaded = await loadSkillsFromFile('skills/count.skill.js', runtime.globals)
    expect(loaded.map(({ name, kind }) => `${name} ${kind}`)).toEqual(['count code'])
  })
})

describe('code that changed after it was compiled', () => {
  it('is read anew under check', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'skills/count.skill.js': COUNT })
    await compile({ cwd, paths: ['skills'] })
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
    expect(await runtime.invoke('count', { text: 'abc' })).toBe(3)
    writeFileSync(join(cwd, 'skills/count.skill.js'), COUNT.replace('text.length', 'text.length * 10'))
    expect(await runtime.invoke('count', { text: 'abc' })).toBe(30)
  })

  it('is bundled from its file where its module is gone', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'skills/count.skill.js': COUNT })
    await compile({ cwd, paths: ['skills'] })
    rmSync(join(cwd, 'skills/.agent-apps'), { recursive: true })
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'trust' })
    expect(await runtime.invoke('count', { text: 'abc' })).toBe(3)
  })
})

describe('compile --check of code that has to be run', () => {
  it('finds an index that is up to date so, and names what changed', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'skills/count.skill.js': COUNT })
    const check = () => compile({ cwd, paths: ['skills'], check: true })
    expect((await check()).stale).toEqual(['count'])
    expect(existsSync(join(cwd, 'skills/.agent-apps'))).toBe(false)
    await compile({ cwd, paths: ['skills'] })
    expect(await check()).toMatchObject({
      outdated: [],
      stale: [],
      diagnostics: [{ ruleId: 'not-evaluated', severity: 'info' }],
    })
    writeFileSync(join(cwd, 'skills/count.skill.js'), COUNT.replace('text.length', '0'))
    const before = readdirSync(join(cwd, 'skills/.agent-apps'))
    expect((await check()).stale).toEqual(['count'])
    expect(readdirSync(join(cwd, 'skills/.agent-apps'))).toEqual(before)
  })
})

describe('a module that was half written', () => {
  it('is cleaned away', async () => {
    const cwd = makeTree({ 'skills/count.skill.js': COUNT.replace('fields.slice()', "['text']") })
    await compile({ cwd, paths: ['skills'] })
    writeFileSync(join(cwd, 'skills/.agent-apps/module-ABCDEFGH.mjs.1.tmp'), 'export')
    await clean({ cwd, paths: ['skills'] })
    expect(readdirSync(join(cwd, 'skills'))).toEqual(['count.skill.js'])
  })
})
