import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  createRuntime,
  emptyGlobals,
  findAuthority,
  findTool,
  makeCatalog,
  registerTool,
  type ToolDef,
} from 'agent-apps'
import { compile, loadConfig } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { makeTree, skill } from '../support/tree.js'

/** Its tools that a model may call. */
const CALLABLE = ['agent-discover', 'skill-describe', 'skill-list']
/** Those and its middleware: what it does not hide. */
const VISIBLE = [
  'agent',
  'agent-discover',
  'context-manager',
  'limit',
  'retry',
  'skill-describe',
  'skill-list',
  'state',
  'timeout',
  'trace',
]

const LIBRARY = fileURLToPath(new URL('../../skills', import.meta.url))

describe('the library', () => {
  // A compile resolves no cascades for skills without metadata.
  it('promotes nothing to a project', async () => {
    const runtime = createRuntime({ cwd: makeTree({ 'skills/.keep': '' }), paths: ['skills'] })
    const tools = [...(await runtime.listTools())]
    expect(tools.length).toBeGreaterThan(5)
    expect(tools.filter(({ frontmatter }) => frontmatter.metadata.$global !== undefined)).toEqual([])
    const main = await runtime.findTool('library')
    expect(main?.frontmatter.metadata.$global).toBeUndefined()
  })

  it('comes compiled, last, and with a tag that only it has', async () => {
    const cwd = makeTree({ 'skills/review/SKILL.md': skill('review', 'Look.\n') })
    const runtime = createRuntime({ cwd, paths: [{ ignore: '**/SKILL.md' }, 'skills'], freshness: 'trust' })
    const main = await runtime.findTool('library')
    expect(main?.frontmatter).toMatchObject({ visibility: 'hidden', tags: ['library', 'meta-internal'] })
    expect(main?.origin).toMatchObject({ layer: 'bundled', entry: LIBRARY, via: 'index' })
    expect((await runtime.findTool('layer://bundled/library'))?.src).toBe(main?.src)
    expect(runtime.diagnostics()).toEqual([])
  })

  it.each(['disk', 'index'])('is listed last, without what it hides, beside skills from %s', async via => {
    const cwd = makeTree({
      'skills/review/SKILL.md': skill('review', 'Look.\n'),
      'skills/zoo.skill.md': skill('zoo', 'Look.\n', 'metadata: { visibility: hidden }\n'),
    })
    if (via === 'index') await compile({ cwd, paths: ['skills'] })
    for (const freshness of ['check', 'trust'] as const) {
      const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
      const listed = await runtime.listTools()
      expect(listed.map(({ name }) => name)).toEqual(['review', 'zoo', ...VISIBLE])
      expect(listed.map(({ origin }) => origin.via)).toEqual([via, via, ...VISIBLE.map(() => 'index')])
      for (const { name, frontmatter, origin } of listed.slice(2)) {
        expect(frontmatter.tags).toContain('meta-internal')
        expect(origin.layer).toBe('bundled')
        expect(await runtime.findTool(name)).toBe(listed.find(tool => tool.name === name))
      }
    }
  })

  it('is listed once under a name that a project takes', async () => {
    const cwd = makeTree({ 'skills/skill-list/SKILL.md': skill('skill-list', 'Ours.\n') })
    const listed = await createRuntime({ cwd, paths: ['skills'] }).listTools()
    expect(listed.filter(({ name }) => name === 'skill-list').map(({ origin }) => origin.layer)).toEqual([
      'project',
    ])
  })

  it('shows an agent what it can call, and a catalog that only on demand', async () => {
    const cwd = makeTree({ 'skills/review/SKILL.md': skill('review', 'Look.\n') })
    const runtime = createRuntime({ cwd, paths: ['skills'] })
    const names = async (allowedTools?: string) =>
      (await runtime.forAgent({ allowedTools }).listTools()).map(({ name }) => name)
    expect(await names()).toEqual(['review', ...CALLABLE])
    expect(await names('#meta-internal')).toEqual(CALLABLE)
    expect(await names('$skill-*')).toEqual(['skill-describe', 'skill-list'])
    for (const name of ['library', 'limit', 'include'])
      expect(await runtime.forAgent({ allowedTools: '#meta-internal' }).findTool(name)).toBeNull()
    const tools = await runtime.forAgent().listTools()
    expect((await makeCatalog(tools)).described).toEqual(['review'])
    expect((await makeCatalog(tools, { library: true })).described).toEqual(['review', ...CALLABLE])
    // @ts-expect-error
    await expect(makeCatalog(tools, { library: 'yes' })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('is listed in a bundle as far as it is in it', { tags: 'long' }, async () => {
    const { root } = codeProject({ 'skills/review/SKILL.md': skill('review', 'Look.\n') })
    await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    const names = async (tools: Promise<ToolDef[]>) => (await tools).map(({ name }) => name)
    expect(await names(runtime.listTools())).toEqual([
      'review',
      // No skill in it has an agent.
      ...VISIBLE.filter(name => name !== 'agent' && name !== 'context-manager'),
    ])
    expect(await names(runtime.forAgent({ allowedTools: '#meta-internal' }).listTools())).toEqual(CALLABLE)
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
