import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, findAuthority, isAgentAppsError, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { sealed } from '../../src/index/index-format.js'
import { oneIn, some, times } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { changeAsHashed, reseal, rewriteIndex, type WrittenIndex } from '../support/poisoned-index.js'
import { temporary } from '../support/temporary.js'
import { goodSkills, makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const SECRET = 'Nobody may read this.'
const FRESHNESS = ['check', 'trust'] as const
/** What one fault of a record does is seen without a look at files; `npm run test:long` sees that a look changes nothing. */
const SHOWN = some(FRESHNESS)

const compiledTrees = new Map<Tree, string>()

/** A directory of skills beside a secret, compiled. A tree is compiled once, and copied for each test. */
async function compiledTree(tree: Tree): Promise<string> {
  const made = compiledTrees.get(tree) ?? makeTree({})
  if (!compiledTrees.has(tree)) {
    writeTree(made, {
      'secret.txt': SECRET,
      'outside/SKILL.md': skill('outside', SECRET),
      ...Object.fromEntries(Object.entries(tree).map(([path, item]) => [`skills/${path}`, item])),
    })
    await compile({ paths: [join(made, 'skills')] })
    compiledTrees.set(tree, made)
  }
  const root = temporary()
  cpSync(made, root, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  return join(root, 'skills')
}

const SMALL: Tree = {
  ...goodSkills(5),
  'good-0/references/a.txt': 'a\n',
  'pair.skill.md': `${skill('pair-one', 'One.\n\n')}${skill('pair-two', 'Two.\n')}`,
  'broken/SKILL.md': '---\nname: broken\n---x\n',
}
const NAMES = ['good-0', 'good-1', 'good-2', 'good-3', 'good-4', 'pair-one', 'pair-two']
const CONTENTS = [
  'Do good-0.\n',
  'Do good-1.\n',
  'Do good-2.\n',
  'Do good-3.\n',
  'Do good-4.\n',
  'One.\n\n',
  'Two.\n',
]

const indexOf = (dir: string): string => join(dir, '.agent-apps.json')
const refusals = (runtime: Runtime): string[] =>
  runtime
    .diagnostics()
    .filter(({ rule }) => rule === 'index-refused')
    .map(({ reason }) => reason)

/** The index is refused as a whole with one warning, and every tool still resolves, from disk. */
async function expectRefused(dir: string, names = NAMES, contents = CONTENTS): Promise<void> {
  for (const freshness of FRESHNESS) {
    const runtime = createRuntime({ paths: [dir], freshness })
    for (const [index, name] of names.entries()) {
      const tool = await runtime.findTool(name)
      expect(tool?.origin.via, `${freshness} ${name}`).toBe('disk')
      expect(await tool?.content?.()).toBe(contents[index])
    }
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([...names].sort())
    expect(refusals(runtime)).toHaveLength(1)
    expect(JSON.stringify(runtime.diagnostics())).not.toContain(SECRET)
  }
}

/**
 * Expects that an index with a single record at fault is refused once somebody asks for that record, for a list, or
 * for all files. What was found by sound records before is used on.
 */
async function expectRefusedOnceMet(dir: string, names = NAMES, contents = CONTENTS): Promise<void> {
  for (const freshness of SHOWN) {
    const runtime = createRuntime({ paths: [dir], freshness })
    for (const [index, name] of names.entries()) {
      expect(await runtime.render(name), `${freshness} ${name}`).toBe(contents[index])
      const { tool, resources } = await runtime.describe(name)
      expect(resources.map(({ path }) => path)).toEqual(name === 'good-0' ? ['references/a.txt'] : [])
      expect(await findAuthority(tool, runtime.globals)).toBeNull()
    }
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([...names].sort())
    expect(refusals(runtime)).toHaveLength(1)
    expect(JSON.stringify(runtime.diagnostics())).not.toContain(SECRET)
  }
}

describe('an index that is cut off', () => {
  it('is refused at whatever byte', async () => {
    const dir = await compiledTree(SMALL)
    const whole = readFileSync(indexOf(dir))
    const step = Math.ceil(whole.length / times(6, whole.length))
    for (let length = 0; length < whole.length - 1; length += step) {
      writeFileSync(indexOf(dir), whole.subarray(0, length))
      await expectRefused(dir)
    }
  })

  it('is refused where it was filled up with NUL bytes', async () => {
    const dir = await compiledTree(SMALL)
    const whole = readFileSync(indexOf(dir))
    writeFileSync(indexOf(dir), whole.fill(0, whole.length >> 1))
    await expectRefused(dir)
  })
})

describe('an index with flipped bits', () => {
  it('never gives a wrong content or an error without a code, whichever bit', async () => {
    const dir = await compiledTree(SMALL)
    const whole = readFileSync(indexOf(dir))
    const bits = whole.length * 8
    const step = Math.ceil(bits / times(Math.ceil(bits / 3023), bits))
    for (let bit = 0; bit < bits; bit += step) {
      const position = bit >> 3
      const flipped = Buffer.from(whole)
      flipped[position] = (flipped[position] ?? 0) ^ (1 << (bit % 8))
      writeFileSync(indexOf(dir), flipped)
      for (const freshness of SHOWN) {
        const runtime = createRuntime({ paths: [dir], freshness })
        for (const [index, name] of NAMES.entries()) {
          expect(await runtime.render(name), `byte ${position}`).toBe(CONTENTS[index])
        }
        expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([...NAMES].sort())
      }
    }
  })
})

describe('an index of another version, or none of ours', () => {
  const cases: Record<string, (text: string) => string> = {
    'a later version': text => text.replace('"version":2', '"version":3'),
    'a version as text': text => text.replace('"version":2', '"version":"2"'),
    'no version': text => text.replace('"version":2,\n', ''),
    'a list': () => '[]',
    null: () => 'null',
    text: () => '"index"',
    'an empty object': () => '{}',
    'no tools': text => text.replace('"tools":{', '"tolls":{'),
    'a listing of another type': text => text.replace(/"listing":"/, '"listing":1,"x":"'),
    'an empty list of shards': text => text.replace('"counts"', '"shards":[],"counts"'),
    'ignored patterns that are no texts': text => text.replace('"ignore":[]', '"ignore":[{"toString":1}]'),
    'a version without end': text =>
      text.replace('"version":2', `"version":${'['.repeat(20_000)}${']'.repeat(20_000)}`),
    'shards that are no digests': text => text.replace('"counts"', '"shards":["../../secret.txt"],"counts"'),
  }
  it.each(oneIn(2, Object.entries(cases)))('%s', async (_, change) => {
    const dir = await compiledTree(SMALL)
    writeFileSync(indexOf(dir), change(readFileSync(indexOf(dir), 'utf8')))
    await expectRefused(dir)
  })

  it('is refused where it was made under other ignore patterns', async () => {
    const dir = await compiledTree(SMALL)
    const runtime = createRuntime({ paths: [{ ignore: 'good-0' }, dir], freshness: 'trust' })
    expect(await runtime.findTool('good-0')).toBeNull()
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('disk')
    expect(refusals(runtime)).toHaveLength(1)
  })
})

describe('an index that reaches outside its directory', () => {
  const paths = [
    '../secret.txt',
    '../outside/SKILL.md',
    'good-1/../../secret.txt',
    '/etc/hostname',
    '..\\secret.txt',
    'good-1\\..\\..\\secret.txt',
    'C:/secret.txt',
    'c:secret.txt',
    './good-1/SKILL.md',
    'good-1//SKILL.md',
    'good-1/./SKILL.md',
    'good-1/SKILL.md\u0000',
    '',
    '.',
    '..',
  ]
  const size = Buffer.byteLength(SECRET)

  it('is used where it stays inside: the rewriting itself does no harm', async () => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, () => {})
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
  })

  it.each(oneIn(2, paths))('by a file %j', async file => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ tools }) => Object.assign(tools['good-1'] ?? {}, { file, size, content: [0, size] }))
    await expectRefusedOnceMet(dir)
  })

  it.each(oneIn(4, paths))('by a broken file %j', async file => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ tools }) => Object.assign(tools.broken ?? {}, { file }))
    await expectRefusedOnceMet(dir)
  })

  it.each(oneIn(4, paths))('by a resource %j', async path => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ details }) => {
      details['good-0'] = { verbatim: {}, resources: [{ path, size, sha256: '' }] }
    })
    await expectRefusedOnceMet(dir)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    await expect(runtime.readResource('good-0', path)).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
  })

  it.each(oneIn(4, paths))('by the path of a file %j', async path => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ files }) => {
      files[path] = { diagnostics: [], sha256: '', size, tools: ['good-0'] }
    })
    await expectRefusedOnceMet(dir)
  })

  it.each([
    ['a folder', { folders: ['../outside', '..'] }],
    ['a unit', { units: [{ path: '..' }] }],
    ['a unit without a path', { units: [{}] }],
  ])('by %s of its header', async (_, fields) => {
    const dir = await compiledTree({ ...SMALL, 'group/inner/SKILL.md': skill('inner') })
    rewriteIndex(dir, index => Object.assign(index, fields))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.findTool('outside')).toBeNull()
    expect(await runtime.render('good-1')).toBe('Do good-1.\n')
  })

  it('is used where a folder of a repository has a name that no index holds', async () => {
    const odd = process.platform === 'win32' ? {} : { 'od\\d/SKILL.md': skill('odd') }
    const paths = [
      { dir: makeTree({ '.git/HEAD': '', 'skills/fine/SKILL.md': skill('fine'), ...odd }), discover: true },
    ]
    await compile({ paths })
    const runtime = createRuntime({ paths, freshness: 'trust' })
    expect((await runtime.findTool('fine'))?.origin.via).toBe('index')
    expect(refusals(runtime)).toEqual([])
  })

  it('by a file that is not a skill', async () => {
    const dir = await compiledTree({ ...SMALL, id_rsa: SECRET, 'good-1/.env': SECRET })
    for (const file of ['id_rsa', 'good-1/.env']) {
      await compile({ paths: [dir], force: true })
      rewriteIndex(dir, ({ tools }) =>
        Object.assign(tools['good-1'] ?? {}, { file, size, content: [0, size] }),
      )
      await expectRefusedOnceMet(dir)
    }
  })

  it('through a link, neither for content nor for a resource', async () => {
    const dir = await compiledTree({
      ...SMALL,
      door: { link: '..' },
      'trap/SKILL.md': { link: '../../secret.txt' },
    })
    rewriteIndex(dir, ({ tools, details }) => {
      const record = { ...tools['good-1'], size, content: [0, size] }
      tools.trap = {
        ...record,
        file: 'trap/SKILL.md',
        frontmatter: { name: 'trap', tags: [], metadata: {}, extra: {} },
      }
      tools.door = {
        ...record,
        file: 'door/SKILL.md',
        frontmatter: { name: 'door', tags: [], metadata: {}, extra: {} },
      }
      details.trap = { verbatim: {}, resources: [] }
      details.door = { verbatim: {}, resources: [{ path: 'secret.txt', size, sha256: '' }] }
    })
    for (const freshness of FRESHNESS) {
      const runtime = createRuntime({ paths: [dir], freshness })
      expect(await runtime.render('good-0')).toBe('Do good-0.\n')
      for (const read of [
        () => runtime.render('trap'),
        () => runtime.render('door'),
        () => runtime.readResource('door', 'secret.txt'),
      ]) {
        const outcome = await read().then(String, (error: unknown) => error)
        expect(outcome).toSatisfy(isAgentAppsError)
      }
    }
  })
})

describe('an index with records that are not ours', () => {
  const cases: Record<string, (index: WrittenIndex) => void> = {
    'a tool that is null': ({ tools }) => Object.assign(tools, { 'good-1': null }),
    'a tool that is a text': ({ tools }) => Object.assign(tools, { 'good-1': 'x' }),
    'a tool without content': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { content: undefined }),
    'content that ends before it begins': ({ tools }) =>
      Object.assign(tools['good-1'] ?? {}, { content: [50, 40] }),
    'content past the file': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { content: [0, 100_000] }),
    'content before the file': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { content: [-5, 4] }),
    'content between bytes': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { content: [0.5, 4.5] }),
    'content without an end': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { content: [0] }),
    'content that ends between bytes': ({ tools }) =>
      Object.assign(tools['good-1'] ?? {}, { content: [0, 4.5] }),
    'a tool without frontmatter': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { frontmatter: null }),
    'a tool without a name': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { frontmatter: {} }),
    "a tool with another's name": ({ tools }) =>
      Object.assign(tools['good-1']?.frontmatter ?? {}, { name: 'good-2' }),
    'tags that are no list': ({ tools }) => Object.assign(tools['good-1']?.frontmatter ?? {}, { tags: 'x' }),
    'a description that is null': ({ tools }) =>
      Object.assign(tools['good-1']?.frontmatter ?? {}, { description: null }),
    'a fragment that is not text': ({ tools }) =>
      Object.assign(tools['good-1'] ?? {}, { fragment: { toString: 1 } }),
    'schemas that are null': ({ tools }) => Object.assign(tools['good-1'] ?? {}, { validators: null }),
    'a role that there is not': ({ tools }) =>
      Object.assign(tools['good-1']?.frontmatter ?? {}, { role: '\u001b[31m' }),
    'a name that is none': ({ tools }) => Object.assign(tools, { 'Bad Name': tools['good-1'] }),
    'namesakes that have no namespace': ({ tools }) =>
      Object.assign(tools, { 'good-1': { names: ['good-1'] } }),
    'namesakes of another name': ({ tools }) =>
      Object.assign(tools, { 'good-1': { names: ['acme:good-2'] } }),
    'a file larger than any that is read': ({ tools }) =>
      Object.assign(tools['good-1'] ?? {}, { size: 2 ** 43, content: [0, 2 ** 40] }),
    'a resource without a size': ({ details }) =>
      Object.assign(details['good-1'] ?? {}, { resources: [{ path: 'x', size: { toString: 1 } }] }),
    'a fault of no rule': ({ tools }) => Object.assign(tools.broken?.broken ?? {}, { rule: { toString: 1 } }),
    'details that are null': ({ details }) => Object.assign(details, { 'good-1': null }),
    'details without resources': ({ details }) => Object.assign(details, { 'good-1': { verbatim: {} } }),
    'details without the verbatim frontmatter': ({ details }) =>
      Object.assign(details, { 'good-1': { resources: [] } }),
    'a fault that is a text': ({ tools }) => Object.assign(tools.broken ?? {}, { broken: 'x' }),
    'a fault without a place': ({ tools }) => Object.assign(tools.broken ?? {}, { broken: {} }),
    'a file that is null': ({ files }) => Object.assign(files, { 'good-1/SKILL.md': null }),
    'a file without tools': ({ files }) =>
      Object.assign(files['good-1/SKILL.md'] ?? {}, { tools: undefined }),
    'a file without diagnostics': ({ files }) =>
      Object.assign(files['good-1/SKILL.md'] ?? {}, { diagnostics: undefined }),
  }
  it.each(oneIn(3, Object.entries(cases)))('%s', async (_, change) => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, change)
    await expectRefusedOnceMet(dir)
    for (const freshness of SHOWN) {
      const runtime = createRuntime({ paths: [dir], freshness })
      await expect(runtime.render('broken')).rejects.toMatchObject({ code: 'TOOL_BROKEN' })
      expect(await runtime.render('./good-1'.replace('.', dir))).toBe('Do good-1.\n')
    }
  })

  it('gives nothing more, and nothing that it gave, once one was met', async () => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ tools }) => {
      Object.assign(tools['good-1']?.frontmatter ?? {}, { description: 'Poison.' })
      Object.assign(tools['good-2'] ?? {}, { file: '../SKILL.md' })
    })
    reseal(dir)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('good-1'))?.frontmatter.description).toBe('Poison.')
    await runtime.listTools()
    expect((await runtime.findTool('good-1'))?.frontmatter.description).toBe('What good-1 does.')
  })

  const framings: Record<string, (record: string) => string> = {
    'a key twice': record => `${record},\n${record}`,
    'a record in two lines': record => record.replace('":{', '":{\n'),
    'a record below its key': record => record.replace('":{', '":\n{'),
    'two records in a line': record => `${record},${record.replace('good-1', 'good-9')}`,
    'a comma below its record': record => `${record}\n`,
  }
  it.each(oneIn(3, Object.entries(framings)))('%s is refused with the rest', async (_, written) => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, () => {})
    const [, record = ''] = /\n("good-1":.*),\n/.exec(readFileSync(indexOf(dir), 'utf8')) ?? []
    changeAsHashed(dir, text => text.replace(record, () => written(record)))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await ownTools(runtime)).every(({ origin }) => origin.via === 'disk')).toBe(true)
    expect(refusals(runtime)).toHaveLength(1)
  })

  it('a key that reaches a prototype is a key like any other', async () => {
    const dir = await compiledTree(SMALL)
    const text = readFileSync(indexOf(dir), 'utf8')
    writeFileSync(indexOf(dir), text.replace('"tools":{', '"__proto__":{"polluted":1},\n"tools":{'))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.findTool('good-1')).not.toBeNull()
    for (const name of ['constructor', 'tostring', 'valueof', 'polluted'])
      expect(await runtime.findTool(name)).toBeNull()
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('an index that was edited by hand', () => {
  it('is refused, and compiling mends it', async () => {
    const dir = await compiledTree(SMALL)
    const text = readFileSync(indexOf(dir), 'utf8')
    writeFileSync(indexOf(dir), text.replace('What good-1 does.', 'What good-1 did. '))
    await expectRefusedOnceMet(dir)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('good-1'))?.frontmatter.description).toBe('What good-1 does.')
    await compile({ paths: [dir] })
    expect(readFileSync(indexOf(dir), 'utf8')).toBe(text)
  })
})

describe('a record', () => {
  /** Changes the line of a tool's record. */
  function editLine(dir: string, name: string, edit: (line: string) => string): void {
    const lines = readFileSync(indexOf(dir), 'utf8').split('\n')
    const place = lines.findIndex(line => line.startsWith(`"${name}":{"content":`))
    lines[place] = edit(lines[place] ?? '')
    writeFileSync(indexOf(dir), lines.join('\n'))
  }

  it('is used by its own line, whatever was done to others', async () => {
    const dir = await compiledTree(SMALL)
    editLine(dir, 'good-1', line => line.replace('does', 'did '))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('good-0'))?.origin.via).toBe('index')
    expect(refusals(runtime)).toEqual([])
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('disk')
    expect(refusals(runtime)).toHaveLength(1)
    expect(await runtime.render('good-0')).toBe('Do good-0.\n')
  })

  it('is used by the whole index where its line was sealed by nobody', async () => {
    const dir = await compiledTree(SMALL)
    rewriteIndex(dir, ({ tools }) => delete tools['good-1']?.check)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
    expect(refusals(runtime)).toEqual([])
  })

  it('is refused where it is not one of ours, sealed or not', async () => {
    const dir = await compiledTree({ ...SMALL, 'good-1/notes.md': SECRET })
    editLine(dir, 'good-1', line => {
      const changed = line.replace('good-1/SKILL.md', 'good-1/notes.md')
      return `${sealed(changed.slice(0, changed.indexOf(',"check":')))},`
    })
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.render('good-1')).toBe('Do good-1.\n')
    expect(refusals(runtime)).toEqual(['The index is not used: the record of "good-1" is invalid'])
  })

  it('that is gone is missed only where the index is whole', async () => {
    const dir = await compiledTree(SMALL)
    writeFileSync(indexOf(dir), readFileSync(indexOf(dir), 'utf8').replace(/"good-1":\{"content".*\n/, ''))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await runtime.render('good-1')).toBe('Do good-1.\n')
    expect(refusals(runtime)).toHaveLength(1)
  })

  it('is used under `verify` only where the whole index is as it was written', async () => {
    const dir = await compiledTree(SMALL)
    editLine(dir, 'good-1', line => line.replace('does', 'did '))
    const runtime = createRuntime({ paths: [dir], verify: true })
    await expect(runtime.findTool('good-0')).rejects.toMatchObject({ code: 'INTEGRITY_FAILED' })
  })

  it('is not looked for in other sections', async () => {
    const dir = await compiledTree({
      ...SMALL,
      'told/SKILL.md': skill('told', 'Read this: :include[../good-0/references/a.txt]\n'),
    })
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    // It has a record in `contents`, and none in `cascades`.
    expect(await runtime.render('told')).toBe('Read this: a\n')
    expect((await runtime.findTool('told'))?.origin.via).toBe('index')
    expect(refusals(runtime)).toEqual([])
  })

  it('is one object, however many are asked for', async () => {
    const dir = await compiledTree(goodSkills(40))
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    const first = await runtime.findTool('good-7')
    for (let number = 0; number < 40; number++) {
      const tool = await runtime.findTool(`good-${number}`)
      expect(tool?.origin.via).toBe('index')
      expect(await tool?.content?.()).toBe(`Do good-${number}.\n`)
    }
    const listed = await ownTools(runtime)
    expect(listed).toHaveLength(40)
    expect(listed.find(({ name }) => name === 'good-7')).toBe(first)
  })
})

describe('an index in several files', () => {
  const MANY = goodSkills(140)
  const names = Object.keys(MANY).map(path => path.split('/')[0] ?? '')
  const contents = names.map(name => `Do ${name}.\n`)
  const shards = (dir: string): string[] =>
    readdirSync(join(dir, '.agent-apps'))
      .filter(name => name.startsWith('index-'))
      .map(name => join(dir, '.agent-apps', name))

  it('is split at this size', async () => {
    expect(shards(await compiledTree(MANY)).length).toBeGreaterThan(1)
  })

  it('is refused where one is missing', async () => {
    const dir = await compiledTree(MANY)
    rmSync(shards(dir)[0] ?? '')
    await expectListRefused(dir)
  })

  it('is refused where one is cut off', async () => {
    const dir = await compiledTree(MANY)
    const [shard = ''] = shards(dir)
    writeFileSync(shard, readFileSync(shard).subarray(0, 1_000))
    await expectListRefused(dir)
  })

  it("is refused where one has another's name", async () => {
    const dir = await compiledTree(MANY)
    const [one = '', other = ''] = shards(dir)
    writeFileSync(one, readFileSync(other))
    await expectListRefused(dir)
  })

  it('is refused where one was edited, and compiling mends it', async () => {
    const dir = await compiledTree(MANY)
    const [shard = ''] = shards(dir)
    const text = readFileSync(shard, 'utf8')
    // An edit within the file system's tick of the compile would leave the same times.
    await new Promise(resolve => setTimeout(resolve, 50))
    writeFileSync(shard, text.replace('"What good', '"What Good'))
    await expectListRefused(dir)
    await compile({ paths: [dir] })
    expect(readFileSync(shard, 'utf8')).toBe(text)
  })

  /** A shard is only read for a name that it holds, so the refusal comes with the first of those, or with a list. */
  async function expectListRefused(dir: string): Promise<void> {
    for (const freshness of SHOWN) {
      const runtime = createRuntime({ paths: [dir], freshness })
      for (const [index, name] of oneIn(7, [...names.entries()]))
        expect(await runtime.render(name)).toBe(contents[index])
      expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([...names].sort())
      expect(refusals(runtime)).toHaveLength(1)
    }
  }
})
