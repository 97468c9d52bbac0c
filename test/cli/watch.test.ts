import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRuntime } from 'agent-apps'
import { type CompileResult, compile, type Watcher, type WatchOptions, watch } from 'agent-apps/compiler'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { codeSkills } from '../support/code-project.js'
import { some, times } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { ROOT } from '../support/processes.js'
import { goodSkills, makeTree, skill, type Tree, writeTree } from '../support/tree.js'

/** Milliseconds without a change after which these compile. */
const DELAY = 10
/** Several times as long: what has not begun by then does not come. */
const QUIET = times(6, 12) * DELAY

interface Watched {
  root: string
  watcher: Watcher
  results: CompileResult[]
  errors: unknown[]
  /** The names that the last compile found. */
  names: () => string[]
}

const open: Watcher[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map(watcher => watcher.close()))
})

async function watched(tree: Tree, options: WatchOptions = {}): Promise<Watched> {
  const root = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
  return { root, ...(await watching(root, { paths: ['skills'], ...options })) }
}

async function watching(cwd: string, options: WatchOptions): Promise<Omit<Watched, 'root'>> {
  const results: CompileResult[] = []
  const errors: unknown[] = []
  const watcher = await watch({
    cwd,
    delay: DELAY,
    onCompile: result => results.push(result),
    onError: error => errors.push(error),
    ...options,
  })
  open.push(watcher)
  const names = () => (results.at(-1)?.skills ?? []).map(({ name }) => name).sort()
  return { watcher, results, errors, names }
}

/** Waits for what must come; the deadline only says that it never will. */
function until(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 60_000, interval: 20 })
}

const SKILLS: Tree = { 'skills/one/SKILL.md': skill('one'), 'skills/two.skill.md': skill('two') }
const TEXT = skill('one', 'Another text.\n')

describe('what leads to a compile', () => {
  it('compiles at once, and says what came of it', async () => {
    const { results, names, watcher } = await watched(SKILLS)
    expect(results).toHaveLength(1)
    expect(names()).toEqual(['one', 'two'])
    expect(watcher.polls).toBe(false)
  })

  const edits: [string, (root: string) => void, string[]][] = [
    ['an edit', root => writeFileSync(join(root, 'skills/two.skill.md'), skill('three')), ['one', 'three']],
    [
      'a save by a rename over the file',
      root => {
        writeFileSync(join(root, 'skills/.two.tmp'), skill('three'))
        renameSync(join(root, 'skills/.two.tmp'), join(root, 'skills/two.skill.md'))
      },
      ['one', 'three'],
    ],
    [
      'a save by deleting and creating',
      root => {
        unlinkSync(join(root, 'skills/two.skill.md'))
        writeFileSync(join(root, 'skills/two.skill.md'), skill('three'))
      },
      ['one', 'three'],
    ],
    [
      'a folder that is made with its skill',
      root => writeTree(root, { 'skills/deep/er/new/SKILL.md': skill('new') }),
      ['new', 'one', 'two'],
    ],
    [
      'a folder that is moved in',
      root => {
        writeTree(root, { 'elsewhere/new/SKILL.md': skill('new') })
        renameSync(join(root, 'elsewhere'), join(root, 'skills/moved'))
      },
      ['new', 'one', 'two'],
    ],
    ['a folder that is removed', root => rmSync(join(root, 'skills/one'), { recursive: true }), ['two']],
    ['a folder that is moved away', root => renameSync(join(root, 'skills/one'), join(root, 'one')), ['two']],
    ['a file that is removed', root => unlinkSync(join(root, 'skills/two.skill.md')), ['one']],
  ]
  it.each(edits)('%s', async (_, edit, expected) => {
    const { root, names } = await watched(SKILLS)
    edit(root)
    await until(() => expect(names()).toEqual(expected))
    const runtime = createRuntime({ paths: [join(root, 'skills')], freshness: 'trust' })
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual(expected)
    expect(runtime.stats().via.disk).toBe(0)
  })

  it('goes on below folders that were made, removed and made again', async () => {
    const { root, names } = await watched(SKILLS)
    for (let round = 0; round < times(2, 4); round++) {
      writeTree(root, { 'skills/group/new/SKILL.md': skill('new') })
      await until(() => expect(names()).toContain('new'))
      writeTree(root, { [`skills/group/other-${round}/SKILL.md`]: skill(`other-${round}`) })
      await until(() => expect(names()).toContain(`other-${round}`))
      writeTree(root, { 'skills/group/new/SKILL.md': skill(`new-${round}`) })
      await until(() => expect(names()).toContain(`new-${round}`))
      rmSync(join(root, 'skills/group'), { recursive: true })
      await until(() => expect(names()).toEqual(['one', 'two']))
    }
  })

  it('a folder that is replaced by another one before anybody looked', async () => {
    const { root, names, results } = await watched(SKILLS)
    for (let round = 0; round < times(1, 3); round++) {
      const before = results.length
      rmSync(join(root, 'skills/one'), { recursive: true })
      writeTree(root, { 'skills/one/SKILL.md': skill('one', `Round ${round}.\n`) })
      await until(() => expect(results).toHaveLength(before + 1))
      await sleep(QUIET)
      // The new folder is watched, not the one that it replaced.
      writeTree(root, { 'skills/one/SKILL.md': skill(`one-${round}`) })
      await until(() => expect(names()).toContain(`one-${round}`))
    }
  })

  it('a resource, and a file that contents include', async () => {
    const { root, results } = await watched({
      'skills/one/SKILL.md': skill('one', '::include[./part.md]\n'),
      'skills/one/part.md': 'A part.\n',
    })
    const rendered = () => createRuntime({ paths: [join(root, 'skills')], freshness: 'trust' }).render('one')
    expect(await rendered()).toContain('A part.')
    writeFileSync(join(root, 'skills/one/part.md'), 'Another.\n')
    await until(() => expect(results).toHaveLength(2))
    expect(await rendered()).toContain('Another.')
    expect(results[1]?.rendered).toBe(1)
  })

  it('code beside the skills that theirs imports', async () => {
    const { root, dir } = codeSkills({
      'say.skill.js': `import { word } from '../lib/word.js'\nexport const frontmatter = { name: 'say', description: 'Says it.' }\nexport default () => word\n`,
      '../lib/word.js': "export const word = 'one'\n",
      '../lib/other.js': 'export const other = 1\n',
    })
    const { results } = await watching(root, { paths: ['skills'] })
    writeFileSync(join(root, 'lib/word.js'), "export const word = 'two'\n")
    await until(() => expect(results).toHaveLength(2))
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('say')).toBe('two')
    writeFileSync(join(root, 'lib/other.js'), 'export const other = 2\n')
    await sleep(QUIET)
    expect(results).toHaveLength(2)
  })

  it('a file that code reads by its place, where a bundle has it', { tags: 'long' }, async () => {
    const { root } = codeSkills({
      'say.skill.js': `export const frontmatter = { name: 'say', description: 'Says it.' }\nexport default () => String(new URL('../lib/words.txt', import.meta.url))\n`,
      '../lib/words.txt': 'one',
    })
    const { results } = await watching(root, { paths: ['skills'], bundle: 'dist/agent.mjs' })
    const words = (): string[] =>
      readdirSync(join(root, 'dist/agent-chunks'))
        .filter(name => name.startsWith('asset-'))
        .map(name => readFileSync(join(root, 'dist/agent-chunks', name), 'utf8'))
    expect(words()).toEqual(['one'])
    writeFileSync(join(root, 'lib/words.txt'), 'two')
    await until(() => expect(words()).toEqual(['two']))
    await until(() => expect(results).toHaveLength(2))
  })

  it.each(some(['skills', '.agent-apps-skills']))(
    'a directory that goes and comes back: %s',
    async directory => {
      const root = makeTree({
        [`${directory}/one/SKILL.md`]: skill('one'),
        [`${directory}/two.skill.md`]: skill('two'),
      })
      const { names, errors } = await watching(root, { paths: [directory] })
      for (let round = 1; round <= 2; round++) {
        renameSync(join(root, directory), join(root, 'away'))
        await until(() => expect(errors).toHaveLength(round))
        expect(errors.at(-1)).toMatchObject({ code: 'DIRECTORY_NOT_FOUND' })
        writeFileSync(join(root, 'away/two.skill.md'), skill(`back-${round}`))
        renameSync(join(root, 'away'), join(root, directory))
        await until(() => expect(names()).toEqual([`back-${round}`, 'one']))
        writeFileSync(join(root, directory, 'two.skill.md'), skill('two'))
        await until(() => expect(names()).toEqual(['one', 'two']))
      }
    },
  )

  it.each(
    some(['agent-apps.config.js', 'agent-apps.config.ts', 'package.json', 'agent-apps.config.json'], 2),
  )('the configuration in %s', { tags: 'long' }, async file => {
    const text = (...paths: string[]): string => {
      if (file === 'package.json') return JSON.stringify({ 'agent-apps': { paths } })
      return file.endsWith('json')
        ? JSON.stringify({ paths })
        : `export default ${JSON.stringify({ paths })}\n`
    }
    const root = makeTree({ ...SKILLS, 'more/three.skill.md': skill('three'), [file]: text('skills') })
    const { names, errors, results } = await watching(root, {})
    writeFileSync(join(root, file), text('skills', 'more'))
    await until(() => expect(names()).toEqual(['one', 'three', 'two']))
    writeFileSync(join(root, file), text('more'))
    await until(() => expect(names()).toEqual(['three']))
    writeFileSync(join(root, file), file.endsWith('json') && file !== 'package.json' ? '{' : text('none'))
    await until(() => expect(errors).toHaveLength(1))
    writeFileSync(join(root, file), text('more', 'skills'))
    await until(() => expect(names()).toEqual(['one', 'three', 'two']))
    const count = results.length
    await sleep(QUIET)
    expect(results).toHaveLength(count)
  })

  it('a configuration that comes, and a conventional directory', async () => {
    const root = makeTree(SKILLS)
    const { names } = await watching(root, {})
    writeTree(root, { '.claude/skills/three.skill.md': skill('three') })
    await until(() => expect(names()).toEqual(['one', 'three', 'two']))
    writeFileSync(join(root, 'agent-apps.config.json'), '{ "paths": [".claude/skills"] }')
    await until(() => expect(names()).toEqual(['three']))
  })
})

describe('what does not', () => {
  it('what compiling writes itself, and what is of no consequence', { tags: 'long' }, async () => {
    let looked = 0
    const { root, results } = await watched(SKILLS, { onProgress: ({ done }) => done === 1 && looked++ })
    expect(looked).toBe(1)
    await sleep(QUIET)
    expect(looked).toBe(1)
    await compile({ cwd: root, paths: ['skills'], force: true })
    writeTree(root, {
      'elsewhere.txt': 'Not of the project.\n',
      'skills/node_modules/a/SKILL.md': skill('a'),
    })
    await sleep(QUIET)
    writeFileSync(join(root, 'skills/node_modules/a/SKILL.md'), skill('b'))
    await sleep(QUIET)
    expect(results).toHaveLength(1)
    writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
    await until(() => expect(results).toHaveLength(2))
    const sofar = looked
    await sleep(QUIET)
    expect(looked).toBe(sofar)
  })

  it('one change after another waits for quiet, and comes to one compile', { tags: 'long' }, async () => {
    const { root, results } = await watched(SKILLS, { delay: 300 })
    for (let number = 0; number < 20; number++) {
      writeTree(root, { [`skills/new-${number}/SKILL.md`]: skill(`new-${number}`) })
      await sleep(5)
    }
    await until(() => expect(results).toHaveLength(2))
    expect(results[1]?.skills).toHaveLength(22)
    await sleep(2 * 300)
    expect(results).toHaveLength(2)
  })
})

it('changes during a compile lead to exactly one more, and compiles never overlap', async () => {
  let running = 0
  let most = 0
  let starts = 0
  let during: (() => void) | null = null
  const { root, results } = await watched(
    {
      ...SKILLS,
      ...Object.fromEntries(Object.entries(goodSkills(50)).map(([path, text]) => [`skills/${path}`, text])),
    },
    {
      onProgress({ done, total }) {
        if (done === 1) {
          starts++
          most = Math.max(most, ++running)
        }
        if (done === total) running--
        if (done === 25) during?.()
      },
    },
  )
  during = () => {
    during = null
    for (const round of [1, 2, 3])
      for (const number of [0, 30])
        writeTree(root, { [`skills/good-${number}/SKILL.md`]: skill(`good-${number}`, `Round ${round}.\n`) })
  }
  writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
  await until(() => expect(starts).toBe(3))
  await sleep(QUIET)
  expect([starts, most]).toEqual([3, 1])
  const runtime = createRuntime({ paths: [join(root, 'skills')], freshness: 'trust' })
  for (const name of ['good-0', 'good-30']) expect(await runtime.render(name)).toBe('Round 3.\n')
  expect(results.at(-1)?.skills).toHaveLength(52)
})

it('a skill that breaks is told, its neighbours go on, and mending it is told', async () => {
  const { root, results, names } = await watched(SKILLS)
  writeFileSync(join(root, 'skills/two.skill.md'), '---\nname: [\n---\n')
  await until(() => expect(names()).toEqual(['one']))
  expect(results.at(-1)?.diagnostics.map(({ fatal }) => fatal)).toContain(true)
  writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
  await until(() => expect(results).toHaveLength(3))
  writeFileSync(join(root, 'skills/two.skill.md'), skill('two'))
  await until(() => expect(names()).toEqual(['one', 'two']))
  expect(results.at(-1)?.diagnostics).toEqual([])
})

it('whoever reads meanwhile sees the old index or the new one', { tags: 'long' }, async () => {
  const many = Object.fromEntries(
    Object.entries(goodSkills(300)).map(([path, text]) => [`skills/${path}`, text]),
  )
  const { root, results } = await watched(many)
  const dir = join(root, 'skills')
  for (let round = 2; round < times(3, 6); round++) {
    for (let number = 0; number < 300; number += 7)
      appendFileSync(join(dir, `good-${number}/SKILL.md`), 'More.\n')
    while (results.length < round) {
      const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
      expect((await runtime.findTool(`good-${round}`))?.origin.via).toBe('index')
      expect(runtime.diagnostics()).toEqual([])
      await sleep(1)
    }
  }
})

describe('how it ends', () => {
  it('by close, more than once', async () => {
    const { root, watcher, results } = await watched(SKILLS)
    await Promise.all([watcher.close(), watcher.close(), watcher.closed])
    writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
    await sleep(QUIET)
    expect(results).toHaveLength(1)
  })

  it('by a signal, during a compile too', async () => {
    const controller = new AbortController()
    let compiles = 0
    const { root, watcher, errors, results } = await watched(SKILLS, {
      signal: controller.signal,
      onProgress: ({ done }) => done === 1 && ++compiles === 2 && controller.abort(),
    })
    writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
    await watcher.closed
    expect([compiles, results.length, errors]).toEqual([2, 1, []])
  })

  it('before it began', async () => {
    const root = makeTree(SKILLS)
    await expect(watch({ cwd: root, paths: ['skills'], signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'COMPILE_ABORTED',
    })
    await expect(watch({ cwd: root, paths: ['none'] })).rejects.toMatchObject({ code: 'DIRECTORY_NOT_FOUND' })
    await expect(watch({ cwd: root, dealy: 1 } as WatchOptions)).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
      hint: 'Did you mean `delay`?',
    })
  })
})

describe('looking from time to time', () => {
  it('as it was told to', async () => {
    const { root, watcher, names, results } = await watched(SKILLS, { poll: 20 })
    expect(watcher.polls).toBe(true)
    writeTree(root, { 'skills/new/SKILL.md': skill('new') })
    await until(() => expect(names()).toEqual(['new', 'one', 'two']))
    renameSync(join(root, 'skills'), join(root, 'away'))
    await sleep(QUIET)
    renameSync(join(root, 'away'), join(root, 'skills'))
    await until(() => expect(results).toHaveLength(3))
    await sleep(QUIET)
    expect(results).toHaveLength(3)
  })

  it('where the system watches no more directories', { tags: 'long' }, async () => {
    const CODES = ['ENOSPC', 'EMFILE']
    const { watch: original } = fs
    const all: Watched[] = []
    try {
      for (const code of CODES) {
        fs.watch = (() => {
          throw Object.assign(new Error(code), { code })
        }) as typeof fs.watch
        syncBuiltinESMExports()
        all.push(await watched(SKILLS))
      }
      expect(all.map(({ watcher }) => watcher.polls)).toEqual([true, true])
      for (const { root } of all) writeTree(root, { 'skills/new/SKILL.md': skill('new') })
      // Both wait at once for the second after which they look.
      for (const [at, { names }] of all.entries())
        await until(() => expect(names(), CODES[at]).toEqual(['new', 'one', 'two']))
    } finally {
      fs.watch = original
      syncBuiltinESMExports()
    }
  })
})

describe('agent-apps compile --watch', () => {
  const COMMAND = join(ROOT, 'dist/cli/main.js')

  function start(args: string[]): {
    root: string
    said: { out: string; err: string }
    process: ChildProcess
  } {
    const root = makeTree(SKILLS)
    const { NO_COLOR: _, FORCE_COLOR: __, GITHUB_ACTIONS: ___, ...env } = process.env
    const child = spawn(process.execPath, [COMMAND, 'compile', '--watch', ...args], { cwd: root, env })
    const said = { out: '', err: '' }
    child.stdout?.on('data', text => {
      said.out += text
    })
    child.stderr?.on('data', text => {
      said.err += text
    })
    return { root, said, process: child }
  }

  const code = async (child: ChildProcess): Promise<unknown> =>
    child.exitCode ?? (await once(child, 'exit')).find(value => value !== null)

  it.each(some([[['--poll', '50']], [[]]]))(
    'says each time what compile says, until Ctrl-C: %j',
    { tags: 'long' },
    async args => {
      const { root, said, process: child } = start(args)
      await until(() => expect(said.err).toContain('Watching for changes'))
      expect(said.out).toMatch(/^compiled 2 skills \(2 changed\) in \d+ ms · \.agent-apps\.json in \.\n$/)
      writeFileSync(join(root, 'skills/two.skill.md'), '---\nname: [\n---\n')
      await until(() =>
        expect(said.out).toMatch(/\ncompiled 1 skill from 2 files \(1 changed\) .* 1 error .*\n$/),
      )
      expect(said.err).toContain('two.skill.md')
      renameSync(join(root, 'skills'), join(root, 'away'))
      await until(() => expect(said.err).toContain('(NO_SKILL_PATHS)'))
      renameSync(join(root, 'away'), join(root, 'skills'))
      await until(() => expect(said.out.trim().split('\n')).toHaveLength(3))
      child.kill('SIGINT')
      expect(await code(child)).toBe(130)
    },
  )

  it('--json gives a line for each', async () => {
    const { root, said, process: child } = start(['--json', 'skills'])
    await until(() => expect(said.err).toContain('Watching for changes'))
    writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
    await until(() => expect(said.out.split('\n')).toHaveLength(3))
    const lines = said.out
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as CompileResult)
    expect(lines.map(({ reused }) => reused)).toEqual([0, 1])
    child.kill('SIGINT')
    expect(await code(child)).toBe(130)
  })

  const wrong: [args: string[], exit: number, error: string][] = [
    [['--check'], 2, 'USAGE'],
    [['--poll', 'often'], 2, 'USAGE'],
    [['none'], 1, 'DIRECTORY_NOT_FOUND'],
  ]
  it.each(wrong)('%j ends at once', { tags: 'long' }, async (args, exit, error) => {
    const { said, process: child } = start(args)
    expect(await code(child)).toBe(exit)
    await until(() => expect(said.err).toContain(`(${error})`))
  })
})

it('leaves no temporary files', async () => {
  const { root, results, watcher } = await watched(SKILLS)
  mkdirSync(join(root, 'skills/more'))
  writeFileSync(join(root, 'skills/one/SKILL.md'), TEXT)
  await until(() => expect(results).toHaveLength(2))
  await watcher.close()
  expect(readdirSync(join(root, 'skills')).filter(name => name.startsWith('.'))).toEqual([
    '.agent-apps',
    '.agent-apps.json',
  ])
})
