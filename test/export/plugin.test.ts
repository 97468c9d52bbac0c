import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { check } from 'agent-apps/compiler'
import { describe, expect, it, onTestFinished } from 'vitest'
import { EXPORT_PROJECT, exported, movedAway } from '../support/export-project.js'
import { isLong, some } from '../support/long.js'
import { clientOf, ERAS, type Era } from '../support/mcp-project.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, snapshot, type Tree } from '../support/tree.js'

const json = (...path: string[]): unknown => JSON.parse(readFileSync(join(...path), 'utf8'))

/** Starts the server of an exported plugin as Claude Code does, from where it was moved to. */
async function started(dir: string, era: Era, answers?: string[]) {
  const root = movedAway(dir)
  const { mcpServers } = json(root, '.mcp.json') as {
    mcpServers: Record<string, { command: string; args: string[] }>
  }
  const [server] = Object.values(mcpServers)
  const transport = new StdioClientTransport({
    command: server?.command ?? '',
    args: (server?.args ?? []).map(argument => argument.replace('${CLAUDE_PLUGIN_ROOT}', root)),
    cwd: temporary(),
    env: { PATH: `${join(process.execPath, '..')}:${process.env.PATH}`, HOME: temporary() },
    stderr: 'pipe',
  })
  let said = ''
  transport.stderr?.on('data', chunk => {
    said += chunk
  })
  const client = clientOf(era, answers === undefined ? {} : { capabilities: { elicitation: { form: {} } } })
  const questions: string[] = []
  if (answers !== undefined)
    client.setRequestHandler('elicitation/create', ({ params }) => {
      questions.push(params.message)
      return { action: 'accept' as const, content: { answer: answers.shift() ?? '' } }
    })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, questions, said: () => said, root }
}

let whole: ReturnType<typeof exported> | undefined

/** The plugin of the whole project, which is exported once. */
function plugin(): ReturnType<typeof exported> {
  whole ??= exported('plugin')
  return whole
}

describe('a plugin', () => {
  it('has a manifest, its skills and a server, and nothing else', async () => {
    const { dir, result } = await plugin()
    const files = Object.entries(snapshot(dir)).filter(([, item]) => !item.endsWith('folder'))
    expect(files.map(([path]) => path)).toEqual([
      '.agent-apps-export.json',
      '.claude-plugin/plugin.json',
      '.mcp.json',
      'skills/lint/SKILL.md',
      'skills/pdf/SKILL.md',
      'skills/review/SKILL.md',
      'skills/review/logo.png',
      'skills/review/references/naïve names.md',
      'skills/review/scripts/run.sh',
      'tools/THIRD-PARTY.txt',
      'tools/server.mjs',
    ])
    const licences = readFileSync(join(dir, 'tools/THIRD-PARTY.txt'), 'utf8')
    expect(licences).toMatch(/^@modelcontextprotocol\/server \d\S+ \(Apache-2\.0\)$/m)
    expect(licences).toContain('TERMS AND CONDITIONS FOR USE, REPRODUCTION, AND DISTRIBUTION')
    expect(json(dir, '.claude-plugin/plugin.json')).toEqual({
      name: 'acme-kit',
      version: '1.2.3',
      description: 'What Acme uses.',
    })
    expect(json(dir, '.mcp.json')).toEqual({
      mcpServers: { tools: { command: 'node', args: ['${CLAUDE_PLUGIN_ROOT}/tools/server.mjs'] } },
    })
    expect(result).toMatchObject({ tools: ['word-count'], leftOut: [] })
  })

  it('is one for agent-apps too, under its name', async () => {
    const { skills, diagnostics } = await check({ cwd: (await plugin()).dir })
    const names = ['acme-kit:lint', 'acme-kit:pdf', 'acme-kit:review']
    expect(skills.map(({ name }) => name).sort()).toEqual(names)
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it('has a server only for code', async () => {
    const texts = await exported('plugin', { patterns: ['pdf'] })
    expect(readdirSync(texts.dir).sort()).toEqual(['.agent-apps-export.json', '.claude-plugin', 'skills'])
  })

  it.runIf(isLong)('has skills only where there are some', async () => {
    const code = await exported('plugin', { patterns: ['word-count'] })
    expect(readdirSync(code.dir).sort()).toEqual([
      '.agent-apps-export.json',
      '.claude-plugin',
      '.mcp.json',
      'tools',
    ])
  })

  it('is named as it is told to be, or like the package, or its folder', async () => {
    const { 'package.json': _, ...tree } = EXPORT_PROJECT
    const { dir, cwd } = await exported('plugin', { tree, patterns: ['pdf'] })
    const named = await exported('plugin', { name: 'office', patterns: ['pdf'] })
    const nameIn = (folder: string) => (json(folder, '.claude-plugin/plugin.json') as { name: string }).name
    expect([nameIn(dir), nameIn(named.dir)]).toEqual([basename(cwd).toLowerCase(), 'office'])
    const { skills } = await check({ cwd: named.dir })
    expect(skills.map(({ name }) => name)).toEqual(['office:pdf'])
    for (const wrong of ['Kit', 'k', 'npm', 'a:b', '../a', ''])
      await expect(exported('plugin', { name: wrong })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })

  it('is made without a project’s errors, or not at all', { tags: 'long' }, async () => {
    const broken =
      "import x from 'no-such-package'\nexport const frontmatter = { name: 'b', description: 'B.' }\nexport default () => x\n"
    const tree = { ...EXPORT_PROJECT, 'skills/b.skill.mjs': broken }
    await expect(exported('plugin', { tree })).rejects.toMatchObject({
      code: 'EXPORT_FAILED',
      message: expect.stringContaining('no-such-package'),
      file: expect.stringMatching(/skills\/b\.skill\.mjs$/),
      position: { line: 1, column: expect.any(Number) },
    })
  })
})

const TOOLS: Tree = {
  ...EXPORT_PROJECT,
  'agent-apps.config.json': JSON.stringify({ paths: [{ dir: './skills', namespace: 'acme' }] }),
  'skills/words/SKILL.md': skill('words', 'Names words.\n', 'metadata: { delegate: ./words.mjs }\n'),
  'skills/words/words.mjs': `
    import { readFile } from 'node:fs/promises'
    export default async () => (await readFile(new URL('./words.txt', import.meta.url), 'utf8')).trim()
  `,
  'skills/words/words.txt': 'one two\n',
  'skills/save.skill.mjs': `
    export const frontmatter = { name: 'save', description: 'Saves.', metadata: { permissions: { required: ['write'] } } }
    export default () => 'saved'
  `,
  'skills/timer.skill.mjs': `
    export const frontmatter = { name: 'timer', description: 'Goes on.' }
    export default () => { setInterval(() => {}, 1000); return 'started' }
  `,
  'skills/helper.skill.mjs': `
    export const frontmatter = { name: 'helper', description: 'Helps.', metadata: { visibility: 'hidden' } }
    export default () => 'helped'
  `,
  'skills/caller.skill.mjs': `
    export const frontmatter = { name: 'caller', description: 'Calls.', metadata: { delegate: 'helper', params: { type: 'object' } } }
    export default ctx => ctx.manager.invoke('helper')
  `,
}

let made: Promise<string> | undefined

/** A plugin with these tools, which is exported once. */
function toolsPlugin(): Promise<string> {
  made ??= exported('plugin', { tree: TOOLS }).then(({ dir }) => dir)
  return made
}

describe.each(some(ERAS))('the server of a plugin, as a client of %s sees it', era => {
  it('has the code of the plugin where nothing else is installed', { tags: 'long' }, async () => {
    const { client, said } = await started(await toolsPlugin(), era)
    expect(client.getServerVersion()).toMatchObject({ name: 'acme-kit', version: '1.2.3' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'acme__caller',
      'acme__save',
      'acme__timer',
      'acme__word-count',
      'acme__words',
    ])
    expect(tools[3]).toMatchObject({ description: 'Counts words.', inputSchema: { required: ['text'] } })
    const call = (name: string, args = {}): Promise<unknown> => client.callTool({ name, arguments: args })
    expect(await call('acme__word-count', { text: 'a b c' })).toMatchObject({
      content: [{ text: '3 words' }],
    })
    expect(said()).toContain('noise on standard output')
    expect(await call('acme__words')).toMatchObject({ content: [{ text: 'one two' }] })
    expect(await call('acme__caller')).toMatchObject({ content: [{ text: 'helped' }] })
    // This client cannot ask a person.
    expect(JSON.stringify(await call('acme__save'))).toContain('APPROVAL_UNAVAILABLE')
  })

  it('asks the person at the client before a tool writes', { tags: 'long' }, async () => {
    const { client, questions } = await started(await toolsPlugin(), era, ['allow-once', 'deny'])
    const call = { name: 'acme__save', arguments: {} }
    expect(await client.callTool(call)).toMatchObject({ content: [{ text: 'saved' }] })
    expect(questions).toHaveLength(1)
    expect(await client.callTool(call)).toMatchObject({ isError: true })
    expect(questions).toHaveLength(2)
  })
})

it('the server ends with its client, whatever a tool has left running', { tags: 'long' }, async () => {
  const server = spawn(process.execPath, [join(await toolsPlugin(), 'tools/server.mjs')])
  const ended = once(server, 'exit')
  const ask = (id: number, method: string, params: object): void =>
    void server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
  const lines = createInterface(server.stdout)[Symbol.asyncIterator]()
  const clientInfo = { name: 'test', version: '1' }
  ask(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })
  await lines.next()
  ask(2, 'tools/call', { name: 'acme__timer', arguments: {} })
  expect((await lines.next()).value).toContain('started')
  server.stdin.end()
  expect(await ended).toEqual([0, null])
})

it.runIf(isLong)('without the packages of the protocol, the error names them', () => {
  const folder = makeTree(EXPORT_PROJECT)
  const packages = join(folder, 'node_modules')
  mkdirSync(join(packages, 'agent-apps'), { recursive: true })
  for (const part of ['dist', 'skills', 'package.json'])
    cpSync(join(ROOT, part), join(packages, 'agent-apps', part), { recursive: true })
  for (const name of readdirSync(join(ROOT, 'node_modules')))
    if (!name.startsWith('.') && name !== '@modelcontextprotocol')
      symlinkSync(join(ROOT, 'node_modules', name), join(packages, name))
  const code = `
    import { exportSkills } from 'agent-apps/export'
    await exportSkills({ to: 'plugin', dir: 'out' }).catch(error => console.log(error.code, error.hint))
  `
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    encoding: 'utf8',
  })
  expect(stderr).toBe('')
  expect(stdout).toBe(
    "MODULE_MISSING The plugin's server needs it: run `npm install @modelcontextprotocol/server`.\n",
  )
  expect(existsSync(join(folder, 'out'))).toBe(false)
})
