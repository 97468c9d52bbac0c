import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, findAuthority, type PathEntry, type Runtime, type ToolDef } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { INDEX_FILE } from '../../src/index/index-format.js'
import type { ListColumns } from '../../src/index/list-columns.js'
import { codeSkills } from '../support/code-project.js'
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
  it.each<[string, PathEntry[]]>([
    ['two directories', ['first', 'second']],
    ['a namespace', ['second', { dir: 'first', namespace: 'acme' }]],
  ])('says what its shards say: %s', async (_, paths) => {
    const [byList, byShards] = [copyOf(cwd), copyOf(cwd)]
    for (const dir of [byList, byShards]) await compile({ cwd: dir, paths })
    for (const path of ['first', 'second']) forgetList(join(byShards, path))
    const [listed, recorded] = [await said(byList, paths), await said(byShards, paths)]
    expect(listed.tools.length).toBeGreaterThan(140)
    expect(listed).toEqual(recorded)
  })

  it('has the tools that their names find, with fields that are their own', async () => {
    const runtime = createRuntime({ cwd, paths: ['first'], freshness: 'trust' })
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

  it('is not changed by a program that changes a tool', async () => {
    const runtime = createRuntime({ cwd, paths: ['first'], freshness: 'trust' })
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
    const dir = copyOf(cwd)
    await compile({ cwd: dir, paths: ['first'] })
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

  it('is opened anew where the index was replaced, and its tools run', async () => {
    const dir = copyOf(cwd)
    await compile({ cwd: dir, paths: ['first'] })
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

/** All that is said of the tools, and to an agent. */
async function said(dir: string, paths: PathEntry[]) {
  const runtime = createRuntime({ cwd: dir, paths, freshness: 'trust' })
  const tools = await runtime.listTools()
  const agent = runtime.forAgent({ deny: 'good-1', rules: '-good-2' })
  const names = (all: readonly { name: string }[]): string[] => all.map(({ name }) => name)
  return inside(dir, {
    tools: await Promise.all(tools.map(tool => toolSaid(tool, runtime))),
    agents: names(await agent.listTools()),
    offered: (await agent.offer()).withheld.map(({ tool, why }) => [tool.name, why]),
    catalog: (await agent.catalog({ budget: 1_000 })).text,
    hits: (await agent.search('another third')).map(({ tool, score }) => [tool.name, score]),
    diagnostics: runtime.diagnostics(),
  })
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

function copyOf(dir: string): string {
  const copy = temporary()
  cpSync(dir, copy, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return copy
}

function listFileOf(dir: string): string {
  const folder = join(dir, '.agent-apps')
  return join(folder, readdirSync(folder).find(name => name.startsWith('list-')) ?? '')
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

/** Makes an index one that an older version wrote, which has no list. */
function forgetList(dir: string): void {
  rmSync(listFileOf(dir))
  const header = join(dir, INDEX_FILE)
  writeFileSync(header, readFileSync(header, 'utf8').replace(/^"list":.*\n/m, ''))
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
