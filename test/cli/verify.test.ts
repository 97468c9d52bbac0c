import {
  appendFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime, isAgentAppsError, type Runtime } from 'agent-apps'
import { clean, compile, verify } from 'agent-apps/compiler'
import { describe, expect, it, vi } from 'vitest'
import { codeSkills } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { isLong, oneIn, some } from '../support/long.js'
import { rewriteIndex } from '../support/poisoned-index.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, type Tree } from '../support/tree.js'

const counting = (name: string): string => `import { next } from './lib/shared.js'
export const frontmatter = {
  name: '${name}',
  description: 'Counts.',
  metadata: { params: { type: 'object', properties: { by: { type: 'number' } } } },
}
export default (_ctx, { by = 1 } = {}) => next(by)
`

/** One of everything that an index has a digest of. */
const TREE: Tree = {
  'review/SKILL.md': '---\nname: review\ndescription: Reviews.\n---\nLook at it.\n',
  'review/references/guide.md': '# Guide\n',
  'including/SKILL.md':
    '---\nname: including\ndescription: Includes.\nmetadata: { params: { type: object, properties: { page: { type: string } } } }\n---\n::include[notes.md]\n\n::include[${args.page}]\n',
  'including/notes.md': 'Notes.\n',
  'including/page.md': 'Page.\n',
  'one.skill.js': counting('one'),
  'two.skill.js': counting('two'),
  'lib/shared.js':
    "import { stringify } from 'agent-apps'\nlet sum = 0\nexport const next = by => ({ text: stringify([(sum += by)]), from: import.meta.url.slice(-13) })\n",
  'delegating/SKILL.md':
    '---\nname: delegating\ndescription: Delegates.\nmetadata: { delegate: ./run.js }\n---\nNothing.\n',
  'delegating/run.js': "export default () => 'ran'\n",
}

/** A project that was compiled. */
async function project(more?: Tree): Promise<string> {
  if (more) return compiled({ ...TREE, ...more })
  plain ??= compiled(TREE)
  const root = temporary()
  cpSync(join(await plain, '..'), root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return join(root, 'skills')
}

/** The project that is copied for each test that needs no more files. */
let plain: Promise<string> | undefined
/** A project whose files nothing has touched since it was compiled, for tests that compile it again. */
async function compiled(tree: Tree): Promise<string> {
  const { dir } = codeSkills(tree)
  await compile({ cwd: dir, paths: [dir] })
  return dir
}

const verifying = (dir: string): Runtime => createRuntime({ paths: [dir], verify: true })

/** The code of what a promise is rejected with, and the name of the file that it is about. */
async function failure(work: Promise<unknown>): Promise<unknown> {
  const error: unknown = await work.then(
    result => ({ result }),
    (thrown: unknown) => thrown,
  )
  return isAgentAppsError(error) ? [error.code, basename(error.file ?? ''), error.hint.length > 0] : error
}

const failed = (file: string): unknown => ['INTEGRITY_FAILED', file, true]

/** The made files of a directory that a pattern matches, absolute. */
function made(dir: string, pattern: RegExp): string[] {
  const folder = join(dir, '.agent-apps')
  return readdirSync(folder)
    .filter(name => pattern.test(name))
    .map(name => join(folder, name))
}

/** Changes a byte of a file, so that its size stays. */
function flip(file: string): void {
  const bytes = readFileSync(file)
  bytes[bytes.length - 2] = (bytes[bytes.length - 2] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

function moduleOf(dir: string, name: string): string {
  const { tools } = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8'))
  return join(dir, tools[name].module.file)
}

describe('a runtime that verifies', () => {
  it('does what any does where everything is as it was compiled', async () => {
    const dir = await project()
    const other = createRuntime({ paths: [dir], freshness: 'trust' })
    const runtime = verifying(dir)
    for (const one of [other, runtime]) {
      expect(await one.invoke('one', { by: 2 })).toEqual({ text: '[2]', from: 'lib/shared.js' })
      // Both have one copy of what they share, in each runtime's own copies.
      expect(await one.invoke('two', { by: 3 })).toEqual({ text: '[5]', from: 'lib/shared.js' })
    }
    expect(await runtime.invoke('delegating')).toBe('ran')
    expect(await runtime.invoke('review')).toBe('Look at it.\n')
    expect(await runtime.render('including', { args: { page: 'page.md' } })).toBe('Notes.\n\nPage.\n')
    expect(Buffer.from(await runtime.readResource('review', 'references/guide.md')).toString()).toBe(
      '# Guide\n',
    )
    await expect(runtime.invoke('one', { by: 'x' })).rejects.toMatchObject({ code: 'ARGS_INVALID' })
    expect(runtime.stats()).toMatchObject({ via: { disk: 0 }, parser: 'unused' })
    expect(runtime.diagnostics()).toEqual([])
  })

  /** What is changed, what then asks for it, and the file that the error is about. */
  const changes: Record<string, [(dir: string) => string, (runtime: Runtime) => Promise<unknown>]> = {
    content: [dir => join(dir, 'review/SKILL.md'), runtime => runtime.invoke('review')],
    'content that is asked of the tool': [
      dir => join(dir, 'review/SKILL.md'),
      async runtime => (await runtime.findTool('review'))?.content?.(),
    ],
    'a resource': [
      dir => join(dir, 'review/references/guide.md'),
      runtime => runtime.readResource('review', 'references/guide.md'),
    ],
    'a file that is included when it is rendered': [
      dir => join(dir, 'including/page.md'),
      runtime => runtime.render('including', { args: { page: 'page.md' } }),
    ],
    'a module': [dir => moduleOf(dir, 'one'), runtime => runtime.invoke('one')],
    'a chunk that two modules share': [
      dir => made(dir, /^chunk-.*\.mjs$/)[0] ?? '',
      runtime => runtime.invoke('two'),
    ],
    'a delegate': [
      dir => {
        const { tools } = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8'))
        return join(dir, tools.delegating.delegate.file)
      },
      runtime => runtime.invoke('delegating'),
    ],
    'a compiled schema': [
      dir => {
        const { tools } = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8'))
        return join(dir, tools.one.validators.params)
      },
      runtime => runtime.invoke('one', { by: 1 }),
    ],
  }
  it.each(oneIn(2, Object.entries(changes)))('uses no %s that changed', async (_, [place, use]) => {
    const dir = await project()
    const file = place(dir)
    const before = readFileSync(file)
    flip(file)
    expect(await failure(use(verifying(dir)))).toEqual(failed(basename(file)))
    appendFileSync(file, 'and more')
    const runtime = verifying(dir)
    expect(await failure(use(runtime))).toEqual(failed(basename(file)))
    // The same runtime goes on where it was restored: the failure is not kept.
    writeFileSync(file, before)
    expect(await use(runtime)).toBeDefined()
    expect(await failure(use(runtime))).not.toEqual(failed(basename(file)))
  })

  it.each(['a module', 'content', 'a chunk that two modules share'])(
    'says so where %s is gone',
    async what => {
      const dir = await project()
      const [place, use] = changes[what] ?? []
      const file = place?.(dir) ?? ''
      rmSync(file)
      expect(await failure(use?.(verifying(dir)) ?? Promise.resolve())).toEqual(failed(basename(file)))
    },
  )

  it('imports the bytes that it checked, whatever lies there when Node reads them', async () => {
    const dir = await project()
    const { tools } = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8'))
    const file = join(dir, tools.delegating.delegate.file)
    const evil = `export default () => 'evil'; export { };`
    // The moment at which the check is done and the import begins.
    const { stringify } = JSON
    const stringifying = vi.spyOn(JSON, 'stringify').mockImplementation((value, ...more) => {
      if (Array.isArray(value) && String(value[0]?.[0]).endsWith('.mjs')) writeFileSync(file, evil)
      return stringify(value, ...(more as []))
    })
    const running = createRuntime({ paths: [dir], library: false, verify: true }).invoke('delegating')
    const error: unknown = await running.catch((thrown: unknown) => thrown)
    stringifying.mockRestore()
    expect(readFileSync(file, 'utf8')).toBe(evil)
    expect(error).toMatchObject({
      code: 'INTEGRITY_FAILED',
      message: expect.stringContaining('changed meanwhile'),
    })
  })

  it('is not misled by a module that was imported unchecked before', async () => {
    const dir = await project()
    const file = moduleOf(dir, 'one')
    const sound = readFileSync(file)
    writeFileSync(file, `export default () => 'evil'`)
    const trusting = createRuntime({ paths: [dir], library: false, freshness: 'trust' })
    expect(await trusting.invoke('one')).toBe('evil')
    writeFileSync(file, sound)
    expect(await verifying(dir).invoke('one')).toMatchObject({ from: 'lib/shared.js' })
  })

  it('follows no module and no SKILL.md that is a link out', async () => {
    const dir = await project()
    for (const [file, use] of [
      [moduleOf(dir, 'one'), (runtime: Runtime) => runtime.invoke('one')],
      [join(dir, 'review/SKILL.md'), (runtime: Runtime) => runtime.invoke('review')],
    ] as const) {
      const elsewhere = join(dir, '..', basename(file))
      renameSync(file, elsewhere)
      symlinkSync(elsewhere, file)
      expect(await failure(use(verifying(dir)))).toEqual(failed(basename(file)))
    }
  })

  it('includes nothing that no index has a digest of', async () => {
    const dir = await project()
    writeFileSync(join(dir, 'including/new.md'), 'New.\n')
    const rendering = verifying(dir).render('including', { args: { page: 'new.md' } })
    expect(await failure(rendering)).toEqual(failed('new.md'))
  })

  it('reads nothing from disk: not what was added, not a file by its path, not inline code', async () => {
    const dir = await project()
    writeFileSync(join(dir, 'new.skill.md'), '---\nname: new\ndescription: New.\n---\nNew.\n')
    writeFileSync(join(dir, 'code.skill.js'), counting('code'))
    const runtime = verifying(dir)
    expect(await runtime.findTool('new')).toBe(null)
    expect(await runtime.findTool('code')).toBe(null)
    expect(await runtime.findTool(join(dir, 'new.skill.md'))).toBe(null)
    expect(await runtime.findTool('inline://code,export default () => 1')).toBe(null)
    expect((await runtime.listTools()).map(({ name }) => name)).not.toContain('new')
    expect(runtime.stats().parser).toBe('unused')
  })

  it.each(
    oneIn<[string, (dir: string) => unknown]>(2, [
      ['has no index', dir => clean({ cwd: dir, paths: [dir] })],
      ['has an index that is cut off', dir => writeFileSync(join(dir, '.agent-apps.json'), '{')],
      [
        'has an index that was edited',
        dir => {
          const file = join(dir, '.agent-apps.json')
          writeFileSync(file, readFileSync(file, 'utf8').replace('Reviews.', 'Rewrites.'))
        },
      ],
    ]),
  )('takes nothing from a directory that %s', async (_, change) => {
    const dir = await project()
    await change(dir)
    const name = basename(dir)
    expect(await failure(verifying(dir).findTool('review'))).toEqual(failed(name))
    expect(await failure(verifying(dir).invoke('review'))).toEqual(failed(name))
    expect(await failure(verifying(dir).listTools())).toEqual(failed(name))
  })

  it('passes over a directory that does not exist', async () => {
    const dir = await project()
    const runtime = createRuntime({ paths: [join(dir, 'none'), dir], library: false, verify: true })
    expect(await runtime.invoke('review')).toBe('Look at it.\n')
  })

  it('trusts, and cannot be told to take changes from disk as well', async () => {
    const dir = await project()
    expect(verifying(dir).globals.config.freshness).toBe('trust')
    expect(() => createRuntime({ paths: [dir], verify: true, freshness: 'check' })).toThrow('`freshness`')
    expect(() => createRuntime({ paths: [dir], verify: 'yes' as never })).toThrow('`verify`')
  })

  it('holds for an index in several files', async () => {
    const dir = await project(goodSkills(150))
    expect(made(dir, /^index-/).length).toBeGreaterThan(1)
    expect(await verifying(dir).invoke('one')).toMatchObject({ from: 'lib/shared.js' })
    expect(await verifying(dir).invoke('good-7')).toBe('Do good-7.\n')
    flip(join(dir, 'good-7/SKILL.md'))
    expect(await failure(verifying(dir).invoke('good-7'))).toEqual(failed('SKILL.md'))
  })
})

describe('verify', () => {
  const found = async (dir: string): Promise<string[]> =>
    (await verify({ cwd: dir, paths: [dir] })).deviations.map(({ file, reason }) => `${file} ${reason}`)

  it('finds nothing where all is as it was compiled, and counts what it looked at', async () => {
    const dir = await project()
    const { counts, deviations, absent } = await verify({ cwd: dir, paths: [dir] })
    const { details, files, modules } = JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8'))
    expect(Object.keys(files)).toEqual(expect.arrayContaining(modules))
    const resources = Object.keys(details).flatMap(name =>
      details[name].resources.map(({ path }: { path: string }) => `${name}/${path}`),
    )
    expect({ counts, deviations, absent }).toEqual({
      // The index itself is one too.
      counts: { directories: 1, files: 1 + new Set([...Object.keys(files), ...resources]).size, absent: 0 },
      deviations: [],
      absent: [],
    })
  })

  it('finds a change of any file that an index names', async () => {
    const dir = await project(goodSkills(150))
    const all = readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter(item => item.isFile() && !/^(?:cache|\.gitignore)/.test(item.name))
      .map(item => join(item.parentPath, item.name).slice(dir.length + 1))
      .filter(path => !/^good-\d/.test(path) || path.startsWith('good-7/'))
    expect(all.length).toBeGreaterThan(15)
    // The parts of the index one after another: the first that is refused hides the others.
    const isPart = (path: string): boolean => path.startsWith('.agent-apps')
    for (const paths of [all.filter(path => !isPart(path)), ...all.filter(isPart).map(path => [path])]) {
      const files = paths.map(path => join(dir, path))
      const before = files.map(file => readFileSync(file))
      for (const file of files) flip(file)
      const deviations = (await found(dir)).join()
      for (const path of paths) expect(deviations).toContain(path)
      for (const [at, file] of files.entries()) writeFileSync(file, before[at] as Buffer)
    }
    expect(await found(dir)).toEqual([])
  })

  it('tells what is gone from what is missing', async () => {
    const dir = await project()
    for (const path of ['one.skill.js', 'lib', 'delegating/run.js', 'review'])
      rmSync(join(dir, path), { recursive: true })
    const { deviations, absent } = await verify({ cwd: dir, paths: [dir] })
    expect(deviations.map(({ file, reason }) => [file, reason])).toEqual([
      // A resource of a folder skill may be asked for.
      ['delegating/run.js', 'is gone'],
      ['review/SKILL.md', 'is gone'],
      ['review/references/guide.md', 'is gone'],
    ])
    expect(absent).toEqual(['lib/shared.js', 'one.skill.js'])
  })

  it.each(
    oneIn<[string, (dir: string) => void, string]>(2, [
      ['no index', dir => rmSync(join(dir, '.agent-apps.json')), '.agent-apps.json is not there'],
      [
        'an index that is cut off',
        dir => writeFileSync(join(dir, '.agent-apps.json'), '{"version":1'),
        '.agent-apps.json is refused: it is cut off or no JSON',
      ],
      [
        'an index of another version',
        dir => writeFileSync(join(dir, '.agent-apps.json'), '{"version":9}'),
        '.agent-apps.json is refused: its version is 9, and this runtime reads 2',
      ],
      [
        'an index that was edited',
        dir => {
          const file = join(dir, '.agent-apps.json')
          writeFileSync(file, readFileSync(file, 'utf8').replace('Reviews.', 'Rewrites.'))
        },
        '.agent-apps.json has other records than it was written with',
      ],
      [
        'a folder in the place of a file',
        dir => {
          rmSync(join(dir, 'review/SKILL.md'))
          cpSync(join(dir, 'review/references'), join(dir, 'review/SKILL.md'), { recursive: true })
        },
        'review/SKILL.md is not a file',
      ],
    ]),
  )('says what is wrong with %s', async (_, change, expected) => {
    const dir = await project()
    change(dir)
    expect(await found(dir)).toEqual([expected])
  })

  it.each(
    oneIn<[string, (dir: string) => void, string]>(3, [
      [
        'a tool of no kind',
        dir => rewriteIndex(dir, ({ tools }) => void Object.assign(tools.review ?? {}, { kind: 'none' })),
        'is refused: the record of "review" is invalid',
      ],
      [
        'a tool outside of the directory',
        dir =>
          rewriteIndex(dir, ({ tools }) => void Object.assign(tools.review ?? {}, { file: '../SKILL.md' })),
        'is refused: "review" names a file outside the directory',
      ],
      [
        'a cascade without a chain',
        dir => rewriteIndex(dir, ({ cascades }) => void Object.assign(cascades, { review: { chain: 1 } })),
        'is refused: the record of "review" is invalid',
      ],
      [
        'resources of no size',
        dir =>
          rewriteIndex(
            dir,
            ({ details }) => void Object.assign(details.review?.resources ?? [], [{ path: 'a' }]),
          ),
        'is refused: the record of "review" is invalid',
      ],
      [
        'a header without a listing',
        dir => rewriteIndex(dir, index => void Object.assign(index, { listing: 1 })),
        'is refused: its header is invalid',
      ],
      [
        'a plugin without a name',
        dir => rewriteIndex(dir, index => void Object.assign(index, { plugins: [{ version: '1.0.0' }] })),
        'is refused: its header is invalid',
      ],
      [
        'other ignore patterns',
        dir => rewriteIndex(dir, index => void Object.assign(index, { ignore: ['drafts'] })),
        'was compiled with another `ignore`',
      ],
    ]),
  )('rejects an index that a runtime refuses, and compile repairs it: %s', async (_, change, expected) => {
    const dir = await project()
    change(dir)
    const refused = async (): Promise<string[]> => {
      const runtime = createRuntime({ paths: [dir] })
      await runtime.describe('review')
      await runtime.invoke('review')
      return runtime.diagnostics().map(({ rule }) => rule)
    }
    expect(await refused()).toEqual(['index-refused'])
    expect(await found(dir)).toEqual([`.agent-apps.json ${expected}`])
    await compile({ cwd: dir, paths: [dir] })
    expect(await found(dir)).toEqual([])
    expect(await refused()).toEqual([])
  })

  it('says of a folder without an index what it is', { tags: 'long' }, async () => {
    const { dir } = codeSkills({ 'one.skill.md': '---\nname: one\ndescription: Is one.\n---\n' })
    await compile({ cwd: dir, paths: [dir], bundle: '../out/agent.mjs' })
    const noteOf = async (path: string): Promise<string[]> =>
      (await verify({ cwd: dir, paths: [path] })).deviations.map(({ note }) => note)
    expect(await noteOf('../out')).toEqual([
      expect.stringMatching(
        /^The folder has a bundle, .*`agent-apps compile --check --bundle \S*out\/agent\.mjs`/,
      ),
    ])
    rmSync(join(dir, '../out/agent.mjs'))
    expect(await noteOf('../out')).toEqual([
      expect.stringMatching(/^Restore it, or run `agent-apps compile` /),
    ])
  })

  it('is a command that exits with 1 where something differs', async () => {
    const dir = await project()
    const command = (...args: string[]) => agentApps(dir, ['verify', ...args])
    rmSync(join(dir, 'lib'), { recursive: true })
    const sound = await command('.', '--verbose')
    expect(sound.stderr).toContain('missing: lib/shared.js')
    expect([sound.status, sound.stdout]).toEqual([
      0,
      expect.stringMatching(/^verified \d+ files in 1 directory: all as compiled · 1 missing\n$/),
    ])
    flip(join(dir, 'review/SKILL.md'))
    const changed = await command('.')
    expect([changed.status, changed.stdout]).toEqual([
      1,
      expect.stringMatching(
        /^✗ review\/SKILL\.md is not what was compiled\n.*\nverified .*: 1 not as compiled/,
      ),
    ])
    expect(JSON.parse((await command('.', '--json')).stdout)).toMatchObject({
      deviations: [{ file: 'review/SKILL.md', reason: 'is not what was compiled' }],
      absent: ['lib/shared.js'],
    })
    expect((await command('none')).status).toBe(1)
  })

  it('says what is not a directory, and where nothing was there to verify', async () => {
    const { dir: cwd } = codeSkills({ 'one/SKILL.md': '---\nname: one\ndescription: Is one.\n---\n' })
    await compile({ cwd, paths: ['.'], ...(isLong && { bundle: '../out/agent.mjs' }) })
    mkdirSync(join(cwd, '../out'), { recursive: true })
    const refused = async (path: string): Promise<{ message: string; hint: string }> =>
      verify({ cwd, paths: [path] }).then(
        () => expect.fail('nothing thrown'),
        error => error,
      )
    if (isLong)
      expect(await refused('../out/agent.mjs')).toMatchObject({
        code: 'DIRECTORY_NOT_FOUND',
        message: expect.stringMatching(/agent\.mjs is a file, and no directory\.$/),
        hint: expect.stringMatching(/^It is a bundle, .*`agent-apps compile --check --bundle <file>`/),
      })
    expect(await refused('one/SKILL.md')).toMatchObject({
      hint: expect.stringMatching(/^Name the directory that contains it: \/[^ ]+\.$/),
    })
    expect(await refused('absent')).toMatchObject({
      message: expect.stringMatching(/^There is no directory /),
    })
    const { status, stdout } = await agentApps(cwd, ['verify', '../out'])
    expect([status, stdout]).toEqual([
      1,
      expect.stringMatching(/\nverified nothing: no index can be read in 1 directory\n$/),
    ])
  })
})

describe('a compile after files that were made were changed', () => {
  it.each(oneIn(3, [/^module-.*\.mjs$/, /^chunk-.*\.mjs$/, /\.map$/]))(
    'makes %s anew',
    { tags: 'long' },
    async pattern => {
      const dir = await compiled(TREE)
      const [file = ''] = made(dir, pattern)
      const before = readFileSync(file)
      // Clocks of file systems tick every few milliseconds.
      await sleep(50)
      flip(file)
      await compile({ cwd: dir, paths: [dir] })
      expect(readFileSync(file)).toEqual(before)
      expect((await compile({ cwd: dir, paths: [dir] })).written).toEqual([])
    },
  )

  it('makes a part of an index anew, also where its size and its time are the same', {
    tags: 'long',
  }, async () => {
    const dir = await project(goodSkills(300))
    for (const file of some(made(dir, /^index-/))) {
      const before = readFileSync(file)
      const { atime, mtime } = statSync(file)
      await sleep(50)
      flip(file)
      utimesSync(file, atime, mtime)
      await compile({ cwd: dir, paths: [dir] })
      expect(readFileSync(file)).toEqual(before)
    }
    expect((await verify({ cwd: dir, paths: [dir] })).deviations).toEqual([])
  })

  it('takes an index that is too large to be read for none', { tags: 'long' }, async () => {
    const dir = await compiled(TREE)
    const file = join(dir, '.agent-apps.json')
    const before = readFileSync(file)
    truncateSync(file, 2 ** 29)
    expect((await compile({ cwd: dir, paths: [dir], check: true })).outdated).toEqual(['.agent-apps.json'])
    await compile({ cwd: dir, paths: [dir] })
    expect(readFileSync(file)).toEqual(before)
    expect((await verify({ cwd: dir, paths: [dir] })).deviations).toEqual([])
  })
})
