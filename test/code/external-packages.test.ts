import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile, loadConfig } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { writeTree } from '../support/tree.js'

const SKILL = `import { label } from 'labels'
import { deep } from '@scope/deep/inside'
export const frontmatter = { name: 'shared', description: 'Uses packages.', metadata: { params: { type: 'object' } } }
export default () => label() + deep()
`

/** A project with two packages that count how often they are loaded. */
function project(config: object | null): string {
  const { root } = codeProject({
    'skills/shared.skill.js': SKILL,
    'skills/again.skill.js': SKILL.replace("'shared'", "'again'"),
    ...(config && { 'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], ...config }) }),
  })
  writeTree(root, {
    'node_modules/labels/package.json': '{ "name": "labels", "type": "module", "exports": "./index.js" }',
    'node_modules/labels/index.js': "export const label = () => 'from LABELS'\n",
    'node_modules/@scope/deep/package.json':
      '{ "name": "@scope/deep", "exports": { "./inside": "./inside.cjs" } }',
    'node_modules/@scope/deep/inside.cjs': "exports.deep = () => ', DEEP'\n",
  })
  return root
}

const EXTERNAL = ['labels', '@scope/deep']

function modules(root: string): string {
  const folder = join(root, 'skills/.agent-apps')
  return readdirSync(folder)
    .filter(name => name.endsWith('.mjs'))
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
}

describe('external packages', () => {
  it('are bundled unless they are configured', async () => {
    const root = project({})
    await compile({ cwd: root })
    expect(modules(root)).toContain('from LABELS')
    expect(modules(root)).toContain('DEEP')
  })

  it.each([
    ['configured', { external: EXTERNAL }, {}],
    ['given', null, { paths: ['skills'], external: EXTERNAL }],
  ])('are left out where they are %s', async (_, config, options) => {
    const root = project(config)
    expect((await compile({ cwd: root, ...options })).diagnostics).toEqual([])
    expect(modules(root)).not.toMatch(/from LABELS|DEEP/)
    const runtime = createRuntime({ cwd: root, paths: ['skills'], freshness: 'trust' })
    expect(await runtime.invoke('shared')).toBe('from LABELS, DEEP')
    expect(runtime.stats().via).toMatchObject({ index: 1, disk: 0 })
  })

  it('are part of what an unchanged compile is', async () => {
    const root = project({})
    const job = { cwd: root, paths: ['skills'] }
    await compile(job)
    expect((await compile({ ...job, external: EXTERNAL })).written.length).toBeGreaterThan(0)
    expect(modules(root)).not.toContain('from LABELS')
    expect(await compile({ ...job, external: EXTERNAL.toReversed() })).toMatchObject({
      written: [],
      reused: 2,
    })
    expect((await compile({ ...job, external: EXTERNAL, check: true })).outdated).toEqual([])
    expect((await compile({ ...job, check: true })).outdated).not.toEqual([])
    await compile(job)
    expect(modules(root)).toContain('from LABELS')
  })

  it('are found by code that was not compiled, from where that code lies', async () => {
    const root = project({ external: EXTERNAL })
    const { paths, config } = await loadConfig({ cwd: root })
    const runtime = createRuntime({ paths, external: config.external ?? [], library: false })
    expect(await runtime.invoke('shared')).toBe('from LABELS, DEEP')
    expect(runtime.stats().via).toMatchObject({ index: 0, disk: 1 })
  })

  it('may be absent while compiling', async () => {
    const root = project({ external: ['absent'] })
    writeTree(root, { 'skills/shared.skill.js': SKILL.replace("'labels'", "'absent'") })
    expect((await compile({ cwd: root })).diagnostics).toEqual([])
    expect(modules(root)).toMatch(/from\s*["']absent["']/)
    const runtime = createRuntime({ cwd: root, paths: ['skills'], freshness: 'trust' })
    await expect(runtime.invoke('shared')).rejects.toMatchObject({ code: 'ERR_MODULE_NOT_FOUND' })
    expect(await runtime.invoke('again')).toBe('from LABELS, DEEP')
  })
})
