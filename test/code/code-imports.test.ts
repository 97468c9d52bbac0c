import { readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { oneIn } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

const SECRET = 'Nobody-may-read-this'
const importing = (statement: string): string =>
  `${statement}\nexport const frontmatter = { name: 'reader', description: 'Reads.' }\nexport default () => value\n`
const SOUND = `export const frontmatter = { name: 'sound', description: 'Is sound.' }\nexport default () => 'sound'\n`

/** A project inside a folder that also holds a secret, which is none of the project's. */
function guarded(skills: Tree): { outer: string; root: string; dir: string } {
  const outer = makeTree({
    'secret.json': JSON.stringify({ value: SECRET }),
    'secret.js': `export const value = '${SECRET}'\n`,
    'broken.js': `export const value = '${SECRET}' +\n`,
  })
  const { root, dir } = codeProject({
    'package-lock.json': '{}\n',
    ...Object.fromEntries(Object.entries(skills).map(([path, item]) => [`skills/${path}`, item])),
  })
  const inner = join(outer, 'project')
  renameSync(root, inner)
  return { outer, root: inner, dir: dir.replace(root, inner) }
}

/** All that compiling wrote, as one text. */
function written(dir: string): string {
  const folder = join(dir, '.agent-apps')
  const texts = readdirSync(folder).map(name => readFileSync(join(folder, name), 'utf8'))
  return [readFileSync(join(dir, '.agent-apps.json'), 'utf8'), ...texts].join('\n')
}

describe('what code may import', () => {
  const refused: Record<string, Tree> = {
    'a JSON file outside': { 'reader.skill.js': importing("import { value } from '../../secret.json'") },
    'a module outside': { 'reader.skill.js': importing("import { value } from '../../secret.js'") },
    'a module outside that cannot be parsed': {
      'reader.skill.js': importing("import { value } from '../../broken.js'"),
    },
    'a module outside, through a file of its own': {
      'reader.skill.js': importing("import { value } from './own.js'"),
      'own.js': "export { value } from '../../secret.js'\n",
    },
    'a module outside, when it is called': {
      'reader.skill.js': importing("const value = import('../../secret.js')"),
    },
    'a module outside, by require': {
      'reader.skill.js': importing("const value = require('../../secret.js')"),
    },
    'a link out of the project': {
      'reader.skill.js': importing("import { value } from './linked.json'"),
      'linked.json': { link: '../../secret.json' },
    },
    'a linked folder out of the project': {
      'reader.skill.js': importing("import { value } from './linked/secret.js'"),
      linked: { link: '../..' },
    },
    'a data: address': {
      'reader.skill.js': importing(
        `import { value } from 'data:text/javascript,export const value = "${SECRET}"'`,
      ),
    },
    'a data: address of JSON': {
      'reader.skill.js': importing(`import value from 'data:application/json,"${SECRET}"'`),
    },
    'an http: address': { 'reader.skill.js': importing("import { value } from 'http://example.com/a.js'") },
    'an https: address, when it is called': {
      'reader.skill.js': importing("const value = import('https://example.com/a.js')"),
    },
    'a .env file': {
      'reader.skill.js': importing("import value from './.env'"),
      '.env': SECRET,
    },
    'a private key': {
      'reader.skill.js': importing("import value from './id.pem' with { type: 'text' }"),
      'id.pem': SECRET,
    },
    'a file with a query': {
      'reader.skill.js': importing("import value from './t.txt?raw'"),
      't.txt': 'T.',
    },
    'a file with a fragment': {
      'reader.skill.js': importing("import value from './t.txt#one'"),
      't.txt': 'T.',
    },
    'a file with a query, when it is called': {
      'reader.skill.js': importing("const value = import('./own.js?v=1')"),
      'own.js': 'export const value = 1\n',
    },
    'a file with a query, by require': {
      'reader.skill.js': importing("const value = require('./own.cjs?v=1')"),
      'own.cjs': 'exports.value = 1\n',
    },
    'a file with a query, through a file of its own': {
      'reader.skill.js': importing("import { value } from './own.js'"),
      'own.js': "export * from './more.js?v=1'\n",
      'more.js': 'export const value = 1\n',
    },
    'a private key with a query': {
      'reader.skill.js': importing("import value from './id.pem?raw' with { type: 'text' }"),
      'id.pem': SECRET,
    },
    'a file that is not there': { 'reader.skill.js': importing("import { value } from './absent.js'") },
    'a package that is not installed': {
      'reader.skill.js': importing("import { value } from 'absent-package'"),
    },
  }

  it('not what an inline delegate asks for', async () => {
    const delegate = 'inline://code,import "https://example.com/a.js"; export default () => 1'
    const text = `---\nname: reader\ndescription: Reads.\nmetadata:\n  delegate: '${delegate}'\n---\n`
    const { dir } = guarded({ 'reader/SKILL.md': text, 'sound.skill.js': SOUND })
    const { diagnostics, skills } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
      'reader/SKILL.md delegate-invalid',
    ])
    expect(skills).toHaveLength(2)
  })

  it.each(oneIn(3, Object.entries(refused)))('not %s', async (_, skills) => {
    const { dir, outer } = guarded({ ...skills, 'sound.skill.js': SOUND })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    const faults = diagnostics.filter(({ ruleId }) => ruleId !== 'link-not-followed')
    expect(faults.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual(['reader.skill.js code-import'])
    const told = JSON.stringify(diagnostics)
    expect(told).not.toContain(SECRET)
    expect(told).not.toContain(outer)
    expect(written(dir)).not.toContain(SECRET)
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    expect(await runtime.invoke('sound')).toBe('sound')
    await expect(runtime.invoke('reader')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
  })

  it.each(Object.entries(refused))('not %s, from disk either', { tags: 'long' }, async (_, skills) => {
    const { dir } = guarded({ ...skills, 'sound.skill.js': SOUND })
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    const outcome: unknown = await runtime.invoke('reader').catch((error: unknown) => error)
    expect(isAgentAppsError(outcome) && outcome.code).toBe('TOOL_BROKEN')
    expect(String(outcome)).not.toContain(SECRET)
    expect(await runtime.invoke('sound')).toBe('sound')
  })

  it('not a file with a query, and says where', async () => {
    const { dir } = guarded({
      'reader.skill.js': importing("import value from './t.txt?raw'"),
      't.txt': 'T.',
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ line, column, reason }) => `${line}:${column} ${reason}`)).toEqual([
      '1:19 The code cannot be bundled: imports "t.txt?raw", of which "?raw" names no part of a file',
    ])
  })

  it('a file whose name has such characters', async () => {
    const { dir } = guarded({
      'reader.skill.js': importing("import value from './t#1?.txt'"),
      't#1?.txt': 'T.',
    })
    expect((await compile({ paths: [dir], cwd: dir })).diagnostics).toEqual([])
    expect(await createRuntime({ paths: [dir] }).invoke('reader')).toBe('T.')
  })

  it('not an absolute path, inside the project or out of it', async () => {
    const { dir, outer } = guarded({ 'own.js': 'export const value = 1\n' })
    for (const target of [join(outer, 'secret.js'), pathToFileURL(join(outer, 'secret.js')).href]) {
      writeFileSync(
        join(dir, 'reader.skill.js'),
        importing(`import { value } from ${JSON.stringify(target)}`),
      )
      const { diagnostics } = await compile({ paths: [dir], cwd: dir })
      expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
        'reader.skill.js code-import',
      ])
      expect(written(dir)).not.toContain(SECRET)
    }
  })

  it('not through a skill file that is a link out of the project', async () => {
    const { dir, outer } = guarded({ 'sound.skill.js': SOUND })
    writeFileSync(join(outer, 'linked.skill.js'), importing(`const value = '${SECRET}'`))
    symlinkSync(join(outer, 'linked.skill.js'), join(dir, 'linked.skill.js'))
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
      'linked.skill.js code-import',
    ])
    expect(written(dir)).not.toContain(SECRET)
  })

  it('files of the project, JSON, text, Node itself and packages', async () => {
    const { dir, root } = guarded({
      'reader.skill.ts': importing(`import { basename } from 'node:path'
import { three } from 'three'
import data from '../data/numbers.json'
import note from '../data/note.md'
import { add } from '../lib/add'
const value = [basename('/a/b'), three, data.one, note.trim(), add(1, 2)]`),
    })
    writeTree(root, {
      'data/numbers.json': '{"one": 1}',
      'data/note.md': 'A note.\n',
      'lib/add.ts': 'export const add = (a: number, b: number): number => a + b\n',
      'node_modules/three/package.json': '{"name":"three","type":"module","exports":"./index.js"}',
      'node_modules/three/index.js': 'export const three = 3\n',
    })
    const expected = ['b', 3, 1, 'A note.', 3]
    expect(await createRuntime({ paths: [dir], freshness: 'check' }).invoke('reader')).toEqual(expected)
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics).toEqual([])
    for (const freshness of ['trust', 'check'] as const)
      expect(await createRuntime({ paths: [dir], freshness }).invoke('reader')).toEqual(expected)
  })
})

describe('names that would break out of generated code', () => {
  const names = [
    `it's.skill.js`,
    'two"quotes.skill.js',
    'back`tick.skill.js',
    '${process.exit(9)}.skill.js',
    'slash*star.skill.js',
    'line\u2028separator.skill.js',
    'percent%20.skill.js',
    'hash#question?.skill.js',
    'back\\slash.skill.js',
    'new\nline.skill.js',
    'ünïcode 技能.skill.js',
    '[id] ^|{}.skill.js',
    "');process.exit(9);('.skill.js",
    'folder*/process.exit(9)/*/a.skill.js',
  ]
  it.each(names.map(name => [JSON.stringify(name), name]))('%s', { tags: 'long' }, async (_, name) => {
    const { dir } = codeProject({
      [`skills/${name}`]: `export const frontmatter = { name: 'odd', description: 'Is odd.' }\nexport default () => import.meta.url\n`,
      'skills/sound.skill.js': SOUND,
    })
    const url = pathToFileURL(join(dir, name)).href
    const portable = !/[\\\n]/.test(name)
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(portable ? [] : ['path-unportable'])
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.invoke('sound')).toBe('sound')
    if (portable) expect(await runtime.invoke('odd')).toBe(url)
    writeFileSync(join(dir, '.agent-apps.json'), '')
    if (portable) expect(await createRuntime({ paths: [dir], freshness: 'check' }).invoke('odd')).toBe(url)
  })
})

describe('where code lies', () => {
  const ASKING = (name: string): string => `import { readFileSync } from 'node:fs'
import { here } from '../lib/here.js'
export const frontmatter = { name: '${name}', description: 'Says where it is.' }
export default () => ({
  url: import.meta.url,
  dirname: import.meta.dirname,
  filename: import.meta.filename,
  data: readFileSync(new URL('./data.txt', import.meta.url), 'utf8'),
  lib: here,
})\n`

  it('is its source file, from disk and compiled', async () => {
    const { root, dir } = codeProject({
      'skills/deep/where.skill.ts': ASKING('where').replace('../lib', '../../lib'),
      'skills/deep/data.txt': 'Data.',
      'skills/other.skill.mjs': `#!/usr/bin/env node\n${ASKING('other')}`,
      'skills/data.txt': 'Other data.',
      'lib/here.js': 'export const here = import.meta.url\n',
    })
    const expected = (file: string, folder: string, data: string): object => ({
      url: pathToFileURL(join(dir, file)).href,
      dirname: join(dir, folder),
      filename: join(dir, file),
      data,
      lib: pathToFileURL(join(root, 'lib/here.js')).href,
    })
    const all = {
      where: expected('deep/where.skill.ts', 'deep', 'Data.'),
      other: expected('other.skill.mjs', '.', 'Other data.'),
    }
    const ask = async (freshness: 'trust' | 'check'): Promise<object> => {
      const runtime = createRuntime({ paths: [dir], freshness })
      return { where: await runtime.invoke('where'), other: await runtime.invoke('other') }
    }
    expect(await ask('check')).toEqual(all)
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics).toEqual([])
    expect(await ask('trust')).toEqual(all)
    expect(await ask('check')).toEqual(all)
  })

  it('is so for CommonJS and for packages, from disk and compiled', async () => {
    const installed = (name: string, main: string): Tree => ({
      [`node_modules/${name}/package.json`]: JSON.stringify({ name, main: `lib/${main}` }),
      [`node_modules/${name}/lib/data.txt`]: `Data of ${name}.`,
    })
    const { root, dir } = codeProject({
      'skills/where.skill.ts': `import common from 'common'
import { read } from 'modular'
import returns from 'returns'
import own from '../lib/own.cjs'
export const frontmatter = { name: 'where', description: 'Says where it is.' }
export default () => [__dirname, __filename, own, common, read(), returns]\n`,
      'lib/own.cjs': "'use strict'\nmodule.exports = [__dirname, __filename]\n",
      ...installed('common', 'main.js'),
      'node_modules/common/lib/main.js':
        "module.exports = require('fs').readFileSync(__dirname + '/data.txt', 'utf8')\n",
      ...installed('modular', 'main.mjs'),
      'node_modules/modular/lib/main.mjs': `import { readFileSync } from 'node:fs'
const __dirname = new URL('.', import.meta.url)
export const read = () => readFileSync(new URL('data.txt', __dirname), 'utf8')\n`,
      // Only what is CommonJS may end so.
      ...installed('returns', 'main.js'),
      'node_modules/returns/lib/main.js':
        "exports.file = __filename\nif (exports.file) return\nthrow new Error('Not returned.')\n",
    })
    const expected = [
      dir,
      join(dir, 'where.skill.ts'),
      [join(root, 'lib'), join(root, 'lib/own.cjs')],
      'Data of common.',
      'Data of modular.',
      { file: join(root, 'node_modules/returns/lib/main.js') },
    ]
    const ask = (freshness: 'trust' | 'check') => createRuntime({ paths: [dir], freshness }).invoke('where')
    expect(await ask('check')).toEqual(expected)
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics).toEqual([])
    expect(await ask('trust')).toEqual(expected)
  })

  it('moves with the project', async () => {
    const { root, dir } = codeProject({
      'skills/where.skill.ts': ASKING('where'),
      'skills/data.txt': 'Data.',
      'lib/here.js': 'export const here = import.meta.url\n',
    })
    await compile({ paths: [dir] })
    const moved = join(temporary(), 'moved here')
    renameSync(root, moved)
    const result = await createRuntime({ paths: [join(moved, 'skills')], freshness: 'trust' }).invoke('where')
    expect(result).toMatchObject({
      dirname: join(moved, 'skills'),
      data: 'Data.',
      lib: pathToFileURL(join(moved, 'lib/here.js')).href,
    })
    expect(written(join(moved, 'skills'))).not.toContain(root)
  })

  it('a thrown error names the author’s file and line', async () => {
    const { dir } = codeProject({
      'skills/thrower.skill.ts': `interface A {\n  b: string\n}\nexport const frontmatter = { name: 'thrower', description: 'Throws.' }\nexport default (): A => {\n  throw new Error('Thrown.')\n}\n`,
    })
    await compile({ paths: [dir] })
    const map = readdirSync(join(dir, '.agent-apps')).find(name => name.endsWith('.map'))
    const { sources } = JSON.parse(readFileSync(join(dir, '.agent-apps', map ?? ''), 'utf8')) as {
      sources: string[]
    }
    expect(sources).toEqual(['../thrower.skill.ts'])
  })
})
