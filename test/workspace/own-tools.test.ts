import {
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join, sep } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type Context, createRuntime, type Runtime, type ToolContext } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { ctxWorkspace, pathKey, type ToolWorkspace } from 'agent-apps/workspace'
import { describe, expect, it } from 'vitest'
import { isLong } from '../support/long.js'
import { type OpenedWorkspace, openWorkspace, refusalOf } from '../support/open-workspace.js'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

type Work<Result> = (workspace: ToolWorkspace, ctx: ToolContext) => Promise<Result>

/** Does work in a tool of one's own, in the session of `call`. */
function inTool<Result>(
  { runtime }: Pick<OpenedWorkspace, 'runtime'>,
  work: Work<Result>,
  signal?: AbortSignal,
): Promise<Result> {
  const undo = runtime.register({
    name: 'own',
    description: 'A tool of one’s own.',
    execute: async (_: object, ctx: ToolContext) => ({ made: await work(await ctxWorkspace(ctx), ctx) }),
  } as never)
  const call = runtime.invoke('own', {}, { sessionId: 'test', signal }) as Promise<{ made: Result }>
  return call.then(({ made }) => made).finally(undo)
}

const refusal = (opened: OpenedWorkspace, work: Work<unknown>): Promise<string | null> =>
  refusalOf(inTool(opened, async (workspace, ctx) => void (await work(workspace, ctx))))

const TREE = {
  'a.txt': 'one\n',
  'bytes.bin': new Uint8Array([0, 255]),
  '.env': 'SECRET=1\n',
  'mine.txt': '-----BEGIN PRIVATE KEY-----\n',
  '.git/HEAD': 'x',
  '.git/config': 'x',
  'folder/b.txt': 'b',
  '../outside/c.txt': 'c',
}

describe('ctxWorkspace', () => {
  it('gives the root, and where paths lead', async () => {
    const opened = openWorkspace(TREE, { also: ['outside'] })
    const { around, root } = opened
    expect(await inTool(opened, async ({ root, folders }) => ({ root, folders }))).toEqual({
      root,
      folders: [root, join(around, 'outside')],
    })
    expect(await inTool(opened, ({ resolve }) => resolve('./folder//../a.txt'))).toEqual({
      path: 'a.txt',
      real: join(root, 'a.txt'),
      exists: true,
    })
    expect(await inTool(opened, ({ resolve }) => resolve('new/d.txt', 'write'))).toEqual({
      path: 'new/d.txt',
      real: join(root, 'new/d.txt'),
      exists: false,
    })
    expect(await inTool(opened, ({ readText }) => readText('../outside/c.txt'))).toBe('c')
  })

  it('is for functions as well', async () => {
    const { runtime, root } = openWorkspace(TREE)
    runtime.register(async (ctx: unknown) => (await ctxWorkspace(ctx as Context)).root, {
      name: 'plain',
      description: 'A function.',
      params: {},
    })
    expect(await runtime.invoke('plain')).toBe(root)
  })

  it('is WORKSPACE_MISSING where there is none', async () => {
    const runtime = createRuntime({ paths: [] })
    expect(await refusalOf(inTool({ runtime }, async ({ root }) => root))).toBe('WORKSPACE_MISSING')
  })

  it.each<[path: string, reading: string | null, writing: string | null]>([
    ['../outside/c.txt', 'PATH_OUTSIDE', 'PATH_OUTSIDE'],
    ['link/c.txt', 'PATH_OUTSIDE', 'PATH_OUTSIDE'],
    ['/etc/hostname', 'PATH_OUTSIDE', 'PATH_OUTSIDE'],
    ['~/x', 'PATH_OUTSIDE', 'PATH_OUTSIDE'],
    ['a\0.txt', 'PATH_OUTSIDE', 'PATH_OUTSIDE'],
    ['.env', 'FILE_PROTECTED', null],
    ['mine.txt', 'FILE_PROTECTED', null],
    ['.git/HEAD', null, 'FILE_PROTECTED'],
    ['.git/config', 'FILE_PROTECTED', 'FILE_PROTECTED'],
    ['.agent-apps.json', 'FILE_NOT_FOUND', 'FILE_PROTECTED'],
    ['folder', 'FILE_UNUSABLE', 'FILE_UNUSABLE'],
    ['absent.txt', 'FILE_NOT_FOUND', null],
  ])('has the wall of the built-in tools: %j', async (path, reading, writing) => {
    const opened = openWorkspace(TREE)
    symlinkSync(join(opened.around, 'outside'), join(opened.root, 'link'))
    expect(await refusal(opened, ({ read }) => read(path))).toBe(reading)
    expect(await refusal(opened, ({ readText }) => readText(path))).toBe(reading)
    // A change reads what it may write.
    expect(await refusal(opened, ({ change }) => change(path, text => text))).toBe(writing ?? reading)
    const found = ([code, unless]: [string | null, boolean]): string | null => (unless ? null : code)
    // What a path leads to is seen when it is opened.
    const isOpened = reading === 'FILE_NOT_FOUND' || reading === 'FILE_UNUSABLE' || path === 'mine.txt'
    expect(await refusal(opened, ({ resolve }) => resolve(path))).toBe(found([reading, isOpened]))
    expect(await refusal(opened, ({ resolve }) => resolve(path, 'write'))).toBe(
      found([writing, writing === 'FILE_UNUSABLE']),
    )
    expect(await refusal(opened, ({ write }) => write(path, 'x'))).toBe(writing)
  })

  it('says what is no way to use a path', async () => {
    expect(await refusal(openWorkspace(TREE), ({ resolve }) => resolve('a.txt', 'run' as never))).toBe(
      'OPTIONS_INVALID',
    )
  })

  it('reads bytes and texts', async () => {
    const opened = openWorkspace({ ...TREE, 'bom.txt': '\uFEFFé' })
    expect([...(await inTool(opened, ({ read }) => read('bytes.bin')))]).toEqual([0, 255])
    expect(await inTool(opened, ({ readText }) => readText('bom.txt'))).toBe('\uFEFFé')
    expect(await refusal(opened, ({ readText }) => readText('bytes.bin'))).toBe('FILE_UNUSABLE')
    writeFileSync(join(opened.root, 'huge'), '')
    truncateSync(join(opened.root, 'huge'), 64 * 1024 * 1024 + 1)
    expect(await refusal(opened, ({ read }) => read('huge'))).toBe('FILE_UNUSABLE')
  })

  it('reads the whole outputs of its session, which it cannot write', async () => {
    const opened = openWorkspace(
      Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.txt`, ''])),
    )
    const runtime = createRuntime({
      cwd: opened.around,
      paths: [],
      workspace: 'ws',
      config: { tools: { list: { maxOutput: 1000 } } },
    })
    const { output } = (await runtime.invoke('list', {}, { sessionId: 'test' })) as { output: string }
    const [, file = ''] = /The whole output is in (\S+): /.exec(output) ?? []
    expect(await inTool({ runtime }, ({ readText }) => readText(file))).toContain('299.txt')
    expect(await refusalOf(inTool({ runtime }, ({ write }) => write(file, '')))).toBe('PATH_OUTSIDE')
    await runtime.close()
  })
})

describe('a file that a tool of one’s own writes', () => {
  it('is created with its folders, or replaced as a whole', async () => {
    const opened = openWorkspace(TREE)
    const { root } = opened
    expect(await inTool(opened, ({ write }) => write('x/y/z.txt', 'new'))).toEqual({
      path: 'x/y/z.txt',
      real: join(root, 'x/y/z.txt'),
      exists: true,
    })
    expect(readFileSync(join(root, 'x/y/z.txt'), 'utf8')).toBe('new')
    const before = statSync(join(root, 'a.txt')).ino
    await inTool(opened, ({ write }) => write('a.txt', new Uint8Array([65])))
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('A')
    expect(statSync(join(root, 'a.txt')).ino).not.toBe(before)
  })

  it('has to be read again before `edit` changes it', async () => {
    const opened = openWorkspace(TREE)
    await opened.call('read', { path: 'a.txt' })
    expect(await inTool(opened, ({ change }) => change('a.txt', text => `${text}two\n`))).toBe(true)
    expect(await inTool(opened, ({ change }) => change('a.txt', text => text))).toBe(false)
    const edit = { path: 'a.txt', old: 'one', new: 'three' }
    expect(await opened.refusal('edit', edit)).toBe('FILE_CHANGED')
    await opened.call('read', { path: 'a.txt' })
    expect(await opened.refusal('edit', edit)).toBeNull()
    expect(readFileSync(join(opened.root, 'a.txt'), 'utf8')).toBe('three\ntwo\n')
  })

  it('waits for others that change it, and loses none of their changes', async () => {
    const opened = openWorkspace({ 'count.txt': '0' })
    const again = (text: string): Promise<string> =>
      new Promise(resolve => {
        setImmediate(() => resolve(String(Number(text) + 1)))
      })
    await inTool(opened, ({ change }) =>
      Promise.all(Array.from({ length: 20 }, () => change('count.txt', again))),
    )
    expect(readFileSync(join(opened.root, 'count.txt'), 'utf8')).toBe('20')
  })

  it('stays as somebody else left it meanwhile', async () => {
    const opened = openWorkspace(TREE)
    const file = join(opened.root, 'a.txt')
    const work: Work<boolean> = ({ change }) =>
      change('a.txt', () => {
        writeFileSync(file, 'theirs\n')
        return 'ours\n'
      })
    expect(await refusal(opened, work)).toBe('FILE_CHANGED')
    expect(readFileSync(file, 'utf8')).toBe('theirs\n')
  })

  it('does not appear once the call is aborted', async () => {
    const opened = openWorkspace(TREE)
    const stop = new AbortController()
    let tried: Promise<string | null> = Promise.resolve(null)
    const call = inTool(
      opened,
      async ({ write, change }) => {
        tried = refusalOf(
          change('a.txt', () => {
            stop.abort()
            return 'late'
          }),
        ).then(code => refusalOf(write('late/a.txt', '')).then(other => `${code} ${other}`))
        return tried
      },
      stop.signal,
    )
    await refusalOf(call)
    expect(await tried).toBe('RUN_ABORTED RUN_ABORTED')
    expect(readFileSync(join(opened.root, 'a.txt'), 'utf8')).toBe('one\n')
    expect(existsSync(join(opened.root, 'late'))).toBe(false)
  })
})

it('pathKey is the key of the built-in tools', () => {
  expect(['./a//b/../c/', '.', '/'].map(pathKey)).toEqual(['a/c', '.', '/'])
  // Elsewhere than on Windows, that is one name.
  expect(pathKey('a\\..\\b')).toBe(sep === '/' ? 'a\\..\\b' : 'b')
  // To normalize it took minutes.
  const endless = '../'.repeat(100_000)
  expect(pathKey(endless)).toBe(endless)
})

describe('the example in docs/workspace.md', () => {
  const page = readFileSync(join(ROOT, 'docs/workspace.md'), 'utf8')
  const [, example = ''] = /^```js\n(import \{ defineTool[\s\S]*?)^```$/m.exec(page) ?? []
  const tree = {
    'package.json': '{ "type": "module" }',
    'skills/sort-lines.skill.js': example,
    'repo/a.txt': 'b\na\nb\n',
    'repo/.git/a': 'b\na\n',
  }
  type Open = (cwd: string) => Promise<Runtime>
  const ways: [string, Open][] = [
    ['from disk', async cwd => createRuntime({ cwd, paths: ['skills'], workspace: 'repo' })],
    [
      'compiled',
      async cwd => {
        await compile({ cwd, paths: ['skills'] })
        return createRuntime({ cwd, paths: ['skills'], workspace: 'repo', freshness: 'trust' })
      },
    ],
    [
      'in a Node bundle',
      async cwd => {
        await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs', host: 'node' })
        const made = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
        return made.createRuntime({ workspace: join(cwd, 'repo') })
      },
    ],
  ]
  // The packages of the library's tools take a bundle for Node seconds.
  it.each(isLong ? ways : ways.slice(0, 2))(
    'works %s, and asks about paths as the built-in tools do',
    async (_, open) => {
      const cwd = makeTree(tree)
      mkdirSync(join(cwd, 'node_modules'))
      symlinkSync(ROOT, join(cwd, 'node_modules/agent-apps'))
      const runtime = await open(cwd)
      const agent = runtime.forAgent({ permissions: ['read', 'write'], deny: ['sort-lines(docs/**)'] })
      expect(await refusalOf(agent.invoke('sort-lines', { path: './docs/../docs/a.txt' }))).toBe(
        'TOOL_DENIED',
      )
      expect(await refusalOf(agent.invoke('sort-lines', { path: 'a.txt' }))).toBe('APPROVAL_UNAVAILABLE')
      expect(await runtime.invoke('sort-lines', { path: 'a.txt' })).toBe('Sorted a.txt.')
      expect(readFileSync(join(cwd, 'repo/a.txt'), 'utf8')).toBe('a\nb\n')
      expect(await runtime.invoke('sort-lines', { path: 'a.txt' })).toBe('a.txt was sorted already.')
      expect(await refusalOf(runtime.invoke('sort-lines', { path: '.git/a' }))).toBe('FILE_PROTECTED')
      expect(await refusalOf(runtime.invoke('sort-lines', { path: '../a.txt' }))).toBe('PATH_OUTSIDE')
    },
  )

  it('goes into a bundle for any host, which has no workspace', { tags: 'long' }, async () => {
    const cwd = makeTree(tree)
    await compile({ cwd, paths: ['skills'], bundle: 'dist/agent.mjs' })
    const { runtime } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    expect(await refusalOf(runtime.invoke('sort-lines', { path: 'a.txt' }))).toBe('WORKSPACE_MISSING')
  })
})
