import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, type Runtime, type RuntimeOptions, type ToolResult } from 'agent-apps'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { isLong, oneIn, some } from '../support/long.js'
import { type PageProcess, pageProcess } from '../support/page-process.js'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'
import { codeOf } from '../support/workspace-tools.js'

interface Row {
  args: Record<string, unknown>
  permission: 'read' | 'write' | 'execute' | 'network'
  output: RegExp
}

/** A call of each tool, in a workspace with a file `a.txt` that was read. */
const ROWS: Record<string, Row> = {
  bash: { args: { command: 'cat a.txt' }, permission: 'execute', output: /^one\n$/ },
  edit: { args: { path: 'a.txt', old: 'one', new: 'two' }, permission: 'write', output: /\+two/ },
  glob: { args: { pattern: '*.txt' }, permission: 'read', output: /^a\.txt$/ },
  grep: { args: { pattern: 'o.e' }, permission: 'read', output: /1:one/ },
  list: { args: {}, permission: 'read', output: / {2}a\.txt/ },
  read: { args: { path: 'a.txt' }, permission: 'read', output: /1\tone/ },
  task: {
    args: { description: 'Look', prompt: 'Look.' },
    permission: 'execute',
    output: /No model is configured/,
  },
  todoread: { args: {}, permission: 'read', output: /empty/ },
  todowrite: { args: { todos: [{ content: 'One' }] }, permission: 'read', output: /^\[ \] One$/ },
  webfetch: { args: { url: '{PAGE}' }, permission: 'network', output: /\n# A page\n/ },
  write: { args: { path: 'new/b.txt', content: 'b' }, permission: 'write', output: /^Created new\/b\.txt/ },
}

let page: PageProcess
/** The library's sources without an index, and a bundle for Node. */
let sources: string
let bundle: { runtime: Runtime; createRuntime: (options?: Partial<RuntimeOptions>) => Runtime }
/** The types of the bundle, and what the command that made it said. */
let declared: string
let said: string
beforeAll(async () => {
  page = await pageProcess('<h1>A page</h1>')
  if (isLong) sources = copiedSources()
  const cwd = makeTree({ 'skills/a.skill.md': 'A skill.', 'package.json': '{}' })
  const options = ['--bundle', 'dist/agent.mjs', '--host', 'node', '--library-types']
  const { stdout, stderr } = await agentApps(cwd, ['compile', 'skills', ...options])
  said = stdout + stderr
  declared = readFileSync(join(cwd, 'dist/agent.d.mts'), 'utf8')
  bundle = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
})
afterAll(() => page.end())

type Open = (options: Partial<RuntimeOptions>) => { runtime: Runtime; via: string }
const WAYS: Record<string, Open> = {
  compiled: options => ({ runtime: createRuntime({ paths: [], ...options }), via: 'index' }),
  'from disk': options => ({
    runtime: createRuntime({ paths: ['skills/workspace'], cwd: sources, ...options }),
    via: 'disk',
  }),
  'in a Node bundle': options => ({ runtime: bundle.createRuntime(options), via: 'bundle' }),
}

describe.each(Object.entries(WAYS).filter(([way]) => isLong || way !== 'from disk'))('%s', (way, open) => {
  // Half of the tools of the index, and one that writes of a bundle; `npm run test:long` has all of all ways.
  const names = way === 'compiled' ? oneIn(2, Object.keys(ROWS)) : some(Object.keys(ROWS))
  it.each(names)('%s runs for code, and for an agent with its permission alone', async name => {
    const { args, permission, output } = rowOf(name)
    const { runtime, via } = open(workspace())
    expect((await runtime.findTool(name))?.origin.via).toBe(via)
    expect(await outputOf(runtime.invoke, name, args)).toMatch(output)
    await runtime.close()

    const { runtime: other } = open({ ...workspace(), interact: () => 'allow-once' })
    const permissions = name === 'edit' ? (['read', permission] as const) : [permission]
    const agent = other.forAgent({ permissions })
    expect(await outputOf(agent.invoke, name, args)).toMatch(output)
    const rest = (['read', 'write', 'execute', 'network'] as const).filter(one => one !== permission)
    const without = other.forAgent({ permissions: rest })
    expect(await codeOf(without.invoke(name, args))).toBe('PERMISSION_MISSING')
    expect((await without.listTools()).map(tool => tool.name)).not.toContain(name)
    await other.close()
  })
})

describe('without a workspace', () => {
  it.each(['compiled', 'in a Node bundle'])('none of the tools exists: %s', async way => {
    const { runtime } = WAYS[way]?.({}) ?? {}
    for (const name of Object.keys(ROWS)) expect(await runtime?.findTool(name), name).toBeNull()
  })
})

describe('at the command line', () => {
  it.each(
    oneIn(
      3,
      Object.keys(ROWS).filter(name => name !== 'edit'),
    ),
  )('%s runs', async name => {
    const { args, output } = rowOf(name)
    const cwd = makeTree({ 'repo/a.txt': 'one\n' })
    const given = Object.entries(args).flatMap(([key, value]) => ['--arg', `${key}=${asArgument(value)}`])
    const said = await agentApps(cwd, ['run', name, '--workspace', 'repo', ...given])
    // A person's command has no configuration of tools, and so reaches no address of this machine.
    if (name === 'webfetch') expect(said).toMatchObject({ status: 1, stderr: /FETCH_REFUSED/ })
    else expect(JSON.parse(said.stdout).output).toMatch(output)
  })

  it('a tool without a workspace says what is missing', async () => {
    const cwd = makeTree({ 'skills/a.skill.md': 'A skill.' })
    const { status, stderr } = await agentApps(cwd, ['run', 'read', '--arg', 'path=a.txt'])
    expect(status).toBe(1)
    expect(stderr).toMatch(/TOOL_NOT_FOUND.*\n.*`--workspace DIR`/)
  })

  it('edit needs the file read, which a call before it did in another process', async () => {
    const cwd = makeTree({ 'repo/a.txt': 'one\n' })
    const args = ['--arg', 'path=a.txt', '--arg', 'old=one', '--arg', 'new=two']
    const { status, stderr } = await agentApps(cwd, ['run', 'edit', '--workspace', 'repo', ...args])
    expect(status).toBe(1)
    expect(stderr).toContain('FILE_NOT_READ')
    expect(readFileSync(join(cwd, 'repo/a.txt'), 'utf8')).toBe('one\n')
  })
})

describe('a bundle for any host', () => {
  it('has none of the tools, and compile names them', { tags: 'long' }, async () => {
    const cwd = makeTree({ 'skills/a.skill.md': 'A skill.', 'package.json': '{}' })
    const { stdout, stderr } = await agentApps(cwd, ['compile', 'skills', '--bundle', 'dist/agent.mjs'])
    const [, named = ''] = /left out of the bundle.*: (.*)/.exec(stdout + stderr) ?? []
    expect(named.split(', ').sort()).toEqual(Object.keys(ROWS))
    const { runtime, ...other } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    for (const name of Object.keys(ROWS)) expect(await runtime.findTool(name), name).toBeNull()
    expect(Object.keys(other)).toEqual(['tools'])
    // Nor has it their code, of which only that starts processes.
    const files = readdirSync(join(cwd, 'dist'), { recursive: true, encoding: 'utf8' })
    const modules = files.filter(file => file.endsWith('.mjs'))
    const text = (file: string): string => readFileSync(join(cwd, 'dist', file), 'utf8')
    expect(modules.filter(file => text(file).includes('node:child_process'))).toEqual([])
    expect(text('agent.d.mts')).not.toMatch(/"(?:bash|read|todowrite)": /)
  })

  it('is told apart from one for Node at the command line', async () => {
    const cwd = makeTree({ 'skills/a.skill.md': 'A skill.', 'package.json': '{}' })
    const call = (...more: string[]) => agentApps(cwd, ['compile', 'skills', ...more])
    expect(said).not.toContain('left out of the bundle')
    expect(declared).toContain('export declare const createRuntime: (options?: ')
    for (const name of Object.keys(ROWS)) expect(declared).toContain(`"${name}": { args: `)
    expect((await call('--host', 'node')).stderr).toContain('`--host` requires `--bundle`')
    const other = await call('--bundle', 'dist/agent.mjs', '--host', 'deno')
    expect(other.stderr).toContain('A bundle cannot be for the host "deno".')
  })
})

it('a bundle for Node opens workspaces by paths from where its process runs', async () => {
  const cwd = makeTree({ 'repo/a.txt': 'one\n', 'other/b.txt': 'two\n' })
  const before = process.cwd()
  process.chdir(cwd)
  try {
    const runtime = bundle.createRuntime({ workspace: { root: 'repo', also: ['other'] } })
    expect(await outputOf(runtime.invoke, 'read', { path: 'a.txt' })).toBe('     1\tone')
    expect(await outputOf(runtime.invoke, 'read', { path: '../other/b.txt' })).toBe('     1\ttwo')
    const { metadata } = (await runtime.invoke('grep', { pattern: 'one' })) as ToolResult
    expect(metadata).toMatchObject({ matches: 1 })
  } finally {
    process.chdir(before)
  }
})

function rowOf(name: string): Row {
  const { args, ...row } = ROWS[name] as Row
  return { ...row, args: JSON.parse(JSON.stringify(args).replace('{PAGE}', page.url)) }
}

function workspace(): Partial<RuntimeOptions> {
  const config = { tools: { webfetch: { allow: ['127.0.0.1'] } } }
  return { workspace: makeTree({ 'a.txt': 'one\n' }), config }
}

async function outputOf(
  invoke: (name: string, args: Record<string, unknown>) => Promise<unknown>,
  name: string,
  args: Record<string, unknown>,
): Promise<unknown> {
  if (name === 'edit') await invoke('read', { path: 'a.txt' })
  return ((await invoke(name, args)) as ToolResult).output
}

function asArgument(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A project that has what the library is made of, and no index of it. */
function copiedSources(): string {
  const root = makeTree({ 'package.json': '{ "type": "module" }' })
  for (const folder of ['skills', 'src', 'workspace']) {
    const filter = (path: string): boolean => !path.includes('.agent-apps')
    cpSync(join(ROOT, folder), join(root, folder), { recursive: true, filter })
  }
  mkdirSync(join(root, 'node_modules'))
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
  symlinkSync(ROOT, join(root, 'node_modules/agent-apps'))
  return root
}
