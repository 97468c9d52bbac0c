import { fileURLToPath } from 'node:url'
import { createRuntime, emptyGlobals, findAuthority, findTool, registerTool } from 'agent-apps'
import { compile, loadConfig } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree, skill } from './support/tree.js'

const LIBRARY = fileURLToPath(new URL('../skills', import.meta.url))

describe('the library', () => {
  it('comes compiled, last, and with a tag that only it has', async () => {
    const cwd = makeTree({ 'skills/review/SKILL.md': skill('review', 'Look.\n') })
    const runtime = createRuntime({ cwd, paths: [{ ignore: '**/SKILL.md' }, 'skills'], freshness: 'trust' })
    const main = await runtime.findTool('library')
    expect(main?.frontmatter).toMatchObject({ visibility: 'hidden', tags: ['library', 'meta-internal'] })
    expect(main?.origin).toMatchObject({ layer: 'bundled', entry: LIBRARY, via: 'index' })
    expect((await runtime.findTool('layer://bundled/library'))?.src).toBe(main?.src)
    expect(runtime.diagnostics()).toEqual([])
  })

  it('changes no list', async () => {
    const cwd = makeTree({ 'skills/review/SKILL.md': skill('review', 'Look.\n') })
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    expect((await runtime.listTools()).map(({ name }) => name)).toEqual(['review'])
  })

  it('gives way to a skill of the same name', async () => {
    const cwd = makeTree({ 'skills/library/SKILL.md': skill('library', 'Ours.\n') })
    await compile({ cwd, paths: ['skills'] })
    const tool = await createRuntime({ cwd, paths: ['skills'] }).findTool('library')
    expect(await tool?.content?.()).toBe('Ours.\n')
    expect(tool?.origin.shadows.map(({ layer }) => layer)).toEqual(['bundled'])
    expect(tool?.frontmatter.tags).not.toContain('meta-internal')
  })

  it('is left out on demand', async () => {
    const cwd = makeTree({ 'agent-apps.config.json': '{ "paths": [], "library": false }' })
    expect((await loadConfig({ cwd })).config.library).toBe(false)
    expect(await createRuntime({ cwd, paths: [], library: false }).findTool('library')).toBeNull()
    expect(await findTool('library', emptyGlobals())).toBeNull()
  })

  it('is the authority of registered tools in a project without a main skill', async () => {
    const { globals, findTool: find } = createRuntime({ cwd: makeTree({}), paths: [] })
    registerTool(globals, { name: 'ours', fn: () => null })
    const tool = await find('ours')
    expect(tool && (await findAuthority(tool, globals))?.name).toBe('library')
  })
})
