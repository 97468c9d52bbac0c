import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import {
  createCallbackRef,
  createRuntime,
  emptyGlobals,
  findAuthority,
  findTool,
  type Globals,
  invoke,
  listTools,
  mainInDir,
  registerTool,
  type ToolDef,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeEach, describe, expect, it } from 'vitest'
import { text } from '../support/cascade-project.js'
import { makeTree, type Tree } from '../support/tree.js'

const TREE: Tree = {
  'package.json': '{}\n',
  'skills/SKILL.md': text('main', { role: 'main', $local: { limit: 5 }, $global: ['note'], note: 1 }),
  'skills/review/SKILL.md': text('review'),
  'skills/pair.skill.md': `${text('one')}\n${text('two')}`,
  'more/late.skill.md': text('late'),
  'more/drafts/draft.skill.md': text('draft'),
}
const PATHS = ['skills', { ignore: 'drafts/**' }, 'more']

const WAYS = [
  ['from disk', 'check'],
  ['from disk', 'trust'],
  ['compiled', 'check'],
  ['compiled', 'trust'],
] as const

// What is kept of cascades and peers is in test/cascade/cascade-caches.test.ts.
describe.each(WAYS)('what is kept, %s, with freshness %s', (from, freshness) => {
  let cwd = ''
  let globals: Globals
  const find = (ref: string): Promise<ToolDef | null> => findTool(ref, globals)
  const file = (path: string): string => join(cwd, path)
  /** The second half of keys. */
  const pathsKey = (): string => [...globals.cache.list.keys()][0] ?? 'no list is kept'

  beforeEach(async () => {
    cwd = makeTree(TREE)
    if (from === 'compiled') await compile({ cwd, paths: PATHS })
    globals = createRuntime({ cwd, paths: PATHS, freshness, library: false }).globals
    await listTools(globals)
  })

  it('tool: what a name leads to, null for what is not found', async () => {
    const review = await find('review')
    expect(await find('absent')).toBeNull()
    expect(globals.cache.tool.get(`review\0${pathsKey()}`)).toBe(review)
    expect(globals.cache.tool.get(`absent\0${pathsKey()}`)).toBeNull()
  })

  it('list: the tools of all path entries, those that are registered first', async () => {
    const names = ['main', 'one', 'review', 'two', 'late']
    expect(globals.cache.list.get(pathsKey())?.map(({ name }) => name)).toEqual(names)
    registerTool(globals, { name: 'zone', fn: () => null })
    await listTools(globals)
    expect(globals.cache.list.get(pathsKey())?.map(({ name }) => name)).toEqual(['zone', ...names])
  })

  it('dir: the files of a directory without an index, by its patterns', async () => {
    // A name that nothing has makes all directories be read.
    await find('absent')
    const read = [...globals.cache.dir]
    expect(read).toEqual(
      from === 'compiled'
        ? []
        : [
            [
              `${file('skills')}\0`,
              ['skills/SKILL.md', 'skills/pair.skill.md', 'skills/review/SKILL.md'].map(file),
            ],
            [`${file('more')}\0drafts/**`, [file('more/late.skill.md')]],
          ],
    )
  })

  it('nameIndex: the file of each name of a directory without an index', async () => {
    await find('absent')
    const skills = globals.cache.nameIndex.get(file('skills'))
    expect(skills && Object.fromEntries(skills)).toEqual(
      from === 'compiled'
        ? undefined
        : {
            main: file('skills/SKILL.md'),
            one: file('skills/pair.skill.md'),
            two: file('skills/pair.skill.md'),
            review: file('skills/review/SKILL.md'),
          },
    )
  })

  it('file: all tools of a file', async () => {
    const two = await find('./skills/pair.skill.md#two')
    const kept = globals.cache.file.get(file('skills/pair.skill.md'))
    expect(kept?.map(({ name }) => name)).toEqual(['one', 'two'])
    expect(kept?.[1]).toBe(two)
  })

  it('authority: by source, or by name where there is none', async () => {
    registerTool(globals, { name: 'registered', fn: () => null })
    for (const [name, key] of [
      ['review', pathToFileURL(file('skills/review/SKILL.md')).href],
      ['registered', 'registered'],
    ] as const) {
      const tool = await find(name)
      const authority = tool && (await findAuthority(tool, globals))
      expect(authority?.name).toBe('main')
      expect(globals.cache.authority.get(key)).toBe(authority)
    }
  })

  it('mainInDir: the main skill of a directory, or null', async () => {
    const main = await mainInDir(file('skills'), globals)
    expect(main?.name).toBe('main')
    expect(await mainInDir(file('skills/review'), globals)).toBeNull()
    expect(globals.cache.mainInDir.get(file('skills'))).toBe(main)
    expect(globals.cache.mainInDir.get(file('skills/review'))).toBeNull()
  })

  it('promotions: those of the main skill, once a tool without a file asked', async () => {
    expect(globals.cache.promotions).toBeNull()
    registerTool(globals, { name: 'registered', fn: () => null })
    await invoke('registered', undefined, globals)
    expect(globals.cache.promotions).toEqual({ local: { limit: 5 }, global: { note: 1 } })
  })
})

describe('a programmatic tool', () => {
  const mock = {
    name: 'mock',
    fn: (_ctx: unknown, args?: unknown) => ({ mocked: args }),
    frontmatter: { name: 'mock', description: 'Mocks.', params: { type: 'object' } },
    src: 'mcp://server/mock',
  }

  it('that was put there by hand is found before one from disk', async () => {
    const { globals } = createRuntime({
      cwd: makeTree({ 'skills/mock.skill.md': text('mock') }),
      paths: ['skills'],
    })
    globals.tools.programmaticTools.set('mock', mock as never)
    for (const ref of ['mock', 'mcp://server/mock']) expect((await findTool(ref, globals))?.fn).toBe(mock.fn)
  })

  it('that was put there by hand is called', async () => {
    const globals = emptyGlobals()
    globals.tools.programmaticTools.set('mock', mock as never)
    expect(await invoke('mock', { a: 1 }, globals)).toEqual({ mocked: { a: 1 } })
  })

  it('that is a callback takes whatever it is given', async () => {
    const globals = emptyGlobals()
    const callback = createCallbackRef(globals, 'callback', (_ctx, args) => args)
    for (const args of [{ a: 1 }, 'text', [1, 2]]) expect(await invoke(callback, args, globals)).toEqual(args)
  })

  it.each([undefined, 'mcp://server/tool', 'inline://code,1'])(
    'with the source %s has the project’s authority, or the library’s',
    async src => {
      for (const [tree, authority] of [
        [TREE, 'main'],
        [{ 'skills/review/SKILL.md': text('review') }, 'library'],
      ] as const) {
        const { globals } = createRuntime({ cwd: makeTree(tree), paths: ['skills'] })
        registerTool(globals, { name: 'tool', fn: () => null, ...(src && { src }) })
        const tool = (await findTool('tool', globals)) as ToolDef
        expect(tool.src).toBe(src ?? null)
        expect((await findAuthority(tool, globals))?.name).toBe(authority)
      }
    },
  )
})
