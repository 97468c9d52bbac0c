import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { shardOf } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { oneIn } from '../support/long.js'

const SCHEMA = JSON.parse(readFileSync(new URL('../../schema/index.json', import.meta.url), 'utf8'))
const PAGE = readFileSync(new URL('../../docs/index-format.md', import.meta.url), 'utf8')
const validate = new Ajv2020({ strict: true, allErrors: true }).compile(SCHEMA)

/** One of everything that a record can say. */
const TREE: Record<string, string> = {
  'review/SKILL.md': `---
name: review
description: Reviews a change.
license: MIT
compatibility: Any.
allowed-tools: [read, 'git-*']
version: 1.2.0
metadata:
  role: middleware
  visibility: hidden
  tags: [Quality, Code Review, Überblick]
  params: { type: object, properties: { z: {}, a: {} } }
  returns: { type: string }
  author: somebody
---
Look.
`,
  'review/references/guide.md': '# Guide\n',
  'Titled Paper/SKILL.md': '---\nname: titled\n---\n',
  'academic-paper/SKILL.md': '---\nname: Academic Paper\ndescription: Maps.\n---\n',
  'two.skill.md': '---\nname: one\ndescription: One.\n---\n1\n\n---\nname: two\ndescription: Two.\n---\n2\n',
  'broken/SKILL.md': '---\nname: broken\n',
  'nameless.skill.md': '---\ndescription: None.\n---\n',
  'count.skill.ts': `import { words } from './lib/words.ts'
export const frontmatter = {
  name: 'count',
  description: 'Counts.',
  metadata: { params: { type: 'object', required: words('text') } },
}
export default (_ctx: unknown, { text }: { text: string }): number => words(text).length
`,
  'lib/words.ts': "export const words = (text: string): string[] => text.split(' ')\n",
  'delegating/SKILL.md': skillWith('delegating', 'delegate: ./run.js'),
  'delegating/run.js':
    "import { words } from '../lib/words.ts'\nexport default (_ctx, args) => words(args.text)\n",
  'inline-code.skill.md': skillWith('inline-code', "delegate: 'inline://code,export default () => 1'"),
  'inline-markdown.skill.md': skillWith(
    'inline-markdown',
    'delegate: "inline://markdown,---\\nname: other\\n---\\nText.\\n"',
  ),
  'content/SKILL.md': skillWith('content', 'author: somebody').replace(
    'Text.\n',
    '> :::if{path=args.x}\n> :include[notes.md]{lines=1}\n> :::else\n> :value[args.y] of :skill[count]\n> :::\n\n::include[notes.md]\n',
  ),
  'content/notes.md': 'Notes on :value[args.x].\n',
  'content-faulty.skill.md': skillWith('content-faulty', 'author: somebody').replace(
    'Text.',
    ':::if{path=args.x}',
  ),
  'to-tool.skill.md': skillWith('to-tool', 'delegate: count'),
}

function skillWith(name: string, metadata: string): string {
  return `---\nname: ${name}\ndescription: Does.\nmetadata:\n  ${metadata}\n---\nText.\n`
}

/** So many that their index is split. */
const MANY = manySkills(140)

interface Document {
  [key: string]: unknown
}

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'agent-apps-schema-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

describe('schema/index.json', () => {
  it('accepts an index with its records in it', { tags: 'long' }, async () => {
    const { index } = await compiled(TREE)
    expect(problems(index)).toEqual([])
    expect(Object.keys(index)).toContain('tools')
  })

  it('accepts code, delegates and what they were compiled to', async () => {
    const { index } = await compiled(TREE)
    const tools = index.tools as Record<string, Document>
    const module = { file: expect.stringMatching(/^\.agent-apps\/module-/) }
    expect(tools.count).toMatchObject({
      kind: 'code',
      exported: 'default',
      module: { ...module, inputs: ['count.skill.ts', 'lib/words.ts'] },
    })
    expect(tools.count).not.toHaveProperty('content')
    expect(tools.delegating?.delegate).toEqual({
      ...module,
      inputs: ['delegating/run.js', 'lib/words.ts'],
    })
    expect(tools['inline-code']?.delegate).toEqual({ ...module, inputs: [] })
    expect(tools['inline-markdown']?.delegate).toEqual({ markdown: 'Text.\n' })
    expect(tools['to-tool']).not.toHaveProperty('delegate')
    const modules = index.modules as string[]
    expect(modules).toEqual([...modules].sort())
    expect(tools).toHaveProperty('count.module.file', expect.toBeOneOf(modules))
    expect(index.files).toHaveProperty(['lib/words.ts', 'tools'], [])
  })

  it('accepts a module with a file from outside the directory', async () => {
    const { index } = await compiled(
      {
        'package.json': '{}',
        'words.js': 'export const words = text => text.length\n',
        'skills/count.skill.js': `import { words } from '../words.js'
export const frontmatter = { name: 'count', description: 'Counts.' }
export default () => words('text')
`,
      },
      'skills',
    )
    expect(problems(index)).toEqual([])
    expect(index).toHaveProperty('tools.count.module', {
      file: expect.any(String),
      inputs: ['count.skill.js'],
      outside: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
  })

  it('accepts the index of an empty directory', async () => {
    const { index } = await compiled({ 'readme.txt': 'No skills.' })
    expect(problems(index)).toEqual([])
  })

  it('accepts a split index, each of its shards and its list', async () => {
    const { index, shards, list } = await compiled({ ...TREE, ...MANY })
    expect(index).toHaveProperty('shards')
    expect(shards.length).toBeGreaterThan(1)
    for (const document of [index, ...shards, list]) expect(problems(document)).toEqual([])
    expect(list).toMatchObject({ mains: [], folders: expect.arrayContaining(['']) })
  })

  it.each(
    oneIn<[string, string, unknown]>(3, [
      ['another version', 'version', 1],
      ['a short hash', 'hash', 'abc'],
      ['a missing header field', 'listing', undefined],
      ['a count that is negative', 'counts.found', -1],
      ['a field of nobody', 'made', 'yesterday'],
      ['a missing section', 'files', undefined],
      ['shards besides sections', 'shards', []],
      ['a name that breaks the rule', 'tools.Review', { broken: {}, file: 'a.skill.md' }],
      ['a file outside the directory', 'tools.review.file', '../review/SKILL.md'],
      ['an absolute file', 'tools.review.file', '/review/SKILL.md'],
      ['a file with a backslash', 'tools.review.file', 'review\\SKILL.md'],
      ['a file on a drive', 'tools.review.file', 'C:/SKILL.md'],
      ['a kind that there is not', 'tools.review.kind', 'directory'],
      ['code with content', 'tools.review.kind', 'code'],
      ['Markdown without content', 'tools.review.content', undefined],
      [
        'Markdown with a module',
        'tools.review.module',
        { file: '.agent-apps/module-ABCDEFGH.mjs', inputs: [] },
      ],
      ['code without a module', 'tools.count.module', undefined],
      ['code of no export', 'tools.count.exported', undefined],
      ['code that an index cannot know whole', 'tools.count.dynamic', true],
      ['a module elsewhere', 'tools.count.module.file', 'lib/words.ts'],
      ['a module whose inputs lie outside', 'tools.count.module.inputs', ['../words.ts']],
      ['a module that is not outside', 'tools.count.module.outside', false],
      ['a delegate that is none', 'tools.delegating.delegate', 'run.js'],
      ['a delegate of two kinds', 'tools.inline-code.delegate.markdown', 'Text.'],
      ['a made file of another name', 'modules.0', '.agent-apps/cache.json'],
      ['an empty list of made files', 'modules', []],
      ['content that is not a range', 'tools.review.content', [1]],
      ['a third end of content', 'tools.review.content', [1, 2, 3]],
      ['an absent size', 'tools.review.size', undefined],
      ['a record with a field of nobody', 'tools.review.mtime', 1],
      ['a role that there is not', 'tools.review.frontmatter.role', 'reviewer'],
      ['a tag that is not normalised', 'tools.review.frontmatter.tags', ['Code Review']],
      ['tags twice', 'tools.review.frontmatter.tags', ['a', 'a']],
      ['frontmatter with a field of nobody', 'tools.review.frontmatter.version', '1.2.0'],
      ['a tool that is broken too', 'tools.broken.kind', 'folder'],
      ['a broken tool whose fault is none', 'tools.broken.broken.fatal', undefined],
      ['a diagnostic of no severity', 'tools.broken.broken.severity', 'info'],
      ['a line 0', 'tools.broken.broken.line', 0],
      ['resources outside the folder', 'details.review.resources.0.path', 'references/../../guide.md'],
      ['a resource without digest', 'details.review.resources.0.sha256', undefined],
      ['verbatim that is not a mapping', 'details.review.verbatim', []],
      ['a file outside', 'files../SKILL.md', { diagnostics: [], sha256: '', size: 0, tools: [] }],
      ['a file record with a field of nobody', 'files.two.skill.md.mtime', 1],
    ]),
  )('rejects %s', async (_, path, value) => {
    const { index } = await compiled(TREE)
    expect(problems(mutated(index, path, value))).not.toEqual([])
  })

  it.each<[string, string, unknown]>([
    ['a digest that is none', 'shards.0', 'review'],
    ['too few shards', 'shards', ['0'.repeat(32)]],
    ['sections besides shards', 'tools', {}],
  ])('rejects a header with %s', async (_, path, value) => {
    const { index } = await compiled(MANY)
    expect(problems(mutated(index, path, value))).not.toEqual([])
  })

  it.each(
    oneIn<[string, string, unknown]>(3, [
      ['a name that breaks the rule', 'names.0', 'Skill'],
      ['a name twice', 'names.0', 'skill-1'],
      ['a letter that stands for no kind', 'kinds', 'x'],
      ['a letter that stands for no role', 'roles', 'x'],
      ['a path that leads out', 'files.0', '../SKILL.md'],
      ['a size that is no count', 'sizes.0', -1],
      ['a fact that there is not', 'more.0', { made: 'yesterday' }],
      ['a row of facts without any', 'more.0', {}],
      ['a main skill without a name', 'mains', [['a/SKILL.md']]],
      ['a missing column', 'descriptions', undefined],
      ['a column of nobody', 'tags', []],
    ]),
  )('rejects a list with %s', async (_, path, value) => {
    const { list } = await compiled(MANY)
    expect(problems(list)).toEqual([])
    expect(problems(mutated(list ?? {}, path, value))).not.toEqual([])
  })

  it('rejects a shard with a header field', async () => {
    const { shards } = await compiled(MANY)
    expect(problems({ ...shards[0], version: 2 })).not.toEqual([])
  })

  it('is told by the page how the line of a record is checked', async () => {
    await compileTree({
      ...manySkills(3),
      'é.skill.md': '---\nname: accent\ndescription: "É, 😀, \\u2028."\n---\nX\n',
    })
    const text = readFileSync(join(root, '.agent-apps.json'), 'utf8')
    const lines = text.split('\n').filter(line => line.includes('"check":'))
    expect(lines).toHaveLength(12)
    for (const whole of lines) {
      const [, line = '', check] = /^(".*),"check":"(.*)"\},?$/s.exec(whole) ?? []
      let hash = 0x811c9dc5
      for (let unit = 0; unit < line.length; unit++)
        hash = Math.imul(hash ^ line.charCodeAt(unit), 0x01000193) >>> 0
      expect(check).toBe(hash.toString(16).padStart(8, '0'))
    }
  })

  it('is described by the page with an index that compile writes', async () => {
    const { index } = await compileTree({
      'review/SKILL.md':
        '---\nname: review\ndescription: Reviews a change.\nmetadata:\n  tags: [Quality]\n---\nLook at the change.\n',
      'review/references/guide.md': '# Guide\n',
    })
    const page = JSON.parse(/^```json \.agent-apps\.json\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? '')
    // It depends on the library as well, which changes with every version.
    expect(page.cascadeKey).toMatch(/^[0-9a-f]{64}$/)
    expect({ ...page, cascadeKey: index.cascadeKey }).toEqual(index)
    const text = readFileSync(join(root, '.agent-apps.json'), 'utf8')
    expect(sha256(text.slice(text.indexOf('"tools":'), -'\n}\n'.length))).toBe(index.hash)
    expect(sha256('review')).toBe(index.listing)
  })

  it('is described by the page with digests and shard numbers that hold', async () => {
    const { index, shards } = await compileTree(MANY)
    expect(sha256((index.shards as string[]).join('\n'))).toBe(index.hash)
    for (const digest of index.shards as string[]) {
      const bytes = readFileSync(join(root, `.agent-apps/index-${digest}.json`))
      expect(sha256(bytes).slice(0, 32)).toBe(digest)
    }
    expect(shards).toHaveLength((index.shards as string[]).length)
    const rows = [...PAGE.matchAll(/^\| `(.*)` \| `0x([0-9a-f]{8})` \| (\d+) \| (\d+) \|$/gm)]
    expect(rows).toHaveLength(4)
    for (const [, key = '', hash = '', ofFour, ofMany] of rows) {
      expect(Number.parseInt(hash, 16)).toBe(shardOf(key, 2 ** 32))
      expect([shardOf(key, 4), shardOf(key, 1024)]).toEqual([Number(ofFour), Number(ofMany)])
    }
  })

  it('has the same mind about paths as the runtime', () => {
    const pattern = new RegExp(SCHEMA.$defs.path.pattern, 'u')
    const paths = [
      'a',
      'a/b',
      '.a',
      '..a',
      'a..',
      '...',
      '',
      '.',
      '..',
      '/',
      '/a',
      'a/',
      'a//b',
      'a/./b',
      'a/../b',
    ]
    const odd = [
      'a/..',
      './a',
      '../a',
      'a\\b',
      'a\nb',
      'a\u007F',
      'C:',
      'C:/a',
      'c:a',
      'ab:c',
      'é/ü',
      'a b',
      'a/C:',
    ]
    for (const path of [...paths, ...odd]) expect([path, pattern.test(path)]).toEqual([path, isInside(path)])
  })
})

function sha256(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex')
}

function problems(document: unknown): unknown[] {
  return validate(document) ? [] : (validate.errors ?? [])
}

interface Compiled {
  index: Document
  shards: Document[]
  /** Absent for a small index. */
  list: Document | undefined
}
const known = new Map<string, Compiled>()

/** What compiling a tree writes. Most tests change a copy of one that was compiled before. */
async function compiled(tree: Record<string, string>, directory = '.'): Promise<Compiled> {
  const key = JSON.stringify([tree, directory])
  const made = known.get(key) ?? (await compileTree(tree, directory))
  known.set(key, made)
  return made
}

async function compileTree(tree: Record<string, string>, directory = '.'): Promise<Compiled> {
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  await compile({ cwd: root, paths: [directory] })
  const made = join(directory, '.agent-apps')
  const parts = (kind: RegExp): Document[] =>
    readdirSync(join(root, made))
      .filter(name => kind.test(name))
      .map(name => read(join(made, name)))
  const [list] = parts(/^list-.*\.json$/)
  return { index: read(`${made}.json`), shards: parts(/^index-.*\.json$/), list }
}

function read(file: string): Document {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

function manySkills(count: number): Record<string, string> {
  return Object.fromEntries(
    Array.from({ length: count }, (_, number) => [
      `skill-${number}/SKILL.md`,
      `---\nname: skill-${number}\ndescription: Number ${number}.\n---\n`,
    ]),
  )
}

/** The document with one place in it changed, or taken out. A key may hold dots: the longest that fits is meant. */
function mutated(document: Document, path: string, value: unknown): Document {
  const copy: Document = structuredClone(document)
  let at = copy
  let rest = path
  for (;;) {
    const here = at
    const key = Object.keys(here)
      .filter(name => rest.startsWith(`${name}.`) && typeof here[name] === 'object')
      .sort((a, b) => b.length - a.length)[0]
    if (key === undefined) break
    at = here[key] as Document
    rest = rest.slice(key.length + 1)
  }
  if (value === undefined) delete at[rest]
  else at[rest] = value
  return copy
}
