import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, pluginOf } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const REPOSITORY: Tree = {
  '.claude-plugin/marketplace.json': JSON.stringify({
    plugins: [
      { name: 'acme', source: './plugins/acme', version: '1.2.0' },
      { name: 'office', source: './', skills: ['./packs/pdf'] },
    ],
  }),
  'plugins/acme/.claude-plugin/plugin.json': JSON.stringify({
    name: 'acme',
    version: '1.0.0',
    description: 'Ships\nthings.',
  }),
  'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
  'packs/pdf/SKILL.md': skill('pdf'),
  'skills/notes/SKILL.md': skill('notes'),
}

/** The marketplace's version counts before the plugin's own. */
const ACME = { name: 'acme', version: '1.2.0', description: 'Ships\nthings.' }
const OFFICE = { name: 'office', version: null, description: null }

async function listed(cwd: string, ...args: string[]): Promise<object> {
  const { stdout } = await agentApps(cwd, ['list', '--json', ...args])
  const tools = JSON.parse(stdout) as { name: string; plugin: unknown }[]
  return Object.fromEntries(tools.map(({ name, plugin }) => [name, plugin]))
}

describe.each([true, false])('the plugin of a tool, compiled: %s', isCompiled => {
  const repository = async (tree: Tree): Promise<string> => {
    const cwd = makeTree(tree)
    if (isCompiled) await compile({ cwd })
    return cwd
  }

  it('is in list and describe', async () => {
    const cwd = await repository(REPOSITORY)
    expect(await listed(cwd)).toEqual({ 'acme:deploy': ACME, 'office:pdf': OFFICE, notes: null })
    const described = async (...args: string[]) => (await agentApps(cwd, ['describe', ...args])).stdout
    expect(JSON.parse(await described('deploy', '--json')).plugin).toEqual(ACME)
    expect(JSON.parse(await described('notes', '--json')).plugin).toBeNull()
    expect(await described('deploy')).toMatch(/^ {2}plugin +acme 1\.2\.0: Ships things\.$/m)
    expect(await described('office:pdf')).toMatch(/^ {2}plugin +office$/m)
    expect(await described('notes')).not.toMatch(/^ {2}plugin /m)
  })

  it('is that of its folder, whatever namespace its path entry has', async () => {
    const cwd = await repository({
      ...REPOSITORY,
      'plugins/beta/skills/plain/SKILL.md': skill('plain'),
      'agent-apps.config.json': '{ "paths": [{ "dir": "./plugins", "namespace": "all" }] }',
    })
    const own = { name: 'acme', version: '1.0.0', description: 'Ships\nthings.' }
    expect(await listed(cwd)).toEqual({ 'all:deploy': own, 'all:plain': null })
  })

  it('is known of skills that came or changed since', async () => {
    const cwd = await repository(REPOSITORY)
    writeFileSync(join(cwd, 'plugins/acme/skills/deploy/SKILL.md'), skill('deploy', 'Changed since.\n'))
    writeFileSync(join(cwd, 'plugins/acme/skills/more.skill.md'), skill('more'))
    expect(await listed(cwd)).toEqual({
      'acme:deploy': ACME,
      'acme:more': ACME,
      'office:pdf': OFFICE,
      notes: null,
    })
  })

  it('is what its manifest says now', async () => {
    const cwd = await repository(REPOSITORY)
    const plugins = [{ name: 'acme', source: './plugins/acme', version: '2.0.0' }]
    writeFileSync(join(cwd, '.claude-plugin/marketplace.json'), JSON.stringify({ plugins }))
    expect(await listed(cwd)).toMatchObject({ 'acme:deploy': { ...ACME, version: '2.0.0' } })
  })

  it('is told to a program', async () => {
    const cwd = await repository(REPOSITORY)
    const runtime = createRuntime({ cwd, paths: [{ dir: '.', discover: true }] })
    const plugins = (await runtime.listTools()).map(tool => pluginOf(tool)?.name ?? null)
    expect(plugins.filter(name => name !== null)).toEqual(['acme', 'office'])
    const found = await runtime.findTool('pdf')
    expect(found && pluginOf(found)).toEqual({ name: 'office' })
  })
})
