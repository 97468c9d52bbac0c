import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  type Context,
  clearAllCaches,
  clearToolCache,
  createCallbackRef,
  createRuntime,
  defineTool,
  emptyGlobals,
  extractIgnore,
  filterPaths,
  findAuthority,
  findTool,
  type Globals,
  invoke,
  isAgentAppsError,
  isDefinedTool,
  isMetaKey,
  iterPaths,
  listTools,
  loadSkillsFromFile,
  mainInDir,
  mapPaths,
  type PathEntry,
  pathEntryDir,
  registerTool,
  type ToolDef,
  unregisterTool,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { isLong } from '../support/long.js'
import { ROOT, runCode } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'

const echo = (_: unknown, args?: unknown): unknown => args ?? null
const PARAMS = { type: 'object' }

function globalsOver(...paths: PathEntry[]): Globals {
  const globals = emptyGlobals()
  globals.config.paths = paths
  return globals
}

describe('registered tools', () => {
  it('are found by name with all that was said of them', async () => {
    const globals = emptyGlobals()
    registerTool(globals, {
      name: 'echo',
      fn: echo,
      description: 'Gives back.',
      params: PARAMS,
      returns: { type: 'object' },
      tags: ['My Tag'],
      visibility: 'hidden',
      metadata: { note: 1 },
      role: 'context',
      allowedTools: ['a', 'b'],
      src: 'mcp://server/echo',
      module: { default: echo },
      content: 'Text.\n',
    })
    const tool = await findTool('echo', globals)
    expect(tool?.frontmatter).toEqual({
      name: 'echo',
      description: 'Gives back.',
      params: PARAMS,
      returns: { type: 'object' },
      tags: ['my-tag'],
      visibility: 'hidden',
      metadata: { note: 1 },
      role: 'context',
      'allowed-tools': 'a b',
      extra: {},
    })
    expect(tool).toMatchObject({
      src: 'mcp://server/echo',
      origin: { via: 'programmatic', layer: 'programmatic' },
    })
    expect(await tool?.content?.()).toBe('Text.\n')
    expect(await findTool('mcp://server/echo', globals)).toBe(tool)
    expect(await findTool('mcp://server/other', globals)).toBeNull()
    expect(await invoke('mcp://server/echo', { a: 1 }, globals)).toEqual({ a: 1 })
    expect(await listTools(globals)).toEqual([tool])
  })

  it.each([
    'my_tool',
    'My Tool',
    'a/b',
    'UPPER',
    'a'.repeat(64),
    'ünïcode',
    './like-a-path.skill.md',
    '__proto__',
  ])('are found by a name that breaks the rule: %s', async name => {
    const globals = emptyGlobals()
    registerTool(globals, { name, fn: () => 'ran' })
    expect((await findTool(name, globals))?.name).toBe(name)
    expect(await invoke(name, undefined, globals)).toBe('ran')
    unregisterTool(globals, name)
    expect(await findTool(name, globals)).toBeNull()
  })

  it.each(['', 'a'.repeat(65)])('refuse %j as a name', name => {
    expect(() => registerTool(emptyGlobals(), { name, fn: echo })).toThrow(/is not a name for a tool/)
  })

  it.each([
    ['no function', { name: 'a' }, 'The tool "a" has no function `fn`.', 'Give `fn: (ctx, args) => …`.'],
    [
      'a role that there is not',
      { name: 'a', fn: echo, role: 'middlware' },
      'The tool "a" has the unknown role "middlware".',
      'Use one of main, middleware, context.',
    ],
    [
      'such a role in its metadata',
      { name: 'a', fn: echo, metadata: { role: 'mian' } },
      'The tool "a" has the unknown role "mian".',
      'Use one of main, middleware, context.',
    ],
    [
      "a schema library's schema",
      { name: 'a', fn: echo, params: z.object({}) },
      'The tool "a" has an invalid JSON Schema.',
      'Register what `defineTool` makes of it.',
    ],
    [
      'one that is a plain object',
      { name: 'a', fn: echo, params: { kind: 'schema', '~standard': { version: 1, vendor: 'x' } } },
      'The tool "a" has an invalid JSON Schema.',
      'Register what `defineTool` makes of it.',
    ],
    [
      'one for its result',
      { name: 'a', fn: echo, returns: z.string() },
      'The tool "a" has an invalid JSON Schema.',
      'Register what `defineTool` makes of it.',
    ],
  ])('are refused with %s', (_, options, message, hint) => {
    const globals = emptyGlobals()
    expect(() => registerTool(globals, options as never)).toThrow(
      expect.objectContaining({ code: 'DEFINITION_INVALID', tool: 'a', message, hint }),
    )
    expect(globals.tools.programmaticTools.size).toBe(0)
  })

  it('take the JSON Schema that a library makes', async () => {
    const globals = emptyGlobals()
    registerTool(globals, {
      name: 'a',
      fn: echo,
      params: z.toJSONSchema(z.object({ b: z.string() })) as never,
    })
    expect(await invoke('a', { b: 'c' }, globals)).toEqual({ b: 'c' })
    await expect(invoke('a', { b: 1 }, globals)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
  })

  it('are refused where a definition has a role that there is not, or there is no tool', async () => {
    const tool = defineTool({ name: 'a', role: 'middlware' as never, execute: () => 1 })
    await expect(registerTool(emptyGlobals(), tool)).rejects.toMatchObject({ code: 'DEFINITION_INVALID' })
    expect(() => registerTool(emptyGlobals(), undefined as never)).toThrow(
      expect.objectContaining({ code: 'NAME_INVALID' }),
    )
  })

  it('shadow tools from disk until they are removed, whichever was asked for first', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a', 'From disk.\n') })
    await compile({ paths: [dir] })
    for (const freshness of ['trust', 'check'] as const) {
      const { globals } = createRuntime({ paths: [dir], freshness })
      expect(await invoke('a', undefined, globals)).toBe('From disk.\n')
      expect((await listTools(globals))[0]?.origin.via).toBe('index')
      registerTool(globals, { name: 'a', fn: () => 'Registered.' })
      expect(await invoke('a', undefined, globals)).toBe('Registered.')
      expect((await listTools(globals)).filter(({ name }) => name === 'a')).toMatchObject([
        { origin: { via: 'programmatic' } },
      ])
      registerTool(globals, { name: 'a', fn: () => 'Again.' })
      expect(await invoke('a', undefined, globals)).toBe('Again.')
      unregisterTool(globals, 'a')
      expect(await invoke('a', undefined, globals)).toBe('From disk.\n')
      expect((await listTools(globals))[0]?.origin.via).toBe('index')
    }
  })

  it('with the definition alone are the process’s', { tags: 'long' }, async () => {
    const tool = defineTool({
      name: 'default-one',
      description: 'Doubles.',
      params: z.object({ a: z.number().default(2) }),
      execute: ({ a }) => a * 2,
    })
    await registerTool(tool)
    expect((await findTool('default-one'))?.frontmatter).toMatchObject({
      description: 'Doubles.',
      params: { type: 'object' },
    })
    expect(await invoke('default-one', {})).toBe(4)
    await expect(invoke('default-one', { a: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(await findTool('default-one', emptyGlobals())).toBeNull()
    const shared = (globalThis as Record<symbol, unknown>)[Symbol.for('agent-apps.globals')] as Globals
    unregisterTool(shared, 'default-one')
    expect(await findTool('default-one')).toBeNull()
  })

  it('that take no arguments are given none', async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'none', fn: () => 'ran' })
    await expect(invoke('none', { a: 1 }, globals)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(await invoke('none', {}, globals)).toBe('ran')
  })
})

describe('callbacks', () => {
  it('get a name of their own', async () => {
    const globals = emptyGlobals()
    const names = [1, 2].map(number => createCallbackRef(globals, 'callback', () => number))
    expect(names[0]).toMatch(/^callback-[0-9a-f]{8}$/)
    expect(names[0]).not.toBe(names[1])
    expect(await Promise.all(names.map(name => invoke(name, undefined, globals)))).toEqual([1, 2])
  })

  it('are called by agents that were given the name, and are in no list of theirs', async () => {
    const runtime = createRuntime({ paths: [], library: false })
    const name = createCallbackRef(runtime.globals, 'callback', () => 'called back')
    const agent = runtime.forAgent({ allowedTools: 'callback-*' })
    expect(await agent.listTools()).toEqual([])
    expect(await agent.invoke(name)).toBe('called back')
  })

  it.each([[{ a: 1, deep: [{}] }], ['text'], [[1]], [0], [null], [true]])(
    'takes what it is given: %j',
    async args => {
      const globals = emptyGlobals()
      const seen: unknown[] = []
      const name = createCallbackRef(globals, 'callback', (_, given) => void seen.push(given))
      registerTool(globals, { name: 'calls', fn: ctx => ctx.manager.invoke(name, args) })
      await invoke(name, args, globals)
      await invoke('calls', undefined, globals)
      expect(seen).toEqual([args, args])
    },
  )

  it('may have `params`, which arguments are checked against', async () => {
    const globals = emptyGlobals()
    const params = { type: 'object', properties: { a: { type: 'number', default: 2 } } }
    const name = createCallbackRef(globals, 'callback', (_, given) => given, { params })
    expect(await invoke(name, {}, globals)).toEqual({ a: 2 })
    await expect(invoke(name, { a: 'x' }, globals)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(() => createCallbackRef(globals, 'callback', echo, { parms: params } as never)).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })

  it.each(['', 'Has Spaces', 'a'.repeat(56), '-a'])('refuse %j as a label', label => {
    expect(() => createCallbackRef(emptyGlobals(), label, echo)).toThrow(/is not a label/)
  })
})

describe('tools that are set without more than a function and a frontmatter', () => {
  const NUMBERS = { type: 'object', properties: { a: { type: 'number' } } }
  const FRONTMATTER = { name: 'mock', description: 'Stands in for a tool.' }

  it.each<[string, object]>([
    ['as it is parsed', { ...FRONTMATTER, params: NUMBERS, returns: { type: 'object' }, tags: ['my-tag'] }],
    [
      'as it is written',
      { ...FRONTMATTER, metadata: { params: NUMBERS, returns: { type: 'object' }, tags: ['My Tag'] } },
    ],
  ])('can be found, listed and called, with a frontmatter %s', async (_, frontmatter) => {
    const cwd = makeTree({ 'skills/mock/SKILL.md': skill('mock', 'From disk.\n') })
    const bundle = join(cwd, 'agent.mjs')
    const paths = ['skills']
    const fn = vi.fn((_: unknown, args: unknown) => args)
    const use = async (globals: Globals): Promise<void> => {
      globals.tools.programmaticTools.set('mock', { name: 'mock', fn, frontmatter, src: 'mcp://server/mock' })
      const tool = await findTool('mock', globals)
      expect(tool).toMatchObject({
        kind: 'code',
        frontmatter: { ...FRONTMATTER, params: NUMBERS, returns: { type: 'object' }, tags: ['my-tag'] },
        origin: { via: 'programmatic', layer: 'programmatic' },
      })
      expect(await findTool('mcp://server/mock', globals)).toBe(tool)
      expect((await listTools(globals))[0]).toBe(tool)
      expect(await invoke('mock', { a: 1 }, globals)).toEqual({ a: 1 })
      await expect(invoke('mock', { a: 'x' }, globals)).rejects.toMatchObject({ code: 'ARGS_INVALID' })
      expect(await invoke('mock', { a: 1 }, globals, { as: 'agent' })).toEqual({ a: 1 })
    }
    await use(emptyGlobals())
    await use(createRuntime({ cwd, paths }).globals)
    await compile({ cwd, paths, ...(isLong && { bundle }) })
    await use(createRuntime({ cwd, paths }).globals)
    if (isLong) await use((await import(pathToFileURL(bundle).href)).runtime.globals)
    expect(fn).toHaveBeenCalledTimes(isLong ? 8 : 6)
  })

  it('need no frontmatter either, and one that is complete stays the same', async () => {
    const globals = emptyGlobals()
    globals.tools.programmaticTools.set('bare', { name: 'bare', fn: () => 'ran', content: 'Text.' })
    expect(await invoke('bare', undefined, globals)).toBe('ran')
    expect(await (await findTool('bare', globals))?.content?.()).toBe('Text.')
    const tool = (await findTool('bare', globals)) as ToolDef
    globals.tools.programmaticTools.set('other', tool)
    expect(globals.tools.programmaticTools.get('other')).toBe(tool)
  })

  it('run around others as middleware', async () => {
    const globals = emptyGlobals()
    const frontmatter = { name: 'm', role: 'middleware' as const }
    globals.tools.programmaticTools.set('m', {
      name: 'm',
      fn: async (ctx: Context) => `(${await ctx.manager.next()})`,
      frontmatter,
    })
    registerTool(globals, { name: 'tool', fn: () => 'R', metadata: { m: true } })
    expect(await invoke('tool', undefined, globals)).toBe('(R)')
  })
})

describe('inline tools', () => {
  const CODE = 'inline://code,export default (ctx, { n }) => n + 1'

  it('are made at first use and kept under the whole reference', async () => {
    const globals = globalsOver()
    const tool = await findTool(CODE, globals)
    expect(await invoke(CODE, { n: 1 }, globals)).toBe(2)
    expect(await findTool(CODE, globals)).toBe(tool)
    expect(globals.tools.programmaticTools.get(CODE)).toBe(tool)
    expect(tool).toMatchObject({ src: CODE, origin: { via: 'programmatic' } })
  })

  it('of Markdown and base64', async () => {
    const globals = globalsOver()
    const markdown = 'inline://markdown,---\nname: x\ndescription: d\n---\nDo the thing.'
    expect((await findTool(markdown, globals))?.frontmatter).toMatchObject({ name: 'x', description: 'd' })
    expect(await invoke(markdown, undefined, globals)).toBe('Do the thing.')
    const coded = `inline://base64,${Buffer.from(CODE).toString('base64')}`
    expect(await invoke(coded, { n: 2 }, globals)).toBe(3)
  })

  it.each([
    ['index', 'trust'],
    ['index', 'check'],
    ['disk', 'trust'],
    ['disk', 'check'],
  ] as const)(
    'of a delegate are kept under its reference once they ran, from %s, %s',
    async (from, freshness) => {
      const coded = `inline://base64,${Buffer.from(CODE).toString('base64')}`
      const delegating = (name: string, ref: string): string =>
        skill(name, 'Body.\n', `metadata:\n  delegate: ${JSON.stringify(ref)}\n  params: { type: object }\n`)
      const cwd = makeTree({
        'package.json': '{"type":"module"}',
        'skills/a.skill.md': delegating('a', CODE),
        'skills/b.skill.md': delegating('b', coded),
      })
      if (from === 'index') await compile({ cwd, paths: ['skills'] })
      const { globals } = createRuntime({ cwd, paths: ['skills'], freshness })
      const { programmaticTools } = globals.tools
      for (const [name, ref] of [
        ['a', CODE],
        ['b', coded],
      ] as const) {
        expect(await invoke(name, { n: 1 }, globals)).toBe(2)
        const tool = programmaticTools.get(ref)
        expect(tool).toMatchObject({ name: ref, src: ref, kind: 'code', origin: { via: 'programmatic' } })
        expect(await findTool(ref, globals)).toBe(tool)
        expect(await invoke(ref, { n: 2 }, globals)).toBe(3)
      }
      const [first] = await listTools(globals)
      const names = (await listTools(globals))
        .filter(({ origin }) => origin.layer === 'project')
        .map(({ name }) => name)
      expect(names).toEqual(['a', 'b'])
      expect(first?.origin.layer).toBe('project')
    },
  )

  it('are not listed, and take the place of none that is', async () => {
    const globals = globalsOver(makeTree({ 'x/SKILL.md': skill('x') }))
    await findTool('inline://markdown,---\nname: x\ndescription: d\n---\nDo the thing.', globals)
    await findTool(CODE, globals)
    expect((await listTools(globals)).map(({ name, origin }) => [name, origin.via])).toEqual([['x', 'disk']])
  })

  it('that cannot be read', async () => {
    for (const ref of ['inline://base64,!!', 'inline://shell,rm']) {
      const failure = await findTool(ref, globalsOver()).catch((error: unknown) => error)
      expect(isAgentAppsError(failure) && failure.code).toBe('INLINE_INVALID')
    }
    expect(await findTool('inline://', globalsOver())).toBeNull()
    expect(await findTool('unknown://a', globalsOver())).toBeNull()
  })
})

describe('caches', () => {
  it('clearToolCache and clearAllCaches show what a compile changed', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a', 'One.\n') })
    await compile({ paths: [dir] })
    const { globals } = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await invoke('a', undefined, globals)).toBe('One.\n')
    for (const [body, clear] of [
      ['Two, longer.\n', () => clearToolCache('a', globals)],
      ['Three, longer still.\n', () => clearAllCaches(globals)],
    ] as const) {
      const before = await findTool('a', globals)
      writeFileSync(join(dir, 'a/SKILL.md'), skill('a', body))
      await compile({ paths: [dir] })
      expect(await findTool('a', globals)).toBe(before)
      clear()
      expect(await invoke('a', undefined, globals)).toBe(body)
    }
  })

  it('keep what is found, what is missing, and lists', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a') })
    await compile({ paths: [dir] })
    const { globals } = createRuntime({ paths: [dir], freshness: 'trust' })
    const { cache } = globals
    const tool = await findTool('a', globals)
    await findTool('absent', globals)
    const list = await listTools(globals)
    const key = [...cache.list.keys()][0] ?? ''
    expect(cache.tool.get(`a\0${key}`)).toBe(tool)
    expect(cache.tool.get(`absent\0${key}`)).toBeNull()
    expect(cache.list.get(key)).toEqual(list)
    clearToolCache('absent', globals)
    expect([...cache.tool.keys()]).toEqual([`a\0${key}`])
    registerTool(globals, { name: 'kept', fn: echo })
    clearAllCaches(globals)
    expect(Object.values(cache).every(known => known === null || known.size === 0)).toBe(true)
    expect(await findTool('kept', globals)).not.toBeNull()
  })
})

describe('what is cached and a tool that is registered', () => {
  it('while it is looked up, or after its URI was missing', async () => {
    const { globals } = createRuntime({ paths: [makeTree({})], freshness: 'trust' })
    const early = findTool('late', globals)
    expect(await findTool('mcp://server/late', globals)).toBeNull()
    registerTool(globals, { name: 'late', fn: echo, src: 'mcp://server/late' })
    await early
    expect((await findTool('late', globals))?.origin.via).toBe('programmatic')
    expect(await findTool('mcp://server/late', globals)).toBe(await findTool('late', globals))
    unregisterTool(globals, 'late')
    expect(await findTool('mcp://server/late', globals)).toBeNull()
  })

  it('leaves the tools of an index the same objects', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a') })
    await compile({ paths: [dir] })
    const globals = globalsOver(dir)
    const [before] = await listTools(globals)
    createCallbackRef(globals, 'callback', echo)
    expect((await listTools(globals)).find(({ name }) => name === 'a')).toBe(before)
  })

  it('keeps the files, names and tools of a directory without an index', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a'), 'b.skill.md': skill('b') })
    const globals = globalsOver(dir)
    const [a] = await listTools(globals)
    const file = join(dir, 'a/SKILL.md')
    expect([...globals.cache.dir.values()]).toEqual([[file, join(dir, 'b.skill.md')]])
    expect(globals.cache.nameIndex.get(dir)?.get('a')).toBe(file)
    const loaded = await loadSkillsFromFile(file, globals)
    expect(loaded.map(({ name }) => name)).toEqual([a?.name])
    expect(globals.cache.file.get(file)).toEqual(loaded)
    clearAllCaches(globals)
    expect(globals.cache.nameIndex.size + globals.cache.dir.size + globals.cache.file.size).toBe(0)
  })
  it.each([
    ['index', 'trust'],
    ['index', 'check'],
    ['disk', 'trust'],
    ['disk', 'check'],
  ] as const)('have the tools of a file that was found by its path, from %s, %s', async (from, freshness) => {
    const cwd = makeTree({
      'skills/pair.skill.md': `${skill('one')}\n${skill('two')}`,
      'apart/pair.skill.md': `${skill('three')}\n${skill('four')}\n---\nname: five\nlicense: [\n---\n`,
      'apart/bad.skill.md': '---\nname: bad\nlicense: [\n---\n',
    })
    if (from === 'index') await compile({ cwd, paths: ['skills'] })
    const { globals, diagnostics } = createRuntime({ cwd, paths: ['skills'], freshness })
    for (const [ref, names] of [
      ['./skills/pair.skill.md#two', ['one', 'two']],
      ['./apart/pair.skill.md', ['three', 'four']],
    ] as const) {
      const file = join(cwd, ref.replace(/#.*/, ''))
      const tool = await findTool(ref, globals)
      expect(globals.cache.file.get(file)?.map(({ name }) => name)).toEqual(names)
      expect(globals.cache.file.get(file)).toContain(tool)
      expect(diagnostics()).toEqual([])
    }
    if (freshness === 'trust') {
      const [three, four] = await loadSkillsFromFile(join(cwd, 'apart/pair.skill.md'), globals)
      expect(await findTool('./apart/pair.skill.md', globals)).toBe(three)
      expect(await findTool('./apart/pair.skill.md#four', globals)).toBe(four)
    }
    await expect(findTool('./apart/bad.skill.md', globals)).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
    expect(globals.cache.file.size).toBe(2)
    clearToolCache('one', globals)
    expect(globals.cache.file.size).toBe(0)
  })
})

describe('authority', () => {
  const MAIN = (name: string): string => skill(name, 'Body.\n', 'metadata:\n  role: main\n')

  it('is the nearest main skill at or above a tool', async () => {
    const dir = makeTree({
      'SKILL.md': MAIN('top'),
      'plain/SKILL.md': skill('plain'),
      'inner/SKILL.md': MAIN('inner'),
      'inner/deep/SKILL.md': skill('deep'),
      'inner/x.skill.md': skill('x'),
    })
    for (const isCompiled of [false, true]) {
      if (isCompiled) await compile({ paths: [dir] })
      const { globals } = createRuntime({ paths: [dir], freshness: 'check' })
      const authorities: Record<string, string | undefined> = {}
      for (const name of ['top', 'plain', 'inner', 'deep', 'x']) {
        const tool = await findTool(name, globals)
        authorities[name] = tool ? (await findAuthority(tool, globals))?.name : undefined
      }
      expect(authorities).toEqual({ top: 'top', plain: 'top', inner: 'inner', deep: 'inner', x: 'inner' })
      registerTool(globals, { name: 'registered', fn: echo })
      const registered = await findTool('registered', globals)
      expect(registered && (await findAuthority(registered, globals))?.name).toBe('top')
      expect((await mainInDir(dir, globals))?.name).toBe('top')
      expect((await mainInDir(join(dir, 'inner'), globals))?.name).toBe('inner')
      expect(await mainInDir(join(dir, 'plain'), globals)).toBeNull()
      expect(await mainInDir('/absent', globals)).toBeNull()
    }
  })

  it('is none where there is no main skill', async () => {
    const dir = makeTree({ 'a/SKILL.md': skill('a') })
    const { globals } = createRuntime({ paths: [dir] })
    const tool = await findTool('a', globals)
    expect(tool && (await findAuthority(tool, globals))).toBeNull()
  })
})

describe('path entries', () => {
  const PATHS: PathEntry[] = [
    'a',
    { ignore: 'x' },
    { dir: 'b', external: true },
    { ignore: ['y', 'z'] },
    { dir: 'c' },
  ]

  it('pathEntryDir, iterPaths and extractIgnore', () => {
    expect([pathEntryDir('a'), pathEntryDir({ dir: 'b' })]).toEqual(['a', 'b'])
    expect(() => pathEntryDir({ ignore: 'x' })).toThrow(/iterPaths/)
    expect([...iterPaths(PATHS)]).toEqual([
      { dir: 'a', external: false },
      { dir: 'b', external: true },
      { dir: 'c', external: false },
    ])
    expect(extractIgnore(PATHS)).toEqual(['x', 'y', 'z'])
  })

  it('mapPaths and filterPaths keep { ignore } entries', () => {
    expect(filterPaths(PATHS, (_, external) => !external)).toEqual([
      'a',
      { ignore: 'x' },
      { ignore: ['y', 'z'] },
      { dir: 'c' },
    ])
    expect(
      mapPaths(PATHS, (dir, external, entry) => (dir === 'a' ? [] : external ? [entry, `${dir}2`] : [entry])),
    ).toEqual([{ ignore: 'x' }, { dir: 'b', external: true }, 'b2', { ignore: ['y', 'z'] }, { dir: 'c' }])
  })

  it('isMetaKey', () => {
    expect(['$inherit', '$', 'a', '', 'a$'].map(isMetaKey)).toEqual([true, true, false, false, false])
  })
})

describe('two copies of the package in one process', () => {
  it('recognise each other’s tools and errors, and share the default globals', { tags: 'long' }, () => {
    const app = temporary()
    for (const name of ['one', 'two']) {
      const home = join(app, name, 'node_modules/agent-apps')
      mkdirSync(home, { recursive: true })
      cpSync(join(ROOT, 'dist'), join(home, 'dist'), { recursive: true })
      cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
      symlinkSync(join(ROOT, 'node_modules'), join(home, 'node_modules'))
    }
    const entry = (name: string): string =>
      JSON.stringify(
        pathToFileURL(join(app, name, 'node_modules/agent-apps/dist/runtime/agent-apps.js')).href,
      )
    const answer = runCode(`
      const one = await import(${entry('one')})
      const two = await import(${entry('two')})
      const tool = one.defineTool({ name: 'shared', description: 'x', execute: () => 'ran' })
      await two.registerTool(tool)
      const error = await one.invoke('absent').catch(error => error)
      console.log(JSON.stringify([
        one.defineTool !== two.defineTool,
        two.isDefinedTool(tool),
        await one.invoke('shared'),
        two.isAgentAppsError(error),
        error instanceof two.AgentAppsError,
      ]))`)
    expect(JSON.parse(answer)).toEqual([true, true, 'ran', true, false])
  })

  it('recognise nothing that only looks alike', () => {
    expect([null, 1, {}, { name: 'a', fn: echo }, () => 1].map(isDefinedTool)).toEqual(Array(5).fill(false))
    expect([null, new Error('x'), { code: 'TOOL_BROKEN' }].map(isAgentAppsError)).toEqual([
      false,
      false,
      false,
    ])
  })
})

afterEach(() => clearAllCaches())
