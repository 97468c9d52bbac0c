import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createRuntime,
  findTool,
  invoke,
  isAgentAppsError,
  listTools,
  loadSkillsFromFile,
  type Runtime,
  readResource,
} from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ignoreMatcher } from '../../compiler/project/ignore-matcher.js'
import { isLong, oneIn } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { processorTime } from '../support/processor-time.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const BROKEN = '---\nname: broken\ndescription: Broken.\nlicense: [\n---\n'

const TREE = {
  'first/review/SKILL.md': skill('review', 'First review.\n'),
  'first/review/references/guide.md': 'Guide.\n',
  'first/review/assets/logo.bin': Buffer.from([0, 255, 1, 254]),
  'first/review/.env': 'SECRET=1\n',
  'first/pair.skill.md': `${skill('pair-one', 'One.\n\n')}${skill('pair-two', 'Two.\n')}`,
  'first/broken/SKILL.md': BROKEN,
  'second/review/SKILL.md': skill('review', 'Second review.\n'),
  'second/broken/SKILL.md': skill('broken', 'A sound one.\n'),
  'second/only/SKILL.md': skill('only', 'Only here.\n'),
  'third/review/SKILL.md': skill('review', 'Third review.\n'),
  'apart/lone/SKILL.md': skill('lone', 'Outside of all entries.\n'),
  'apart/with space.skill.md': skill('spaced', 'Spaced.\n'),
  'apart/bad.skill.md': '---\nname: bad\n---x\n',
  'secret.txt': 'secret\n',
}
const PATHS = ['first', { dir: 'second', external: true }, { dir: 'third', layer: 'global' as const }]

describe.each([
  ['compiled', 'trust'],
  ['compiled', 'check'],
  ['from disk', 'trust'],
  ['from disk', 'check'],
] as const)('%s, %s', (way, freshness) => {
  let shared = ''
  let cwd = ''
  let runtime: Runtime

  async function project(): Promise<string> {
    const root = makeTree(TREE)
    if (way === 'compiled')
      for (const dir of ['first', 'second', 'third']) await compile({ cwd: root, paths: [dir] })
    return root
  }

  function start(root: string): void {
    cwd = root
    runtime = createRuntime({ cwd, paths: PATHS, freshness })
  }

  beforeAll(async () => {
    shared = await project()
  })
  // What changes files starts anew in a project of its own.
  beforeEach(() => start(shared))

  const text = async (ref: string): Promise<string | undefined> => (await runtime.findTool(ref))?.content?.()

  it('a bare name: the first entry that has it', async () => {
    expect(await text('review')).toBe('First review.\n')
    expect(await text('only')).toBe('Only here.\n')
    expect(await text('pair-two')).toBe('Two.\n')
  })

  it('says where a tool comes from, and whom it shadows', async () => {
    const tool = await runtime.findTool('review')
    await runtime.listTools()
    expect(tool).toMatchObject({
      name: 'review',
      kind: 'folder',
      src: pathToFileURL(join(cwd, 'first/review/SKILL.md')).href,
      origin: {
        layer: 'project',
        entry: join(cwd, 'first'),
        file: 'review/SKILL.md',
        via: way === 'compiled' ? 'index' : 'disk',
      },
    })
    expect(tool?.origin.shadows).toEqual([
      { layer: 'project', entry: join(cwd, 'second'), file: 'review/SKILL.md' },
      { layer: 'global', entry: join(cwd, 'third'), file: 'review/SKILL.md' },
    ])
    expect((await runtime.findTool('pair-two'))?.src).toBe(
      `${pathToFileURL(join(cwd, 'first/pair.skill.md')).href}#pair-two`,
    )
    expect((await runtime.findTool('only'))?.origin.shadows).toEqual([])
  })

  it('gives a tool of which a copy has all fields', async () => {
    const tool = await runtime.findTool('review')
    const copy = { ...tool, origin: { ...tool?.origin } }
    expect(Object.keys(copy).sort()).toEqual([
      'content',
      'fn',
      'frontmatter',
      'kind',
      'label',
      'load',
      'name',
      'origin',
      'runs',
      'source',
      'src',
    ])
    expect(copy).toMatchObject({ runs: false, src: tool?.src, origin: { shadows: tool?.origin.shadows } })
    expect(await copy.content?.()).toBe('First review.\n')
    expect(JSON.parse(JSON.stringify(tool))).toMatchObject({ name: 'review', src: tool?.src, runs: false })
  })

  it.each(
    oneIn(3, [
      ['./first/review', 'First review.\n'],
      ['first/review/', 'First review.\n'],
      ['./second/review/SKILL.md', 'Second review.\n'],
      ['./first/pair.skill.md', 'One.\n\n'],
      ['./first/pair.skill.md#pair-one', 'One.\n\n'],
      ['./first/pair.skill.md#pair-two', 'Two.\n'],
      ['./first/../third/review', 'Third review.\n'],
      ['./apart/lone', 'Outside of all entries.\n'],
      ['apart/with space.skill.md', 'Spaced.\n'],
      ['layer://global/review', 'Third review.\n'],
      ['layer://project/review', 'First review.\n'],
      ['layer://project/only', 'Only here.\n'],
    ]),
  )('the reference %s', async (ref, content) => {
    expect(await text(ref)).toBe(content)
    expect(await runtime.render(ref)).toBe(content)
  })

  it.each([
    ['first/review/SKILL.md', '', 'First review.\n'],
    ['first/review', '', 'First review.\n'],
    ['first/pair.skill.md', '#pair-two', 'Two.\n'],
    ['apart/with space.skill.md', '#spaced', 'Spaced.\n'],
  ])('an absolute path and a file:// URI of %s%s', async (path, fragment, content) => {
    expect(await text(join(cwd, path) + fragment)).toBe(content)
    expect(await text(pathToFileURL(join(cwd, path)).href + fragment)).toBe(content)
  })

  it.each(
    oneIn(
      3,
      [
        '',
        ' ',
        'missing',
        'Review',
        'review ',
        'review#pair-one',
        'constructor',
        'a--b',
        'x'.repeat(65),
        './missing',
        './first',
        './secret.txt',
        './first/review/references/guide.md',
        './first/pair.skill.md#missing',
        './first/review#pair-one',
        '../../../etc/passwd',
        '/etc/passwd',
        'file:///etc/passwd',
        'file://elsewhere/etc/passwd',
        'file:///a%2Fb',
        'layer://global/only',
        'layer://nowhere/review',
        'layer://project/',
        'layer://project/a/b',
        'layer://project/../review',
        'mcp://server/tool',
        'inline://nonsense',
        'http://example.com/SKILL.md',
        'unknown://x',
        '\u0000',
        './\u0000',
        './first/review\u0000/SKILL.md',
        `./${'x/'.repeat(5_000)}`,
      ].map(ref => [ref.slice(0, 40), ref]),
    ),
  )('null for %j, each time', async (_, ref) => {
    expect(await runtime.findTool(ref)).toBeNull()
    expect(await runtime.findTool(ref)).toBeNull()
    await expect(runtime.render(ref)).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('a bare name whose file is broken is null, and no later entry takes its place', async () => {
    expect(await runtime.findTool('broken')).toBeNull()
    expect(runtime.diagnostics()).toMatchObject([
      {
        file: join(cwd, 'first/broken/SKILL.md'),
        line: 4,
        rule: 'yaml-syntax',
        severity: 'error',
        fatal: true,
      },
    ])
    const fault = {
      code: 'TOOL_BROKEN',
      tool: 'broken',
      file: join(cwd, 'first/broken/SKILL.md'),
      position: { line: 4 },
    }
    await expect(runtime.invoke('broken')).rejects.toMatchObject(fault)
    await expect(runtime.render('broken')).rejects.toThrow(/first\/broken\/SKILL\.md:4:\d+/)
    await expect(runtime.readResource('broken', 'x')).rejects.toMatchObject(fault)
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([
      'pair-one',
      'pair-two',
      'review',
      'only',
    ])
    expect(await text('layer://project/broken')).toBeUndefined()
  })

  it('a path or URI of a broken file throws', async () => {
    for (const path of ['first/broken', 'first/broken/SKILL.md', 'apart/bad.skill.md']) {
      await expect(runtime.findTool(`./${path}`)).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
      await expect(runtime.findTool(pathToFileURL(join(cwd, path)).href)).rejects.toSatisfy(isAgentAppsError)
    }
  })

  it('lists each entry by name, shadowed names once', async () => {
    const tools = await ownTools(runtime)
    expect(tools.map(tool => [tool.name, tool.origin.entry.slice(cwd.length + 1)])).toEqual([
      ['pair-one', 'first'],
      ['pair-two', 'first'],
      ['review', 'first'],
      ['only', 'second'],
    ])
    for (const tool of tools) expect(await runtime.findTool(tool.name)).toBe(tool)
  })

  it('gives one object for one tool, also to calls at the same time', async () => {
    const tools = await Promise.all(Array.from({ length: 50 }, () => runtime.findTool('review')))
    expect(new Set(tools).size).toBe(1)
    expect(runtime.stats().via[way === 'compiled' ? 'index' : 'disk']).toBe(1)
  })

  it('counts what was found and missed', async () => {
    await runtime.findTool('review')
    await runtime.findTool('only')
    expect(runtime.stats().missing).toBe(0)
    await runtime.findTool('nothing-there')
    const { via, missing, parser } = runtime.stats()
    expect(way === 'compiled' ? via.index : via.disk).toBe(2)
    expect([missing, parser]).toEqual([1, way === 'compiled' ? 'unused' : 'loaded'])
  })

  it('reads resources, byte for byte', async () => {
    expect(Buffer.from(await runtime.readResource('review', 'assets/logo.bin'))).toEqual(
      TREE['first/review/assets/logo.bin'],
    )
    expect(String(Buffer.from(await runtime.readResource('review', 'references/guide.md')))).toBe('Guide.\n')
    expect((await runtime.describe('review')).resources.map(({ path, size }) => [path, size])).toEqual([
      ['assets/logo.bin', 4],
      ['references/guide.md', 7],
    ])
    expect(Buffer.from(await runtime.readResource('review', 'SKILL.md'))).toEqual(
      Buffer.from(TREE['first/review/SKILL.md']),
    )
  })

  it.each(
    oneIn(3, [
      'missing.md',
      'skill.md',
      './SKILL.md',
      '.env',
      '',
      '.',
      '..',
      '../review/references/guide.md',
      '../../secret.txt',
      'references/../references/guide.md',
      'references/../../../secret.txt',
      './references/guide.md',
      '/etc/passwd',
      'references\\guide.md',
      'references/guide.md\u0000',
      '__proto__',
      'constructor',
    ]),
  )('refuses the resource %j', async path => {
    await expect(runtime.readResource('review', path)).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
      tool: 'review',
    })
  })

  it('refuses a resource in whose place a link was put that leads out', async () => {
    start(await project())
    expect(await runtime.describe('review')).toBeDefined()
    rmSync(join(cwd, 'first/review/references/guide.md'))
    symlinkSync(join(cwd, 'secret.txt'), join(cwd, 'first/review/references/guide.md'))
    await expect(runtime.readResource('review', 'references/guide.md')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
    rmSync(join(cwd, 'first/review/assets'), { recursive: true })
    writeTree(cwd, { 'outside/logo.bin': 'xxxx' })
    symlinkSync(join(cwd, 'outside'), join(cwd, 'first/review/assets'))
    await expect(runtime.readResource('review', 'assets/logo.bin')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
  })

  it('refuses content in whose place a link was put that leads out', async () => {
    start(await project())
    const tool = await runtime.findTool('review')
    writeFileSync(join(cwd, 'stolen.md'), skill('review', 'Stolen again.\n'))
    rmSync(join(cwd, 'first/review/SKILL.md'))
    symlinkSync(join(cwd, 'stolen.md'), join(cwd, 'first/review/SKILL.md'))
    const outcome = await tool?.content?.().catch((error: unknown) => error)
    expect(outcome).toSatisfy(isAgentAppsError)
    const again = await runtime.findTool('./first/review').catch((error: unknown) => error)
    expect(again).not.toMatchObject({ origin: { via: 'disk' } })
  })

  it('refuses arguments that a tool does not take', async () => {
    await expect(runtime.invoke('review', { a: 1 })).rejects.toMatchObject({
      code: 'ARGS_INVALID',
      tool: 'review',
    })
    expect(await runtime.invoke('review', {})).toBe('First review.\n')
    expect(await runtime.invoke('review')).toBe('First review.\n')
  })

  it('suggests the nearest name', async () => {
    await runtime.listTools()
    await expect(runtime.invoke('reveiw')).rejects.toMatchObject({
      hint: expect.stringContaining('"review"') as string,
    })
    await expect(runtime.readResource('review', 'references/giude.md')).rejects.toMatchObject({
      hint: expect.stringContaining('"references/guide.md"') as string,
    })
  })

  it('loads all tools of a file', async () => {
    const load = async (path: string): Promise<string[]> =>
      (await loadSkillsFromFile(path, runtime.globals)).map(({ name }) => name)
    expect(await load('first/pair.skill.md')).toEqual(['pair-one', 'pair-two'])
    expect(await load('first/review')).toEqual(['review'])
    expect(await load(join(cwd, 'apart/lone/SKILL.md'))).toEqual(['lone'])
    expect(await load('nowhere.skill.md')).toEqual([])
    expect(await load('secret.txt')).toEqual([])
    await expect(load('first/broken')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
  })

  it('works through the functions as through the runtime', async () => {
    const { globals } = runtime
    expect(await findTool('review', globals)).toBe(await runtime.findTool('review'))
    expect(await listTools(globals)).toEqual(await runtime.listTools())
    expect(await invoke('review', undefined, globals)).toBe('First review.\n')
    expect(await readResource('review', 'references/guide.md', globals)).toHaveLength(7)
  })
})

describe('entries', () => {
  it('a name in an indexed later entry comes before the disk of an earlier indexed one', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a'), 'two/b/SKILL.md': skill('b') })
    await compile({ cwd, paths: ['one'] })
    await compile({ cwd, paths: ['two'] })
    const runtime = createRuntime({ cwd, paths: ['one', 'two'], freshness: 'trust' })
    await runtime.findTool('b')
    expect(runtime.stats().parser).toBe('unused')
  })

  it('an entry without an index is read in its place', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a', 'One.\n'), 'two/a/SKILL.md': skill('a', 'Two.\n') })
    await compile({ cwd, paths: ['two'] })
    const runtime = createRuntime({ cwd, paths: ['one', 'two'], freshness: 'trust' })
    expect(await runtime.render('a')).toBe('One.\n')
  })

  it.each(['trust', 'check'] as const)(
    'what is found in an entry without an index has no other entry read, %s',
    async freshness => {
      const cwd = makeTree({
        'one/a/SKILL.md': skill('a'),
        'one/timeout/SKILL.md': skill('timeout'),
        'two/a/SKILL.md': skill('a'),
        'three/a/SKILL.md': skill('a'),
      })
      await compile({ cwd, paths: ['two'] })
      const runtime = createRuntime({ cwd, paths: ['one', 'two', 'three'], freshness })
      const read = (): string[] => [...runtime.globals.cache.nameIndex.keys()]
      const two = { layer: 'project', entry: join(cwd, 'two'), file: 'a/SKILL.md' }
      const three = { layer: 'project', entry: join(cwd, 'three'), file: 'a/SKILL.md' }

      const a = await runtime.findTool('a')
      expect(a?.origin.via).toBe('disk')
      expect(read()).toEqual([join(cwd, 'one')])
      expect(a?.origin.shadows).toEqual([two])
      const timeout = await runtime.findTool('timeout')
      expect(timeout?.origin.shadows).toMatchObject([{ layer: 'bundled', file: 'timeout.skill.ts' }])
      expect(read()).toEqual([join(cwd, 'one')])

      expect((await runtime.describe('a')).tool.origin.shadows).toEqual([two, three])
      expect(read()).toEqual([join(cwd, 'one'), join(cwd, 'three')])
    },
  )

  it.each(['trust', 'check'] as const)(
    'what is found by an index is described with what it shadows where there is none, %s',
    async freshness => {
      const cwd = makeTree({ 'one/a/SKILL.md': skill('a'), 'two/a/SKILL.md': skill('a') })
      await compile({ cwd, paths: ['one'] })
      const runtime = createRuntime({ cwd, paths: ['one', 'two'], freshness })
      expect((await runtime.findTool('a'))?.origin).toMatchObject({ via: 'index', shadows: [] })
      expect((await runtime.describe('a')).tool.origin.shadows).toEqual([
        { layer: 'project', entry: join(cwd, 'two'), file: 'a/SKILL.md' },
      ])
      expect([...runtime.globals.cache.nameIndex.keys()]).toEqual([join(cwd, 'two')])
    },
  )

  it('a name added deep in a compiled entry is found from disk, once all miss', async () => {
    const cwd = makeTree({ 'one/group/a/SKILL.md': skill('a') })
    await compile({ cwd, paths: ['one'] })
    writeTree(cwd, { 'one/group/b/SKILL.md': skill('b') })
    for (const freshness of ['trust', 'check'] as const) {
      const runtime = createRuntime({ cwd, paths: ['one'], freshness })
      expect((await runtime.findTool('b'))?.origin.via).toBe('disk')
    }
  })

  it('directories that do not exist, are files, or are named twice do no harm', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a'), 'file.txt': 'x' })
    const runtime = createRuntime({ cwd, paths: ['nowhere', 'file.txt', 'one', './one/'] })
    expect(await runtime.render('a')).toBe('Do a.\n')
    expect(await ownTools(runtime)).toHaveLength(1)
    expect((await runtime.findTool('a'))?.origin.shadows).toEqual([])
  })

  it('ignore patterns hold for the entries after them', async () => {
    const cwd = makeTree({
      'one/a/SKILL.md': skill('a'),
      'one/drafts/b/SKILL.md': skill('b'),
      'two/drafts/c/SKILL.md': skill('c'),
    })
    const paths = ['one', { ignore: ['drafts/**', '**/*.bak'] }, 'two']
    for (const way of ['from disk', 'compiled']) {
      if (way === 'compiled') await compile({ cwd, paths })
      for (const freshness of ['trust', 'check'] as const) {
        const runtime = createRuntime({ cwd, paths, freshness })
        expect((await ownTools(runtime)).map(({ name }) => name)).toEqual(['a', 'b'])
        expect(await runtime.findTool('c')).toBeNull()
        expect(runtime.diagnostics()).toEqual([])
      }
    }
  })

  it('ignore patterns take no time to speak of, and know what picomatch knows', async () => {
    const long = 'a'.repeat(60)
    const files = [long, 'old', 'draft1', 'draft9', 'kept'].map(name => [`one/${name}/SKILL.md`, skill(name)])
    const cwd = makeTree(Object.fromEntries(files))
    const ignore = [`${'*a'.repeat(8)}*b`, `**/${'*a'.repeat(400)}`, './+(old|older)', 'draft{1..3}']
    const paths = [{ ignore }, 'one']
    for (const way of ['from disk', 'compiled']) {
      const elapsed = processorTime()
      if (way === 'compiled') await compile({ cwd, paths })
      for (const freshness of ['trust', 'check'] as const) {
        const runtime = createRuntime({ cwd, paths, freshness })
        expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([long, 'draft9', 'kept'])
      }
      expect(elapsed()).toBeLessThan(10_000)
    }
  })

  it('an ignore pattern that could take for ever is refused', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a') })
    const paths = [{ ignore: '+(x|y)*a*a*a*b' }, 'one']
    const error = {
      code: 'OPTIONS_INVALID',
      message:
        'The ignore pattern "+(x|y)*a*a*a*b" could take forever on a long path: beside more than 3 wildcards, "(" is not supported here.',
    }
    await expect(compile({ cwd, paths })).rejects.toMatchObject(error)
    await expect(check({ cwd, paths })).rejects.toMatchObject(error)
    await expect(createRuntime({ cwd, paths, library: false }).findTool('a')).rejects.toMatchObject(error)
  })

  it.each(
    oneIn(3, [
      '(a+)+b',
      '(a|aa)+b',
      '(a|a)*b',
      'x(?:a+)+b',
      '+(a|aa)b',
      '+(a|ab|b)c',
      '*(a|a)b',
      '+(a|)b',
      '+(+(a))b',
      '+(a*)b',
      '+([ab])b',
      '{a,aa}+b',
      '@(a|aa)+b',
      '[(a+)+b',
      '{1..11}+b',
    ]),
  )('the ignore pattern %s, in which a group could repeat in several ways, is refused', async ignore => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a'), [`one/${'a'.repeat(60)}!.md`]: 'x' })
    const error = { code: 'OPTIONS_INVALID', message: expect.stringContaining(JSON.stringify(ignore)) }
    await expect(check({ cwd, paths: [{ ignore }, 'one'] })).rejects.toMatchObject(error)
  })

  it.each(
    oneIn(2, [
      ['@(a|b).md', ['a.md', 'b.md']],
      ['?(a)b.md', ['b.md', 'ab.md']],
      ['*(ab|c).md', ['abcab.md']],
      ['+(é|x).md', ['éx.md']],
      ['!(a).m?', ['b.md']],
    ]),
  )('the ignore pattern %s excludes %j', (ignore, paths) => {
    for (const path of paths) expect([path, ignoreMatcher([ignore])(path)]).toEqual([path, true])
    expect(ignoreMatcher([ignore])('a.txt')).toBe(false)
  })

  it('sees paths that were changed after the first use', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a', 'One.\n'), 'two/a/SKILL.md': skill('a', 'Two.\n') })
    const runtime = createRuntime({ cwd, paths: ['one'], freshness: 'trust' })
    expect(await runtime.render('a')).toBe('One.\n')
    runtime.globals.config.paths.unshift('two')
    expect(await runtime.render('a')).toBe('Two.\n')
    expect(await ownTools(runtime)).toHaveLength(1)
  })
})

describe('missing names', () => {
  it.runIf(isLong)('are kept, but not without bound', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a') })
    await compile({ cwd, paths: ['one'] })
    const runtime = createRuntime({ cwd, paths: ['one'], freshness: 'trust' })
    await runtime.findTool('a')
    for (let index = 0; index < 12_000; index++) await runtime.findTool(`missing-${index}`)
    const { cache, missing, resolving } = runtime.globals
    expect(runtime.stats().missing).toBe(12_000)
    expect(missing.size).toBeLessThanOrEqual(10_000)
    expect(cache.tool.size).toBeLessThanOrEqual(10_001)
    expect(resolving.size).toBe(0)
    expect((await runtime.findTool('a'))?.origin.via).toBe('index')
  })

  it('are asked of the disk once', async () => {
    const cwd = makeTree({ 'one/a/SKILL.md': skill('a') })
    await compile({ cwd, paths: ['one'] })
    const runtime = createRuntime({ cwd, paths: ['one'], freshness: 'trust' })
    await Promise.all(Array.from({ length: 20 }, (_, index) => runtime.findTool(`missing-${index % 4}`)))
    expect(runtime.stats().missing).toBe(4)
  })
})

it('does no I/O before the first use', () => {
  expect(() => createRuntime({ paths: ['/nowhere/at/all'], cwd: '/nowhere' })).not.toThrow()
})
