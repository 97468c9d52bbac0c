import {
  createRuntime,
  extractFrontmatter,
  isToolName,
  nearest,
  normalizeTags,
  parseReference,
} from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { indexFiles } from '../../compiler/index/index-files.js'
import { LineStore, sectionLines } from '../../compiler/index/line-store.js'
import { byCodePoint } from '../../src/base/code-point-order.js'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import { editDistance, nearestKey } from '../../src/base/nearest.js'
import { listingText } from '../../src/index/digested-texts.js'
import { emptyLines, encodeIndex, type Lines } from '../../src/index/encode-index.js'
import { SECTIONS, shardCount, shardOf } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { readPart } from '../../src/index/read-index.js'
import { toolNameProblem } from '../../src/skill/names.js'
import { character } from '../support/characters.js'
import { times } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { makeTree, skill } from '../support/tree.js'

const RUNS = times(10, 100_000)
const FILE_RUNS = times(4, 5_000)

/** Any text, those that programs stumble over among them. */
const hostile = fc.oneof(
  fc.string({ unit: character }),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    'a--b',
    '-a',
    'a-',
    'A',
    'é',
    '\u0000',
    '\uD800',
    '../x',
    'C:\\x',
    '#',
    'a#b',
  ),
)
const toolName = fc
  .array(fc.stringMatching(/^[a-z0-9]{1,8}$/), { minLength: 1, maxLength: 6 })
  .map(parts => parts.join('-').slice(0, 64).replace(/-$/, ''))

describe('names', () => {
  it('are 1 to 64 of a-z, 0-9 and hyphens, none first, last or doubled', () => {
    const nearly = fc.string({ unit: fc.constantFrom('a', 'z', '0', '9', '-', 'A', '_', 'é'), maxLength: 66 })
    fc.assert(
      fc.property(fc.oneof(hostile, nearly, toolName), text => {
        const characters = [...text]
        const valid =
          characters.length >= 1 &&
          characters.length <= 64 &&
          characters.every(character => 'abcdefghijklmnopqrstuvwxyz0123456789-'.includes(character)) &&
          !text.startsWith('-') &&
          !text.endsWith('-') &&
          !text.includes('--')
        expect(isToolName(text)).toBe(valid)
        expect(toolNameProblem(text) === null).toBe(valid)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('references', () => {
  it('a name is a name, and every text has exactly one meaning', () => {
    const url = fc
      .tuple(fc.constantFrom('http', 'https'), fc.domain(), hostile)
      .map(([scheme, host, path]) => `${scheme}://${host}/${path}`)
    fc.assert(
      fc.property(fc.oneof(hostile, toolName, url), text => {
        const { kind } = parseReference(text)
        expect(kind === 'name').toBe(isToolName(text))
        expect(kind === 'none').toBe(text === '' || (/^layer:\/\//i.test(text) && kind === 'none'))
      }),
      { numRuns: RUNS },
    )
  })

  it('a fragment is taken off a path and only there', () => {
    const path = fc.stringMatching(/^\.\/[\w./ %-]{1,20}$/)
    fc.assert(
      fc.property(path, toolName, (file, name) => {
        expect(parseReference(`${file}#${name}`)).toEqual({ kind: 'path', path: file, fragment: name })
        expect(parseReference(`file://${file}#${name}`)).toEqual({
          kind: 'file-url',
          url: `file://${file}`,
          fragment: name,
        })
        expect(parseReference(`${file}#`)).toEqual({ kind: 'path', path: `${file}#` })
      }),
      { numRuns: RUNS },
    )
  })
})

describe('isInside', () => {
  it('accepts no path that leads out, on any host', () => {
    const part = fc.constantFrom('..', '.', '', 'a', '...', 'C:', '\\', '\u0000', '..\\', ' ', 'é')
    fc.assert(
      fc.property(
        fc.oneof(
          hostile,
          fc.array(part, { maxLength: 6 }).map(parts => parts.join('/')),
        ),
        text => {
          if (!isInside(text)) return
          let depth = 0
          for (const step of text.split(/[\\/]/)) {
            expect(step).not.toBe('')
            depth += step === '..' ? -1 : 1
            expect(depth).toBeGreaterThan(0)
          }
          expect(text).not.toMatch(/^[a-z]:/i)
          expect(
            new URL(
              encodeURI(Buffer.from(text).toString()).replaceAll('?', '%3F').replaceAll('#', '%23'),
              'file:///root/dir/',
            ).href.startsWith('file:///root/dir/') || text.includes(':'),
          ).toBe(true)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('accepts every plain path', () => {
    const part = fc.stringMatching(/^[\w -]{1,10}$/)
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 5 }), parts => isInside(parts.join('/'))),
      { numRuns: RUNS },
    )
  })

  it('accepts only texts', () => {
    fc.assert(
      fc.property(fc.anything(), value => typeof value === 'string' || !isInside(value)),
      { numRuns: RUNS },
    )
  })
})

describe('tags', () => {
  it('normalising once is enough, and leaves only letters, digits and single hyphens', () => {
    fc.assert(
      fc.property(fc.array(hostile), tags => {
        const normal = normalizeTags(tags)
        expect(normalizeTags(normal)).toEqual(normal)
        expect(new Set(normal).size).toBe(normal.length)
        for (const tag of normal) expect(tag).toMatch(/^[\p{L}\p{N}]+(-[\p{L}\p{N}]+)*$/u)
      }),
      { numRuns: RUNS },
    )
  })
})

describe('code-point order', () => {
  it('is that of the lists of code points', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', 'Z', '\uFFFD', '\uE000', '\u{10000}', '\u{1F600}', '\uD7FF', 'é'),
    })
    const points = (one: string): number[] => Array.from(one, character => character.codePointAt(0) ?? 0)
    const compare = (a: number[], b: number[]): number => {
      for (const [index, point] of a.entries()) {
        const other = b[index]
        if (other === undefined) return 1
        if (point !== other) return point - other
      }
      return a.length - b.length
    }
    fc.assert(
      fc.property(fc.oneof(text, fc.string({ unit: character })), text, (a, b) => {
        expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(compare(points(a), points(b))))
        expect(Math.sign(byCodePoint(b, a))).toBe(-Math.sign(byCodePoint(a, b)) + 0)
      }),
      { numRuns: RUNS },
    )
  })

  it('a listing does not depend on the order it is read in', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit: character })), names => {
        expect(listingText([...names].reverse())).toBe(listingText(names))
      }),
      { numRuns: RUNS },
    )
  })
})

describe('nearest', () => {
  /** The textbook recursion, to compare with. */
  function distance(a: string, b: string): number {
    const table = Array.from({ length: a.length + 1 }, (_, row) =>
      Array.from({ length: b.length + 1 }, (_, column) => (row === 0 ? column : column === 0 ? row : 0)),
    )
    const at = (row: number, column: number): number => table[row]?.[column] ?? 0
    for (let row = 1; row <= a.length; row++) {
      for (let column = 1; column <= b.length; column++) {
        let cost = Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1),
        )
        if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
          cost = Math.min(cost, at(row - 2, column - 2) + 1)
        const line = table[row]
        if (line) line[column] = cost
      }
    }
    return at(a.length, b.length)
  }
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '-'), maxLength: 9 })

  it('counts edits as the textbook does, up to its limit', () => {
    fc.assert(
      fc.property(word, word, fc.nat({ max: 5 }), (a, b, limit) => {
        const real = distance(a, b)
        const counted = editDistance(a, b, limit)
        if (real <= limit) expect(counted).toBe(real)
        else expect(counted).toBeGreaterThan(limit)
      }),
      { numRuns: RUNS },
    )
  })

  it('prefers the first of those that are equally near', () => {
    expect(nearest('revise', ['revisx', 'revisy'])).toBe('revisx')
    expect(nearest('revise', ['rexisx', 'revisy', 'revisx'])).toBe('revisy')
  })

  it('gives one of the candidates, none nearer, and never the word itself', () => {
    fc.assert(
      fc.property(word, fc.array(word), (text, candidates) => {
        const found = nearest(text, candidates)
        const limit = Math.max(1, Math.floor(text.length / 3))
        const others = candidates.filter(candidate => candidate !== text)
        const best = Math.min(...others.map(candidate => distance(text, candidate)))
        if (found === null) expect(best).toBeGreaterThan(limit)
        else expect([others.includes(found), distance(text, found)]).toEqual([true, best])
      }),
      { numRuns: RUNS },
    )
  })
})

describe('nearestKey', () => {
  const EDIT = ['path', 'old', 'new', 'all', 'edits']

  it.each([
    ['file_path', EDIT, 'path'],
    ['filePath', ['file', 'path'], 'path'],
    ['old_string', EDIT, 'old'],
    ['oldString', EDIT, 'old'],
    ['replaceAll', EDIT, 'all'],
    ['PATH', EDIT, 'path'],
    ['paht', EDIT, 'path'],
    ['allowed_tools', ['tools', 'allowed-tools'], 'allowed-tools'],
    ['allowedTool', ['tools', 'allowed-tools'], 'allowed-tools'],
    ['timeout', ['cwd', 'timeoutMs'], 'timeoutMs'],
    ['max_Steps', ['maxSteps'], 'maxSteps'],
    ['cwd', EDIT, null],
    ['', EDIT, null],
    ['__', ['', '--'], null],
    ['a', ['', '--'], null],
  ])('of %j among %j is %j', (unknown, known, meant) => {
    expect(nearestKey(unknown, known)).toBe(meant)
  })
})

const key = fc
  .oneof(
    fc.stringMatching(/^[a-z][\w-]{0,8}$/),
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.constantFrom('toString', 'hasOwnProperty', 'valueOf', 'length'),
  )
  .filter(
    text =>
      !['__proto__', 'constructor', 'prototype', '<<'].includes(text) && !/\p{C}|\p{Zl}|\p{Zp}/u.test(text),
  )
const scalar = fc.oneof(
  fc.string({ unit: 'grapheme' }).filter(text => !/[\p{Cc}\p{Cs}\uFEFF]/u.test(text)),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).filter(value => !Object.is(value, -0)),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(
    'yes',
    'null',
    '012',
    '1:30',
    '2024-01-31',
    '~',
    '---',
    '- a',
    '#x',
    'a: b',
    '*a',
    '&a',
    '!b',
    '|',
    '>',
    '@',
    '`',
  ),
)
const { tree } = fc.letrec<{ tree: JsonValue }>(tie => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(key, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))
const data = fc.dictionary(
  key.filter(text => !/^\d+$/.test(text)),
  tree,
  { maxKeys: 6, noNullPrototype: true },
)

describe('frontmatter', () => {
  it('comes back as the JSON data it was written from, in its order, and content byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(data, fc.string({ unit: 'grapheme' }), async (metadata, body) => {
        const text = body.replaceAll('\u0000', '')
        const verbatim = { name: 'kept', description: 'Kept.', metadata, 'x-more': metadata }
        const yaml = stringify(verbatim, { aliasDuplicateObjects: false, version: '1.2' })
        const dir = makeTree({ 'kept/SKILL.md': `---\n${yaml}---\n${text}` })
        const { counts, diagnostics } = await compile({ paths: [dir] })
        expect([counts.found, diagnostics.filter(({ fatal }) => fatal).map(String)]).toEqual([1, []])
        const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
        const read = (await runtime.describe('kept')).verbatim
        expect(JSON.stringify(read)).toBe(JSON.stringify(verbatim))
        // It is not run: what begins with `$` is mostly no annotation.
        const tool = await runtime.findTool('kept')
        expect(Buffer.from((await tool?.content?.()) ?? '')).toEqual(Buffer.from(text))
      }),
      { numRuns: FILE_RUNS },
    )
  })

  it('means something whatever is in it, and never fails', () => {
    fc.assert(
      fc.property(
        fc.dictionary(hostile, tree as fc.Arbitrary<JsonValue>),
        fc.constantFrom('folder', 'file', 'code'),
        (more, kind) => {
          const verbatim = { ...more, metadata: more } as JsonObject
          const before = JSON.stringify(verbatim)
          const { name, tags, metadata, extra } = extractFrontmatter(verbatim, { kind, name: 'x' })
          expect([name, Array.isArray(tags), typeof metadata, typeof extra]).toEqual([
            'x',
            true,
            'object',
            'object',
          ])
          expect(tags).not.toContain('meta-internal')
          expect(JSON.stringify(verbatim)).toBe(before)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('any text at all is read, with or without a fault, and never throws', async () => {
    const line = fc.constantFrom(
      '---',
      '--- ',
      '---x',
      'name: a',
      'name: b',
      'name:',
      'description: d',
      'description: a: b',
      '- x',
      '  - y',
      '```',
      '~~~',
      '',
      'metadata:',
      '  tags: [a',
      ']',
      '\uFEFF',
      '"',
      "'",
      '{',
      '}',
      '&a',
      '*a',
      '!!x y',
      '<<: *a',
      '? k',
      ': v',
      '\t',
      '\r',
      '%YAML 1.2',
      '...',
      '#',
    )
    const text = fc.oneof(
      fc.array(line, { maxLength: 20 }).map(lines => lines.join('\n')),
      fc.string({ unit: character }),
    )
    await fc.assert(
      fc.asyncProperty(text, async content => {
        const dir = makeTree({
          'a-good/SKILL.md': skill('a-good'),
          'x/SKILL.md': content,
          'y.skill.md': content,
        })
        const { counts } = await compile({ paths: [dir] })
        expect(counts.found + counts.skipped + counts.shadowed).toBe(3)
        const [compiled, fromDisk] = [
          createRuntime({ paths: [dir], freshness: 'trust' }),
          createRuntime({
            paths: [
              makeTree({ 'a-good/SKILL.md': skill('a-good'), 'x/SKILL.md': content, 'y.skill.md': content }),
            ],
          }),
        ]
        const contents = async (runtime: typeof compiled): Promise<unknown> =>
          Promise.all(
            (await runtime.listTools()).map(async tool => [
              tool.name,
              tool.frontmatter,
              await tool.content?.(),
            ]),
          )
        expect(await contents(compiled)).toEqual(await contents(fromDisk))
      }),
      { numRuns: FILE_RUNS * 2 },
    )
  })

  it('reaches no prototype: all of it works with frozen ones', () => {
    const keys = ['__proto__', 'constructor', 'prototype']
    const files = Object.fromEntries(
      keys.flatMap((name, index) => [
        [`top-${index}/SKILL.md`, skill(`top-${index}`, 'x\n', `${name}: { polluted: 1 }\n`)],
        [`meta-${index}/SKILL.md`, skill(`meta-${index}`, 'x\n', `metadata:\n  ${name}:\n    polluted: 1\n`)],
        [`${name}/SKILL.md`, skill(`folder-${index}`)],
      ]),
    )
    const dir = makeTree({
      ...files,
      'constructor.skill.md': skill('constructor'),
      'good/SKILL.md': skill('good'),
    })
    const code = `
      import { compile } from 'agent-apps/compiler'
      import { createRuntime } from 'agent-apps/runtime'
      // Loaded before the freeze: packages may set up their own classes, skills may not.
      const warm = createRuntime({ paths: [] })
      await import('gray-matter'); await import('yaml'); await import('js-yaml'); await import('picomatch')
      const before = Object.getOwnPropertyNames(Object.prototype).length
      for (const one of [Object, Array, Function, String, Map]) Object.freeze(one.prototype)
      const paths = [process.env.SKILLS]
      const fromDisk = await createRuntime({ paths, library: false, freshness: 'check' }).listTools()
      await compile({ paths })
      const runtime = createRuntime({ paths, library: false, freshness: 'trust' })
      const listed = await runtime.listTools()
      console.log(JSON.stringify({
        same: listed.map(tool => tool.name).join() === fromDisk.map(tool => tool.name).join(),
        good: await runtime.render('good'),
        maker: await runtime.render('constructor'),
        count: listed.length,
        grown: Object.getOwnPropertyNames(Object.prototype).length - before,
        polluted: ({}).polluted === undefined && [].polluted === undefined,
      }))`
    expect(JSON.parse(runCode(code, { SKILLS: dir }))).toEqual({
      same: true,
      good: 'Do good.\n',
      maker: 'Do constructor.\n',
      count: 2 + keys.length,
      grown: 0,
      polluted: true,
    })
  })
})

describe('the lines of an index', () => {
  const record = fc.dictionary(
    fc.string(),
    fc.oneof(fc.string({ unit: character }), fc.integer(), fc.array(fc.string())),
    { noNullPrototype: true },
  )
  const lines = fc.dictionary(fc.string({ unit: character }), record, { maxKeys: 40, noNullPrototype: true })

  it('are taken apart into what they were put together from', () => {
    const fields = {
      ignore: ['x'],
      listing: 'l',
      cascadeInput: 'i',
      cascadeKey: 'k',
      modules: [],
      counts: { files: 1, found: 1, skipped: 0 },
    }
    const encode = (records: Record<string, object>): Map<string, string> =>
      new Map(
        Object.entries(records).map(([name, value]) => [
          name,
          `${JSON.stringify(name)}:${JSON.stringify(value)}`,
        ]),
      )
    fc.assert(
      fc.property(lines, lines, lines, fc.nat({ max: 300 }), (tools, details, files, more) => {
        const many = Object.fromEntries(Array.from({ length: more }, (_, index) => [`more-${index}`, {}]))
        const written = {
          tools: encode({ ...tools, ...many }),
          details: encode(details),
          files: encode(files),
          cascades: encode(details),
          contents: encode(files),
        }
        const store = new LineStore()
        const stored = new Map([...written.details].map(([name, line]) => [name, store.add(line)]))
        const { header, parts: shards } = encodeIndex<string | number>(
          { ...written, details: stored },
          fields,
          line => store.bytes(line),
          indexFiles,
        )
        const read: Lines = emptyLines()
        const texts =
          shards.size > 0 ? [...shards.values()].map(shard => Buffer.from(shard()).toString()) : [header]
        for (const text of texts) {
          const part = readPart(text)
          for (const section of SECTIONS)
            for (const [key, line] of sectionLines(part[section].text)) read[section].set(key, line)
          JSON.parse(text)
        }
        for (const section of SECTIONS)
          expect(new Map([...read[section]].sort())).toEqual(new Map([...written[section]].sort()))
        expect(shards.size).toBe(shardCount(written.tools.size + written.files.size))
      }),
      { numRuns: RUNS / 5 },
    )
  })

  it('every key has one shard, and shards are filled about evenly', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), fc.integer({ min: 1, max: 4_096 }), (name, count) => {
        const shard = shardOf(name, count)
        expect(shard).toBe(shardOf(name, count))
        expect([Number.isInteger(shard), shard >= 0, shard < count]).toEqual([true, true, true])
      }),
      { numRuns: RUNS },
    )
    const count = shardCount(20_000)
    const filled = Array.from({ length: count }, () => 0)
    for (let index = 0; index < 20_000; index++)
      filled[shardOf(`skill-${index}`, count)] = (filled[shardOf(`skill-${index}`, count)] ?? 0) + 1
    expect(Math.max(...filled)).toBeLessThan(2 * (20_000 / count))
  })
})
