import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, type RuntimeOptions } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { agentApps } from '../support/commands.js'
import { ROOT } from '../support/processes.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const FILE = '.agent-apps/project.json'

/** A project with a configuration that was compiled. */
async function compiled(config: object, tree: Tree = {}): Promise<string> {
  const cwd = makeTree({
    'app/agent-apps.config.json': JSON.stringify(config),
    'app/skills/review/SKILL.md': skill('review'),
    ...tree,
  })
  await compile({ cwd: join(cwd, 'app') })
  return join(cwd, 'app')
}

function projectOf(folder: string): unknown {
  return JSON.parse(readFileSync(join(folder, FILE), 'utf8'))
}

afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllEnvs()
})

describe('.agent-apps/project.json', () => {
  it('says what the configuration says, relative to its folder', async () => {
    const written = { freshness: 'check', library: false, external: ['pg'], env: ['TEAM'] }
    const rest = { ...written, keep: ['review'], theirs: 1 }
    const app = await compiled(
      {
        paths: [{ ignore: 'drafts/**' }, './skills', { dir: '../team', external: true }, '~/none'],
        ...rest,
      },
      { 'team/style/SKILL.md': skill('style') },
    ).catch(error => error)
    // `~/none` is the project's own, and not there.
    expect(app).toMatchObject({ code: 'DIRECTORY_NOT_FOUND' })
    const there = await compiled(
      {
        paths: [
          { ignore: 'drafts/**' },
          './skills',
          { dir: '../team', external: true },
          { dir: '~/none', layer: 'global' },
          { dir: '/opt/none', external: true },
        ],
        ...rest,
      },
      { 'team/style/SKILL.md': skill('style') },
    )
    expect(projectOf(there)).toEqual({
      version: 1,
      paths: [
        { ignore: 'drafts/**' },
        { dir: 'skills' },
        { dir: '../team', external: true },
        { dir: '~/none', layer: 'global' },
        { dir: '/opt/none', external: true },
      ],
      freshness: 'check',
      library: false,
      external: ['pg'],
      env: ['TEAM'],
    })
  })

  it('is in cwd where there is no configuration, and has the same bytes elsewhere', async () => {
    const texts = []
    for (const name of ['one', 'two/deeper']) {
      const cwd = makeTree({ [`${name}/.claude/skills/a/SKILL.md`]: skill('a') })
      await compile({ cwd: join(cwd, name) })
      texts.push(readFileSync(join(cwd, name, FILE), 'utf8'))
      expect(await createRuntime({ project: join(cwd, name) }).render('a')).toBe('Do a.\n')
    }
    expect(texts[0]).toBe(texts[1])
    expect(JSON.parse(texts[0] ?? '').paths).toEqual([{ dir: '.', discover: true }])
  })

  it('is written once, compared by --check, verified, and cleaned', async () => {
    const app = await compiled({ paths: ['./skills'] })
    expect((await compile({ cwd: app })).written).toEqual([])
    expect((await agentApps(app, ['compile', '--check'])).status).toBe(0)
    expect((await agentApps(app, ['verify'])).status).toBe(0)
    writeTree(app, { 'agent-apps.config.json': '{ "paths": ["./skills"], "env": ["TEAM"] }' })
    const check = await agentApps(app, ['compile', '--check'])
    expect(check.status).toBe(1)
    expect(check.stdout).toContain(`out of date: ${FILE}`)
    expect((await agentApps(app, ['verify'])).stdout).toContain(`${FILE} does not say`)
    expect((await compile({ cwd: app })).written).toEqual([FILE])
    rmSync(join(app, FILE))
    expect((await agentApps(app, ['verify'])).stdout).toContain(`${FILE} is missing`)
    expect((await compile({ cwd: app, check: true })).outdated).toEqual([FILE])
    await compile({ cwd: app })
    const removed = JSON.parse((await agentApps(app, ['clean', '--json'])).stdout).removed
    expect(removed).toContain(FILE)
    await expect(createRuntime({ project: app }).findTool('review')).rejects.toMatchObject({
      code: 'NO_SKILL_PATHS',
    })
  })

  it('is none of paths that are passed, and clean leaves a file of that name alone that is not ours', async () => {
    const app = makeTree({ 'skills/a/SKILL.md': skill('a'), [FILE]: '{ "version": "theirs" }' })
    expect((await compile({ cwd: app, paths: ['skills'] })).written).not.toContain(FILE)
    expect(JSON.parse((await agentApps(app, ['clean', '--json'])).stdout).removed).not.toContain(FILE)
  })
})

describe('createRuntime without paths', () => {
  it('reads the project in the folder that it is given, and does nothing before the first look-up', async () => {
    const app = await compiled(
      { paths: ['./skills', { dir: '../team', external: true }], env: ['TEAM'] },
      { 'team/style/SKILL.md': skill('style') },
    )
    const runtime = createRuntime({ project: app })
    const found = await Promise.all(['review', 'style'].map(name => runtime.findTool(name)))
    expect(found.map(tool => tool?.origin.entry)).toEqual([join(app, 'skills'), join(app, '../team')])
    expect(runtime.globals.config).toMatchObject({ env: ['TEAM'], freshness: 'check' })
    expect(runtime.diagnostics()).toEqual([])
    const early = createRuntime({ project: join(app, 'later') })
    cpSync(join(app, FILE), join(app, 'later', FILE), { recursive: true })
    cpSync(join(app, 'skills'), join(app, 'later/skills'), { recursive: true })
    expect((await early.listTools()).map(({ name }) => name)).toContain('review')
  })

  it('lets other options come before what the file says', async () => {
    const app = await compiled({ paths: ['./skills'], freshness: 'check', library: false, env: ['TEAM'] })
    const configOf = async (options: RuntimeOptions) => {
      const runtime = createRuntime({ project: app, ...options })
      await runtime.listTools()
      return runtime.globals.config
    }
    expect(await configOf({ freshness: 'trust', env: [] })).toMatchObject({
      freshness: 'trust',
      env: [],
      library: false,
    })
    expect(await configOf({ verify: true })).toMatchObject({ freshness: 'trust', verify: true })
    expect(await configOf({ paths: [join(app, 'other')] })).toMatchObject({
      paths: [join(app, 'other')],
      freshness: 'check',
    })
  })

  it('looks in cwd, and never above it', async () => {
    const app = await compiled({ paths: ['./skills'] })
    expect(await createRuntime({ cwd: app }).render('review')).toBe('Do review.\n')
    mkdirSync(join(app, 'src'))
    const runtime = createRuntime({ cwd: join(app, 'src') })
    const error = { code: 'NO_SKILL_PATHS', file: join(app, 'src', FILE) }
    await expect(runtime.findTool('review')).rejects.toMatchObject(error)
    await expect(runtime.listTools()).rejects.toMatchObject(error)
    await expect(runtime.invoke('review')).rejects.toMatchObject(error)
    await expect(runtime.turn(() => 1)).rejects.toMatchObject(error)
    // What was not there may be there the next time.
    await compile({ cwd: join(app, 'src'), config: join(app, 'agent-apps.config.json') })
    cpSync(join(app, FILE), join(app, 'src', FILE))
    cpSync(join(app, 'skills'), join(app, 'src/skills'), { recursive: true })
    expect(await runtime.render('review')).toBe('Do review.\n')
  })

  it.each([
    '',
    '{',
    '[]',
    '{ "version": 2, "paths": [] }',
    '{ "version": 1, "paths": [3] }',
    '{ "version": 1 }',
  ])('refuses a file that says %j', async text => {
    const app = makeTree({ [FILE]: text })
    await expect(createRuntime({ project: app }).findTool('a')).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      file: join(app, FILE),
    })
  })

  it('ends when it is closed before anything was looked up', async () => {
    const runtime = createRuntime({ cwd: makeTree({}) })
    await runtime.close()
    await expect(runtime.findTool('a')).rejects.toMatchObject({ code: 'RUNTIME_CLOSED' })
  })

  it('reads one small file in production, once', async () => {
    const app = await compiled({ paths: ['./skills'] })
    vi.stubEnv('NODE_ENV', 'production')
    const opened = vi.spyOn(process.getBuiltinModule('node:fs'), 'openSync')
    const runtime = createRuntime({ project: app })
    expect(opened).not.toHaveBeenCalled()
    await Promise.all([runtime.findTool('review'), runtime.listTools(), runtime.findTool('review')])
    const files = opened.mock.calls.map(([file]) => String(file))
    expect(files.filter(file => file.endsWith('project.json'))).toEqual([join(app, FILE)])
    expect(files.filter(file => file.startsWith(app))).toEqual([
      join(app, FILE),
      join(app, 'skills/.agent-apps.json'),
    ])
  })

  it('keeps the applications of a monorepo apart', async () => {
    const root = makeTree({})
    cpSync(join(ROOT, 'examples/monorepo'), root, { recursive: true })
    for (const folder of ['packages/shared-skills', 'apps/desk', 'apps/stock'])
      await compile({ cwd: join(root, folder) })
    const namesOf = async (app: string): Promise<string[]> => {
      const tools = await createRuntime({ project: join(root, 'apps', app), library: false }).listTools()
      return tools.map(({ name }) => name).sort()
    }
    expect(await namesOf('desk')).toEqual(['opening-hours', 'plain-words', 'reply'])
    expect(await namesOf('stock')).toEqual(['reorder'])
  })

  it('finds what is in the home of the user', async () => {
    const app = await compiled({ paths: ['./skills', { dir: '~/mine', external: true }] })
    writeTree(app, { 'home/mine/own/SKILL.md': skill('own') })
    vi.stubEnv('HOME', join(app, 'home'))
    expect(await createRuntime({ project: app }).render('own')).toBe('Do own.\n')
  })
})

it('a path that leads nowhere gives a diagnostic', async () => {
  const cwd = makeTree({ 'skills/a/SKILL.md': skill('a') })
  writeFileSync(join(cwd, 'file'), '')
  const runtime = createRuntime({ cwd, paths: ['skils', 'file', 'skills'], freshness: 'trust' })
  expect(await runtime.findTool('a')).not.toBeNull()
  expect(runtime.diagnostics()).toMatchObject([
    { rule: 'path-missing', severity: 'warning', file: join(cwd, 'skils') },
    { rule: 'path-missing', file: join(cwd, 'file') },
  ])
  expect(runtime.diagnostics().map(String)[0]).toBe(
    `${join(cwd, 'skils')}:1:1 warning The directory does not exist, so it has no skills. ` +
      'Correct the path, or create the directory. Relative paths start from `cwd`. path-missing',
  )
})

it('a name that leads nowhere is told with the paths that lead nowhere', async () => {
  const cwd = makeTree({ 'skills/a/SKILL.md': skill('a') })
  const runtime = createRuntime({ cwd, paths: ['skilz', 'skills'] })
  const dir = join(cwd, 'skilz')
  await expect(runtime.invoke('deploy')).rejects.toMatchObject({
    code: 'TOOL_NOT_FOUND',
    message: `There is no tool "deploy", and there is no directory ${dir}.`,
    hint: 'Correct `paths`, or create the directory. Relative paths start from `cwd`.',
  })
  mkdirSync(dir)
  await expect(runtime.invoke('deploy')).rejects.toMatchObject({ message: 'There is no tool "deploy".' })
})
