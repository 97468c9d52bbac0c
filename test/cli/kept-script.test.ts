import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import * as nodeModule from 'node:module'
import { dirname, join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { installedPackage } from '../support/installed-package.js'
import { ORDINARY_USER } from '../support/ordinary-user.js'
import { ROOT } from '../support/processes.js'
import { skill, snapshot, type Tree, writeTree } from '../support/tree.js'

const PLAIN = { 'skills/one/SKILL.md': skill('one'), 'skills/two/SKILL.md': skill('two') }
const SCRIPT: Buffer = readFileSync(join(ROOT, 'dist/compiler/commands.cjs'))
const FOLDER = `${process.version}-${process.arch}-${process.getuid?.() ?? 'user'}`
/** The exit code of a command of which the forged code was run. */
const FORGED = 7

let command: string
let project: string
/** The folder of kept code, and that of `compile`. */
let folder: string
let file: string

beforeAll(() => {
  const { modules, command: installed } = installedPackage()
  command = installed
  project = dirname(modules)
  folder = join(modules, '.cache/agent-apps', FOLDER)
  file = join(folder, 'compile')
})

beforeEach(() => {
  clear()
  rmSync(join(project, 'node_modules/.cache'), { recursive: true, force: true })
  writeTree(project, PLAIN)
})

/** Removes all but what is installed. */
function clear(): void {
  for (const name of readdirSync(project))
    if (name !== 'node_modules') rmSync(join(project, name), { recursive: true })
}

function agentApps(args: string[], { env = {}, flags = [] as string[] } = {}) {
  const { NODE_DISABLE_COMPILE_CACHE: _, ...inherited } = process.env
  return spawnSync(process.execPath, [...flags, command, ...args], {
    cwd: project,
    encoding: 'utf8',
    env: { ...inherited, ...env },
  })
}

function compileStatus(options?: Parameters<typeof agentApps>[1]): number | null {
  return agentApps(['compile', 'skills'], options).status
}

let forgedCode: Buffer | undefined

/** Code of a script that is as long as ours, which is all that V8 compares: run as ours, it shows that it was used. */
function forged(): Buffer {
  const code = `
    const { Script } = require('node:vm')
    const script = new Script('(module => { module.exports.runCommand = () => ${FORGED} })'.padEnd(${SCRIPT.length}))
    const module = { exports: {} }
    script.runInThisContext()(module)
    module.exports.runCommand()
    process.stdout.write(script.createCachedData())`
  forgedCode ??= execFileSync(process.execPath, ['-e', code])
  return forgedCode
}

function withDigest(code: Buffer, source: Buffer = SCRIPT): Buffer {
  return Buffer.concat([createHash('sha256').update(source).update(code).digest(), code])
}

function keep(kept: Buffer): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(file, kept, { mode: 0o600 })
}

function changed(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes)
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at)
  return copy
}

/** True if a command leaves the kept code as it is, having used it. */
function isUsed(): boolean {
  const { ino } = statSync(file)
  return compileStatus() === 0 && statSync(file).ino === ino
}

describe.skipIf('enableCompileCache' in nodeModule)('where Node keeps no compiled code', () => {
  it('the code of a command is kept, and runs in the next process', () => {
    expect(compileStatus()).toBe(0)
    expect(snapshot(dirname(folder))).toEqual({
      [FOLDER]: '700 folder',
      [`${FOLDER}/compile`]: expect.stringMatching(/^600 file /),
    })
    expect(isUsed()).toBe(true)
    keep(withDigest(forged()))
    expect(compileStatus()).toBe(FORGED)
  })

  describe('code that is not used', { tags: 'long' }, () => {
    it.each<[what: string, place: () => void]>([
      ['of another build', () => keep(withDigest(forged(), changed(SCRIPT, 100)))],
      ['cut off', () => keep(withDigest(forged()).subarray(0, -8))],
      ['of which a byte is another', () => keep(changed(withDigest(forged()), 32 + (forged().length >> 1)))],
      ['of which the digest is another', () => keep(changed(withDigest(forged()), 0))],
      ['empty', () => keep(Buffer.alloc(0))],
      ['shorter than a digest', () => keep(Buffer.alloc(8))],
      ['no code', () => keep(withDigest(Buffer.from('none')))],
      [
        'that others may write',
        () => {
          keep(withDigest(forged()))
          chmodSync(file, 0o622)
        },
      ],
    ])('%s is replaced', (_, place) => {
      place()
      expect(compileStatus()).toBe(0)
      expect(readdirSync(folder)).toEqual(['compile'])
      expect(isUsed()).toBe(true)
    })

    it.each<[what: string, place: () => void]>([
      ['a folder', () => mkdirSync(file)],
      ['a pipe', () => execFileSync('mkfifo', [file])],
      [
        'a file of gigabytes',
        () => {
          writeFileSync(file, '')
          truncateSync(file, 3 * 2 ** 30)
        },
      ],
    ])('%s in its place keeps no command from running', (_, place) => {
      expect(compileStatus()).toBe(0)
      rmSync(file)
      place()
      expect(compileStatus()).toBe(0)
    })

    it('of V8 with other flags is replaced', () => {
      keep(withDigest(forged()))
      expect(compileStatus({ flags: ['--no-opt'] })).toBe(0)
      expect(readFileSync(file).equals(withDigest(forged()))).toBe(false)
    })

    it.each<[where: string, change: () => void]>([
      ['that everybody may write to', () => chmodSync(folder, 0o777)],
      ['that a group may write to', () => chmodSync(folder, 0o720)],
      [
        'behind a link',
        () => {
          renameSync(folder, `${folder}-linked`)
          symlinkSync(`${folder}-linked`, folder)
        },
      ],
      ['of another version', () => renameSync(folder, folder.replace(process.version, 'v20.0.0'))],
    ])('in a folder %s', (_, change) => {
      keep(withDigest(forged()))
      expect(compileStatus()).toBe(FORGED)
      change()
      expect(compileStatus()).toBe(0)
    })

    it.runIf(process.getuid?.() === 0)('of another user', () => {
      for (const path of [file, folder]) {
        keep(withDigest(forged()))
        expect(compileStatus()).toBe(FORGED)
        chownSync(path, ORDINARY_USER, ORDINARY_USER)
        expect(compileStatus()).toBe(0)
      }
    })

    it('with NODE_DISABLE_COMPILE_CACHE=1', () => {
      expect(compileStatus({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toBe(0)
      expect(existsSync(join(project, 'node_modules/.cache'))).toBe(false)
      keep(withDigest(forged()))
      expect(compileStatus({ env: { NODE_DISABLE_COMPILE_CACHE: '1' } })).toBe(0)
    })

    it('by another command', () => {
      keep(withDigest(forged()))
      expect(agentApps(['check', 'skills']).status).toBe(0)
      expect(agentApps(['list', '--path', 'skills']).status).toBe(0)
      expect(readdirSync(folder)).toEqual(['check', 'compile'])
    })
  })

  it('nothing is kept in a folder that others may write to', { tags: 'long' }, () => {
    mkdirSync(folder, { recursive: true })
    chmodSync(folder, 0o777)
    expect(compileStatus()).toBe(0)
    expect(readdirSync(folder)).toEqual([])
  })

  it('commands run where no folder can be made', { tags: 'long' }, () => {
    writeFileSync(join(project, 'node_modules/.cache'), '')
    expect(compileStatus()).toBe(0)
  })

  it.each([
    ['help', ['compile', '--help'], 0],
    ['a wrong option', ['compile', '--wrong'], 2],
    ['a missing directory', ['compile', '--cwd', 'nowhere'], 1],
  ])('%s keeps nothing', { tags: 'long' }, (_, args, status) => {
    expect(agentApps(args).status).toBe(status)
    expect(existsSync(file)).toBe(false)
  })

  it('a command that is interrupted or killed keeps nothing', { tags: 'long' }, async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const watching = spawn(process.execPath, [command, 'compile', '--watch', 'skills'], { cwd: project })
      const ended = new Promise(done => watching.once('exit', done))
      await new Promise(done => watching.stdout.once('data', done))
      watching.kill(signal)
      await ended
      expect(existsSync(file)).toBe(false)
    }
    expect(compileStatus()).toBe(0)
    expect(isUsed()).toBe(true)
  })

  it('processes that start at once keep one whole file', { tags: 'long' }, async () => {
    const started = Array.from({ length: 6 }, (_, number) =>
      spawn(process.execPath, [command, 'compile', '--bundle', `out-${number}/agent.mjs`, 'skills'], {
        cwd: project,
      }),
    )
    const codes = await Promise.all(started.map(one => new Promise(done => one.once('exit', done))))
    expect(new Set(codes)).toEqual(new Set([0]))
    expect(readdirSync(folder)).toEqual(['compile'])
    expect(isUsed()).toBe(true)
  })
})

it.runIf('enableCompileCache' in nodeModule)('where Node keeps compiled code, it alone does', () => {
  expect(compileStatus()).toBe(0)
  expect(existsSync(dirname(folder))).toBe(true)
  expect(existsSync(folder)).toBe(false)
})

describe('with kept code and without', { tags: 'long' }, () => {
  const SKILLS: Tree = {
    ...PLAIN,
    'package.json': '{}\n',
    'skills/code.skill.ts': `
      import { twice } from './twice.js'
      export const frontmatter = { name: 'code', description: 'Doubles.', parameters: { n: { type: 'number' } } }
      export default ({ n }: { n: number }): number => twice(n)`,
    'skills/twice.ts': 'export const twice = (n: number): number => 2 * n\n',
    'skills/yaml/SKILL.md':
      '---\nname: yaml\ndescription: >\n  Folded.\nmetadata: { a: [1, 2] }\n---\nSee [one](../one/SKILL.md).\n',
  }
  const FAULTY: Tree = {
    ...SKILLS,
    'skills/broken/SKILL.md': '---\nname: [\n---\n',
    'skills/unparsed.skill.ts': 'export default {{\n',
    'skills/throws.skill.ts': "throw new TypeError('thrown by a skill')\n",
  }

  it.each<[args: string, tree: Tree, status: number]>([
    ['compile skills', SKILLS, 0],
    ['compile --json skills', SKILLS, 0],
    ['compile --bundle out/agent.mjs skills', SKILLS, 0],
    ['check skills', SKILLS, 0],
    ['check --json skills', SKILLS, 0],
    ['check --strict skills', FAULTY, 1],
    ['compile skills', FAULTY, 1],
    ['compile --json --verbose skills', FAULTY, 1],
  ])('%s says and writes the same', (args, tree, status) => {
    const [name = ''] = args.split(' ')
    const without = saidAndWritten(args, tree, { NODE_DISABLE_COMPILE_CACHE: '1' })
    expect(without.status).toBe(status)
    expect(saidAndWritten(args, tree)).toEqual(without)
    expect(saidAndWritten(`${name} skills`, SKILLS).status).toBe(0)
    const before = keptFiles()
    expect(saidAndWritten(args, tree)).toEqual(without)
    expect(keptFiles()).toEqual(before)
  })

  /** The inodes of kept files by their paths; none where Node keeps the code. */
  function keptFiles(): Record<string, number> {
    const cache = dirname(folder)
    const names = readdirSync(cache, { recursive: true, encoding: 'utf8' }).filter(path =>
      /compile$|check$/.test(path),
    )
    return Object.fromEntries(names.map(path => [path, statSync(join(cache, path)).ino]))
  }

  /** Runs a command line over a new project. */
  function saidAndWritten(args: string, tree: Tree, env: Record<string, string> = {}) {
    clear()
    writeTree(project, tree)
    const { status, stdout, stderr } = agentApps(args.split(' '), { env })
    // The compiler's own cache names the times of files.
    const written = Object.entries(snapshot(project)).filter(
      ([path]) => !/^node_modules|\/cache[\w-]*\.json$/.test(path),
    )
    return {
      status,
      stdout: stdout.replace(/\d+ ms|"timings": \{[^}]*\}/g, 'some time'),
      stderr,
      written: Object.fromEntries(written),
    }
  }
})
