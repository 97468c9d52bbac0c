import { createHash } from 'node:crypto'
import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type AgentCatalogOptions,
  type AgentPolicy,
  createRuntime,
  findAuthority,
  type PathEntry,
  type Runtime,
  type ToolDef,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { INDEX_FILE } from '../../src/index/index-format.js'
import type { ListColumns } from '../../src/index/list-columns.js'
import { searchDirectories } from '../../src/skill/path-entry.js'
import { codeSkills } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { forgetList, listFileOf } from '../support/list-file.js'
import { isLong, oneIn } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, skill, type Tree } from '../support/tree.js'

const CODE = `export const frontmatter = { name: 'coded', description: 'Codes.', params: { type: 'object' } }
export default () => 'coded'\n`

/** One of everything that a list shows, among enough skills for an index of shards. */
const FIRST: Tree = {
  ...goodSkills(130),
  'SKILL.md': skill('top', 'Top.\n', 'metadata: { role: main, trust: { rules: "-good-7" } }\n'),
  'deep/SKILL.md': skill('deep', 'Deep.\n', 'metadata: { role: main }\n'),
  'deep/er/inner/SKILL.md': skill(
    'inner',
    'Inner.\n',
    'license: MIT\nmetadata: { tags: [Quality], author: { name: me } }\n',
  ),
  'several.skill.md': `${skill('one', 'One.\n')}\n${skill('two', 'Two.\n', 'metadata: { role: context }\n')}`,
  'broken/SKILL.md': '---\nname: broken\n',
  'main-broken.skill.md': '---\nname: main-broken\nmetadata: { role: main }\n  wrong: x\n---\n',
  'hidden.skill.md': skill('hidden', 'Hidden.\n', 'metadata: { visibility: hidden }\n'),
  'guarded.skill.md': skill('guarded', 'Guarded.\n', 'metadata: { permissions: { required: [write] } }\n'),
  'requiring.skill.md': skill('requiring', 'Requires.\n', 'metadata: { requires-tools: none-such }\n'),
  'around.skill.js':
    "export const frontmatter = { name: 'around', metadata: { role: 'middleware' } }\nexport default (ctx, next) => next()\n",
  'coded.skill.js': CODE,
  'silent.skill.md': '---\nname: silent\n---\nNo description.\n',
}

/** Shadowed, and shadowing what the first broke. */
const SECOND: Tree = {
  ...goodSkills(140),
  'good-3/SKILL.md': skill('good-3', 'Another third.\n'),
  'broken/SKILL.md': skill('broken', 'Not broken here.\n'),
  'coded.skill.js': CODE,
  'guarded.skill.md': skill('guarded', 'Guarded.\n', 'metadata: { permissions: { required: [write] } }\n'),
  'requiring.skill.md': skill('requiring', 'Requires.\n', 'metadata: { requires-tools: none-such }\n'),
  'first.skill.md': skill('first', 'First.\n', 'metadata: { catalog: always }\n'),
  'never.skill.md': skill('never', 'Never.\n', 'metadata: { catalog: never }\n'),
  'off.skill.md': skill('off', 'Off.\n', 'metadata: { enabled: false }\n'),
  'hidden.skill.md': skill('hidden', 'Hidden.\n', 'metadata: { visibility: hidden }\n'),
  'silent.skill.md': '---\nname: silent\n---\nNo description.\n',
}

let cwd: string
beforeAll(() => {
  cwd = codeSkills({
    ...prefixed('first', FIRST),
    ...prefixed('second', SECOND),
  }).dir
})

function prefixed(folder: string, tree: Tree): Tree {
  return Object.fromEntries(Object.entries(tree).map(([path, item]) => [`${folder}/${path}`, item]))
}

describe('a list of an index', () => {
  const PATHS: [string, PathEntry[]][] = [
    ['two directories', ['first', 'second']],
    ['a namespace', ['second', { dir: 'first', namespace: 'acme' }]],
    ['no main skill, and so no rules', ['second']],
  ]
  it.each(oneIn(3, PATHS))('says what its shards say: %s', async (_, paths) => {
    const byList = copyOf(cwd)
    writeFileSync(join(byList, 'agent-apps.config.json'), JSON.stringify({ paths }))
    await compile({ cwd: byList })
    const byShards = copyOf(byList)
    for (const { dir } of searchDirectories(paths)) forgetList(join(byShards, dir))
    const [listed, recorded] = [await said(byList, paths), await said(byShards, paths)]
    expect(listed.tools.length).toBeGreaterThan(140)
    expect(listed.commands[0]).toContain('"via": "index"')
    if (isLong) expect(listed.skills?.length).toBeGreaterThan(100)
    expect(listed).toEqual(recorded)
  })

  it('has the tools that their names find, with fields that are their own', async () => {
    const runtime = await compiled('first')
    const found = await runtime.findTool('inner')
    const tools = await runtime.listTools()
    for (const name of ['inner', 'two', 'coded', 'good-4']) {
      const tool = tools.find(one => one.name === name)
      expect(await runtime.findTool(name)).toBe(tool)
      expect(Object.keys({ ...tool })).toEqual(expect.arrayContaining(['frontmatter', 'origin', 'fn', 'src']))
      expect('content' in (tool ?? {})).toBe(name !== 'coded')
      expect(tool?.frontmatter).toBe(tool?.frontmatter)
    }
    expect(tools).toContain(found)
    expect(await runtime.invoke('coded', {})).toBe('coded')
  })

  it('is asked again about a tool that a program changed, in its runtime alone', async () => {
    const changing = await compiled('second')
    const { cwd: dir = '' } = changing.globals.config
    const other = createRuntime({ cwd: dir, paths: ['second'], freshness: 'trust' })
    const tool = (await changing.listTools()).find(({ name }) => name === 'good-4')
    Object.assign(tool?.frontmatter.metadata ?? {}, { enabled: false })
    expect((await changing.forAgent().catalog()).described).not.toContain('good-4')
    expect((await other.forAgent().catalog()).described).toContain('good-4')
  })

  it('hands an agent tools with fields that are their own, however they were decided about', async () => {
    const runtime = await compiled('second')
    const agent = runtime.forAgent()
    await agent.catalog()
    const tools = [
      async () => (await agent.search('another third'))[0]?.tool,
      async () => (await agent.listTools())[1],
      async () => (await agent.offer()).tools[2],
    ]
    for (const asked of tools) {
      const tool = await asked()
      expect(Object.keys({ ...tool })).toEqual(expect.arrayContaining(['frontmatter', 'origin', 'fn', 'src']))
      expect(tool).toBe(await runtime.findTool(tool?.name ?? ''))
    }
  })

  it('is not changed by a program that changes a tool', async () => {
    const runtime = await compiled('first')
    const tool = (await runtime.listTools()).find(({ name }) => name === 'inner')
    Object.assign(tool?.frontmatter.metadata ?? {}, { author: 'another' })
    if (tool) tool.fn = async () => 'replaced'
    expect(await runtime.findTool('inner')).toBe(tool)
    expect(await tool?.fn()).toBe('replaced')
    expect(runtime.diagnostics().map(({ rule }) => rule)).not.toContain('index-refused')
  })
})

describe('a list that is not of the index', () => {
  const refused = async (change: (dir: string) => void, name = 'good-5'): Promise<string> => {
    const dir = await compiledCopy('first')
    change(join(dir, 'first'))
    const runtime = createRuntime({ cwd: dir, paths: ['first'], freshness: 'trust' })
    await runtime.listTools()
    const tool = await runtime.findTool(name)
    expect(tool?.origin.via).toBe('disk')
    expect(tool?.frontmatter.description).toBe(`What ${name} does.`)
    const tools = await runtime.listTools()
    expect(tools.find(one => one.name === name)).toBe(tool)
    return runtime.diagnostics().find(({ rule }) => rule === 'index-refused')?.reason ?? ''
  }

  it('is refused where it is cut off, and where it is missing', async () => {
    expect(
      await refused(dir => {
        const file = listFileOf(dir)
        writeFileSync(file, readFileSync(file).subarray(0, 1_000))
      }),
    ).toContain('its list was changed')
    expect(await refused(dir => rmSync(listFileOf(dir)))).toContain('a part is missing')
  })

  it('is refused where it was swapped with that of another directory', async () => {
    const list = readFileSync(listFileOf(join(await compiledCopy('second'), 'second')))
    expect(await refused(dir => writeFileSync(listFileOf(dir), list))).toContain('its list was changed')
    // The rows of another directory are whole: only a record can contradict them.
    expect(await refused(dir => replaceList(dir, list.toString()), 'good-3')).toContain(
      'the record of "good-3" differs from its row in the list',
    )
  })

  it('is refused where it is that of another compile', async () => {
    const other = copyOf(cwd)
    writeFileSync(join(other, 'first/good-5/SKILL.md'), skill('good-5', 'Other.\n', 'license: MIT\n'))
    await compile({ cwd: other, paths: ['first'] })
    const list = readFileSync(listFileOf(join(other, 'first')))
    expect(await refused(dir => writeFileSync(listFileOf(dir), list))).toContain('its list was changed')
    // With its own digest, it is believed until a record says something else.
    expect(await refused(dir => replaceList(dir, list.toString()))).toContain(
      'the record of "good-5" differs from its row in the list',
    )
  })

  it.each<[string, (columns: ListColumns) => object]>([
    ['another description', columns => changed(columns, 'descriptions', 'Does all.')],
    ['another file', columns => changed(columns, 'files', 'good-6/SKILL.md')],
    ['other metadata', columns => changed(columns, 'more', { frontmatter: { metadata: { a: 1 } } })],
    ['no row', without],
  ])('is refused where a record contradicts it: %s', async (_, change) => {
    expect(await refused(dir => replaceList(dir, JSON.stringify(change(columnsOf(dir)), null, 1)))).toContain(
      'differs from its row in the list',
    )
  })

  it('is refused where a value is nested so deeply that copying it would overflow the stack', async () => {
    const reason = await refused(dir => {
      const list = changed(columnsOf(dir), 'more', { frontmatter: { metadata: { a: 'put here' } } })
      const deep = '['.repeat(100_000) + ']'.repeat(100_000)
      replaceList(dir, JSON.stringify(list, null, 1).replace('"put here"', deep))
    })
    expect(reason).toContain('the row of "good-5" in its list is invalid')
  })

  it('is opened anew where the index was replaced, and its tools run', async () => {
    const dir = await compiledCopy('first')
    const runtime = createRuntime({ cwd: dir, paths: ['first'], freshness: 'trust' })
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
    writeFileSync(join(dir, 'first/good-5/SKILL.md'), skill('good-5', 'Fifth, again.\n', 'license: MIT\n'))
    await compile({ cwd: dir, paths: ['first'] })
    const tools = await runtime.listTools()
    expect(tools.find(({ name }) => name === 'good-5')?.frontmatter.license).toBe('MIT')
    writeFileSync(join(dir, 'first/coded.skill.js'), CODE.replace("'coded'\n", "'coded anew'\n"))
    await compile({ cwd: dir, paths: ['first'] })
    expect(await tools.find(({ name }) => name === 'good-5')?.fn()).toBe('Fifth, again.\n')
    expect(runtime.diagnostics().map(({ rule }) => rule)).not.toContain('index-refused')
  })
})

const CATALOGS: AgentCatalogOptions<ToolDef>[] = [
  {},
  { location: true },
  { budget: 300 },
  { budget: 1_000, format: 'json', content: ({ name }) => `The content of ${name}.` },
  { budget: 500, format: 'markdown', library: true, namesFirst: true },
  { budget: 4_000, available: ['none-such'], for: 'another third' },
]

/** All that is said of the tools, and to an agent. */
async function said(dir: string, paths: PathEntry[]) {
  const runtime = createRuntime({ cwd: dir, paths, freshness: 'trust' })
  const tools = await runtime.listTools()
  // Each catalog gets a new runtime, which decides by rows: reading a field of a tool would end that.
  const fresh = (policy?: AgentPolicy) =>
    createRuntime({ cwd: dir, paths, freshness: 'trust' }).forAgent(policy)
  const policies = [{ deny: 'good-1', rules: '-good-2' }, {}, { allowedTools: [] }, { allow: 'good-1*' }]
  const agent = fresh(policies[0])
  const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name)
  const commands: string[] = []
  for (const args of oneIn(2, [
    ['list', '--json', '--hidden', '--library'],
    ['catalog', '--json'],
  ]))
    commands.push((await agentApps(dir, [...args])).stdout)
  // Without token counts, which depend on the directory's path if the text has locations.
  return inside(dir, {
    tools: await Promise.all(tools.map(tool => toolSaid(tool, runtime))),
    agents: names(await agent.listTools()),
    offered: (await agent.offer()).withheld.map(({ tool, why }) => [tool.name, why]),
    catalogs: await Promise.all(
      oneIn(
        5,
        policies.flatMap(policy => CATALOGS.map(options => ({ policy, options }))),
      ).map(async ({ policy, options }) => ({ ...(await fresh(policy).catalog(options)), tokens: null })),
    ),
    hits: (await agent.search('another third')).map(({ tool, score }) => [tool.name, score]),
    diagnostics: runtime.diagnostics(),
    // In the long tests alone, because MCP's packages take long to load.
    skills: isLong ? await servedBy(createRuntime({ cwd: dir, paths, freshness: 'trust' })) : null,
    commands,
  })
}

/** The skills that an MCP server lists. */
async function servedBy(runtime: Runtime) {
  const { SkillsClient } = await import('@modelcontextprotocol/client/ext/skills')
  const { serveSkills } = await import('agent-apps/mcp')
  const { connectedTo } = await import('../support/mcp-project.js')
  const client = await connectedTo(runtime, serveSkills(runtime, { onRefused: () => {} }))
  return (await new SkillsClient(client).list()).skills
}

async function toolSaid(tool: ToolDef, { globals }: Runtime) {
  const { content, fn: _, load: __, source, ...fields } = tool
  const text = await content?.()
  const bytes = (await source?.())?.length
  return { ...fields, text, bytes, main: (await findAuthority(tool, globals))?.name }
}

/** A value without the place of its directory. */
function inside<Value extends object>(dir: string, value: Value): Value {
  return JSON.parse(JSON.stringify(value).replaceAll(dir, ''))
}

const compiledOnes = new Map<string, Promise<string>>()

/** The project with one of its directories compiled, which is done once. */
function compiledOnce(path: 'first' | 'second'): Promise<string> {
  const once = async (): Promise<string> => {
    const dir = temporary()
    cpSync(join(cwd, path), join(dir, path), { recursive: true, preserveTimestamps: true })
    await compile({ cwd: dir, paths: [path] })
    return dir
  }
  const made = compiledOnes.get(path) ?? once()
  compiledOnes.set(path, made)
  return made
}

async function compiledCopy(path: 'first' | 'second'): Promise<string> {
  return copyOf(await compiledOnce(path))
}

/** A runtime over a compiled directory. */
async function compiled(path: 'first' | 'second'): Promise<Runtime> {
  const dir = await compiledOnce(path)
  const runtime = createRuntime({ cwd: dir, paths: [path], freshness: 'trust' })
  expect((await runtime.findTool('good-4'))?.origin.via).toBe('index')
  return createRuntime({ cwd: dir, paths: [path], freshness: 'trust' })
}

function copyOf(dir: string): string {
  const copy = temporary()
  cpSync(dir, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return copy
}

function columnsOf(dir: string): ListColumns {
  return JSON.parse(readFileSync(listFileOf(dir), 'utf8'))
}

/** Gives an index another list, under that list's own digest. */
function replaceList(dir: string, text: string): void {
  const file = listFileOf(dir)
  const before = file.slice(-'.json'.length - 32, -'.json'.length)
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 32)
  writeFileSync(file, text)
  renameSync(file, file.replace(before, digest))
  const header = join(dir, INDEX_FILE)
  writeFileSync(header, readFileSync(header, 'utf8').replace(before, digest))
}

function changed(columns: ListColumns, column: 'descriptions' | 'files' | 'more', value: unknown): object {
  const at = columns.names.indexOf('good-5')
  return { ...columns, [column]: columns[column].map((item, row) => (row === at ? value : item)) }
}

/** The list without the row of a skill. */
function without(columns: ListColumns): object {
  const at = columns.names.indexOf('good-5')
  const others = (items: string | readonly unknown[]) =>
    typeof items === 'string'
      ? items.slice(0, at) + items.slice(at + 1)
      : items.filter((_, row) => row !== at)
  const { folders, mains, ...rows } = columns
  return {
    folders,
    mains,
    ...Object.fromEntries(Object.entries(rows).map(([column, items]) => [column, others(items)])),
  }
}
