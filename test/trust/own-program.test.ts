import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { isLong, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'

/** Whether agents get a project's code depends on where the program lies: each of these is a process of its own. */

const RUNTIME = JSON.stringify(new URL('../../dist/runtime/agent-apps.js', import.meta.url).href)

/** A program that lists what agents get of a project, and calls its code. */
const program = (options = '{}'): string => `import { createRuntime } from ${RUNTIME}
const runtime = createRuntime(${options})
const agent = runtime.forAgent()
const names = (await agent.listTools()).filter(({ origin }) => origin.layer === 'project').map(({ name }) => name)
const ran = await agent.invoke('build').catch(({ code, hint }) => ({ code, hint }))
console.log(JSON.stringify({ names, ran, said: runtime.diagnostics().map(({ reason }) => reason) }))
`

const build =
  "export const frontmatter = { name: 'build', description: 'Builds.' }\nexport default () => 'built'\n"

/** A project as a runtime needs it, whose skills are read from disk. */
const project = (more: object = {}): Tree => ({
  'package.json': '{}\n',
  '.agent-apps/project.json': JSON.stringify({ version: 1, paths: [{ dir: 'skills' }], ...more }),
  'skills/text/SKILL.md': skill('text'),
  'skills/build.skill.js': build,
})

/** A project with an index of its skills, which a process reads in half the time. */
async function compiledProject(more: Tree = {}, folder = temporary()): Promise<string> {
  writeTree(folder, { ...project(), ...more })
  await compile({ cwd: folder, paths: ['skills'] })
  return folder
}

interface Seen {
  names: string[]
  ran: unknown
  said: string[]
  stderr: string
}

function start(cwd: string, args: string[], env: Record<string, string> = {}): Seen {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    ...{ cwd, encoding: 'utf8', timeout: 60_000, input: program() },
    env: { ...process.env, NODE_OPTIONS: '', XDG_STATE_HOME: join(cwd, 'none'), ...env },
  })
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
  return { ...(JSON.parse(stdout) as Omit<Seen, 'stderr'>), stderr }
}

const OWN = { names: ['build', 'text'], ran: 'built', said: [], stderr: '' }
const WITHHELD = { names: ['text'], ran: { code: 'TOOL_NOT_FOUND' } }

describe('a program of the project', () => {
  it('has chosen its project, however it is started', async () => {
    const folder = await compiledProject({
      'app.mjs': program(),
      'bin/server.cjs': `import('../app.mjs')`,
      'bin/index.js': `import('../app.mjs')`,
      'worker.mjs': `import { Worker } from 'node:worker_threads'\nnew Worker(new URL('./app.mjs', import.meta.url))`,
      'lib/named.mjs': program('{ project: process.cwd() }'),
    })
    const ways = ['app.mjs', 'bin', 'bin/index', 'lib/named.mjs', 'worker.mjs', 'bin/server.cjs']
    for (const way of some(ways)) expect(start(folder, [way]), way).toEqual(OWN)
  })

  it.runIf(isLong)('has chosen it by a link, and as a package of it', async () => {
    const folder = await compiledProject({ 'app.mjs': program() })
    // Where the program lies counts, and not the link that it was found by.
    const elsewhere = makeTree({ 'link.mjs': { link: join(folder, 'app.mjs') } })
    expect(start(folder, [join(elsewhere, 'link.mjs')])).toEqual(OWN)
    const linked = join(elsewhere, 'linked')
    symlinkSync(folder, linked)
    expect(start(linked, ['app.mjs'])).toEqual(OWN)
    // So it is with the project of a monorepo, of which the program is a package.
    writeTree(folder, {
      'packages/api/package.json': '{}',
      'packages/api/main.mjs': program(`{ project: '../..' }`),
    })
    expect(start(join(folder, 'packages/api'), ['main.mjs'])).toEqual(OWN)
  })

  it('has what the configuration says of agents, and keeps what an entry or the host asks', {
    tags: 'long',
  }, async () => {
    const policy = { permissions: ['read'], approval: { mode: 'yolo' } }
    const reading = `${build.replace("'Builds.'", "'Builds.', metadata: { permissions: { required: ['read'] }, gated: true }")}`
    const folder = await compiledProject({
      ...project({ policy }),
      'skills/build.skill.js': reading,
      'app.mjs': program(),
    })
    expect(start(folder, ['app.mjs'])).toEqual(OWN)
    for (const answer of some(['ask', 'deny'])) {
      writeTree(folder, { 'app.mjs': program(`{ policy: { trust: { project: '${answer}' } } }`) })
      expect(start(folder, ['app.mjs'])).toMatchObject({ ...WITHHELD, stderr: '' })
    }
    const paths = [{ dir: 'skills' }, { dir: 'made', trust: 'ask' }]
    const mixed = makeTree({
      ...project({ paths, policy }),
      'skills/build.skill.js': reading,
      'made/made.skill.js': build.replace("'build'", "'made'"),
      'app.mjs': program(),
    })
    expect(start(mixed, ['app.mjs'])).toMatchObject({ names: ['build', 'text'], ran: 'built' })
  })
})

describe('a project that the program is no part of', () => {
  const NAMED =
    /^agent-apps: .*Agents do not get build, code of a project that is not trusted: no person can be asked\. If the project is yours, write createRuntime\(\{ policy: \{ trust: \{ project: 'allow' \} \} \}\), or name its `paths`\./

  it('is asked about as ever, and a program without an answer is told once what to write', {
    tags: 'long',
  }, async () => {
    const clone = await compiledProject()
    const host = makeTree({ 'host.mjs': program() })
    const seen = start(clone, [join(host, 'host.mjs')])
    expect(seen).toMatchObject(WITHHELD)
    expect(seen.stderr.split('\n')).toEqual([expect.stringMatching(NAMED), ''])
    expect(seen.said).toEqual([
      'Agents do not get build, code of a project that is not trusted: no person can be asked',
    ])
    expect(seen.ran).toMatchObject({
      hint: expect.stringMatching(/^It runs code of the project .* If the project is yours, write/),
    })
    // One who asks a person knows.
    writeTree(host, { 'host.mjs': program(`{ interact: () => 'deny' }`) })
    const asking = start(clone, [join(host, 'host.mjs')])
    expect(asking).toMatchObject({
      ran: { hint: expect.stringMatching(/is not trusted: it was denied\.$/) },
      stderr: '',
    })
  })

  it('is not chosen by what only looks like its main module', { tags: 'long' }, async () => {
    const clone = await compiledProject({
      '-': program(),
      'file.mjs': program(),
      'node_modules/tool/cli.mjs': program(),
      'node_modules/.bin/tool': { link: '../tool/cli.mjs' },
    })
    const host = makeTree({
      'host.mjs': program(),
    })
    const file = join(clone, 'file.mjs')
    const module = ['--input-type=module']
    const ways = [
      [...module, '-e', program(), file],
      [...module, '--eval', program(), file],
      [...module, `--eval=${program()}`, file],
      [join(host, 'host.mjs'), file],
      ['node_modules/tool/cli.mjs'],
      [...module, '-', file],
      ['node_modules/.bin/tool'],
    ]
    for (const args of some(ways)) expect(start(clone, args), args.at(-1)).toMatchObject(WITHHELD)
  })

  it('is not chosen by a program around it, that has it below its own folder', { tags: 'long' }, async () => {
    const app = await compiledProject({ 'app.mjs': program() })
    await compiledProject({}, join(app, 'clone'))
    expect(start(app, ['app.mjs'])).toEqual(OWN)
    expect(start(join(app, 'clone'), ['../app.mjs'])).toMatchObject(WITHHELD)
    // A folder whose name only begins alike is another one.
    const near = await compiledProject({ 'app.mjs': program() }, `${app}-clone`)
    expect(start(app, [join(near, 'app.mjs')])).toMatchObject(WITHHELD)
  })

  it.runIf(isLong)(
    'is not chosen by a program around it that names it, moves to it, or finds it',
    async () => {
      const app = await compiledProject({ 'moving.mjs': `process.chdir('clone')\n${program()}` })
      await compiledProject({}, join(app, 'clone'))
      expect(start(app, ['moving.mjs'])).toMatchObject(WITHHELD)
      writeTree(app, { 'app.mjs': program(`{ project: './clone' }`) })
      expect(start(app, ['app.mjs'])).toMatchObject(WITHHELD)
      // Nor are the skills of a clone found among those of a repository around it.
      writeTree(app, { 'app.mjs': program() })
      writeTree(app, {
        '.agent-apps/project.json': JSON.stringify({ version: 1, paths: [{ dir: '.', discover: true }] }),
        'clone/skills/evil.skill.js': build.replace("'build'", "'evil'"),
        'clone/.claude-plugin/plugin.json': '{ "name": "evil" }',
      })
      expect(start(app, ['app.mjs'])).toEqual(OWN)
    },
  )

  it('is not chosen where its folder is one that others write to, or that holds all that a user has', {
    tags: 'long',
  }, async () => {
    const home = await compiledProject({ 'bin/app.mjs': program(), 'user/.keep': '' })
    expect(start(home, ['bin/app.mjs'])).toEqual(OWN)
    for (const HOME of some([join(home, 'user'), home]))
      expect(start(home, ['bin/app.mjs'], { HOME, USERPROFILE: HOME })).toMatchObject(WITHHELD)
    chmodSync(home, 0o1777)
    expect(start(home, ['bin/app.mjs'])).toMatchObject(process.platform === 'win32' ? OWN : WITHHELD)
  })

  it.runIf(isLong)('is asked about by the commands, also from a checkout of the package inside of it', () => {
    const folder = makeTree({ ...project(), 'agent-apps.config.json': '{ "paths": ["./skills"] }' })
    const checkout = join(folder, 'vendor/agent-apps')
    for (const part of ['package.json', 'dist', 'skills'])
      cpSync(join(ROOT, part), join(checkout, part), { recursive: true })
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'))
    const cli = join(checkout, 'dist/cli/main.js')
    const run = (cwd: string, ...args: string[]) =>
      spawnSync(process.execPath, [cli, ...args], { cwd, encoding: 'utf8', input: '' })
    const called = run(folder, 'run', 'build', '--as-agent', '--json')
    expect([called.status, JSON.parse(called.stdout)]).toMatchObject([1, { error: 'TOOL_NOT_FOUND' }])
    expect(called.stderr).not.toContain('agent-apps: ')
    const catalog = run(folder, 'catalog')
    expect(catalog.stdout).toContain('build')
    expect(catalog.stderr).toMatch(
      /Agents do not get build, .*Programs of the project give them to agents\. If the project is yours, write/,
    )
    const doctor = JSON.parse(run(folder, 'doctor', '--json').stdout) as { subject: string }[]
    expect(doctor.find(({ subject }) => subject === 'trust')).toMatchObject({
      state: 'note',
      found: expect.stringContaining('Agents do not get build'),
      advice: expect.stringContaining("policy: { trust: { project: 'allow' } }"),
    })
  })
})
