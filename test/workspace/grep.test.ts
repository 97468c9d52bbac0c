import { existsSync, readdirSync, readFileSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { oneIn, some } from '../support/long.js'
import { openWorkspace } from '../support/open-workspace.js'
import { ROOT } from '../support/processes.js'
import type { Tree } from '../support/tree.js'

const TREE: Tree = {
  'a.txt': 'one\ntwo\nthree\nfour\nfive two\n',
  'src/b.ts': 'const two = 2\r\nconst Two = 2\r\n',
  'src/c.md': 'TWO\n',
  'src/deep/d.ts': 'zwei\n',
  'ignored/e.txt': 'two\n',
  '.gitignore': 'ignored/\n',
  '.hidden/f.txt': 'two\n',
  '.git/g.txt': 'two\n',
  'service-account.json': 'two\n',
  binary: Buffer.from('two\n\0two\n'),
  'key.txt': '-----BEGIN PRIVATE KEY-----\ntwo\n',
  '../outside/h.txt': 'two\n',
  out: { link: '../outside' },
  'out.txt': { link: '../outside/h.txt' },
}

const path = process.env.PATH

/** An installed ripgrep that lies where agents may write is not used. */
const ENGINES = {
  ripgrep: {},
  scan: { also: [join(ROOT, 'node_modules')] },
}

describe.each(Object.entries(ENGINES))('grep with %s', (engine, options) => {
  beforeAll(() => {
    process.env.PATH = ''
  })
  afterAll(() => {
    process.env.PATH = path
  })
  const grep = async (args: object, tree: Tree = TREE) => {
    const result = await openWorkspace(tree, options).call('grep', args)
    expect(result.metadata.engine).toBe(engine)
    return result
  }

  it('shows lines by file', async () => {
    expect(await grep({ pattern: 'two' })).toEqual({
      title: '4 matches for two',
      metadata: { matches: 4, files: 3, truncated: false, engine },
      output: '.hidden/f.txt\n1:two\n\na.txt\n2:two\n5:five two\n\nsrc/b.ts\n1:const two = 2',
    })
  })

  it('shows lines around a match', async () => {
    expect((await grep({ pattern: '^two', context: 1, glob: 'a.txt' })).output).toBe(
      'a.txt\n1-one\n2:two\n3-three',
    )
    expect((await grep({ pattern: 'one|five', context: 1, glob: 'a.txt' })).output).toBe(
      'a.txt\n1:one\n2-two\n--\n4-four\n5:five two',
    )
    expect((await grep({ pattern: 't', context: 1, glob: 'a.txt' })).output).toBe(
      'a.txt\n1-one\n2:two\n3:three\n4-four\n5:five two',
    )
  })

  it('shows files and counts', async () => {
    expect(await grep({ pattern: 'two', mode: 'files' })).toMatchObject({
      metadata: { files: 3 },
      output: '.hidden/f.txt\na.txt\nsrc/b.ts',
    })
    expect(await grep({ pattern: 'two', mode: 'count' })).toMatchObject({
      metadata: { matches: 4, files: 3 },
      output: '.hidden/f.txt:1\na.txt:2\nsrc/b.ts:1',
    })
  })

  it('ignores case where it is told to', async () => {
    expect((await grep({ pattern: 'TWO', path: 'src' })).output).toBe('src/c.md\n1:TWO')
    expect((await grep({ pattern: 'tW[oO]', ignoreCase: true, path: 'src' })).output).toBe(
      'src/b.ts\n1:const two = 2\n2:const Two = 2\n\nsrc/c.md\n1:TWO',
    )
  })

  it.each(
    oneIn(2, [
      ['*.ts', 'src/b.ts'],
      ['src/*', 'src/b.ts'],
      ['**/*.{ts,md}', 'src/b.ts'],
      ['*.none', '[No matches.]'],
      ['ignored/*', '[No matches.]'],
      ['e.txt', '[No matches.]'],
    ]),
  )('searches only files that %s matches', async (glob, output) => {
    expect((await grep({ pattern: 'two', glob, mode: 'files' })).output).toBe(output)
  })

  it('stops at the limit', async () => {
    const many = { 'a.txt': 'x\n'.repeat(1000), 'b.txt': 'x\n' }
    const { output, metadata } = await grep({ pattern: 'x', limit: 10, glob: 'a.txt' }, many)
    expect(metadata).toMatchObject({ matches: 10, truncated: true })
    expect(String(output).split('\n').at(-1)).toMatch(/^\[There is more/)
    expect((await grep({ pattern: 'x', limit: 1, mode: 'files' }, many)).metadata).toMatchObject({
      files: 1,
      truncated: true,
    })
    expect((await grep({ pattern: 'x', limit: 2, mode: 'files' }, many)).metadata).toMatchObject({
      files: 2,
      truncated: false,
    })
  })

  it('keeps a long output whole in a file that can be read and searched, and no other', async () => {
    const tree = { 'a.txt': Array.from({ length: 5000 }, (_, index) => `needle ${index}\n`).join('') }
    const { call, refusal, runtime } = openWorkspace(tree, options)
    const { output, metadata } = await call('grep', { pattern: 'needle', limit: 5000 })
    expect(metadata).toMatchObject({ matches: 5000, truncated: true })
    expect(String(output).length).toBeLessThan(50_300)
    const file = /whole output is in (\S+):/.exec(String(output))?.[1] ?? ''
    expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(5001)
    expect((await call('read', { path: file, offset: 5001 })).output).toContain('needle 4999')
    expect((await call('grep', { path: file, pattern: '4999' })).output).toContain('5000:needle 4999')
    expect(await refusal('write', { path: file, content: '' })).toBe('PATH_OUTSIDE')
    const another = runtime.invoke('read', { path: file }, { sessionId: 'another' })
    await expect(another).rejects.toMatchObject({ code: 'PATH_OUTSIDE' })
    await runtime.endSession('test')
    expect(existsSync(file)).toBe(false)
    expect(await refusal('read', { path: file })).toBe('PATH_OUTSIDE')
  })

  it.each(oneIn(2, ['(', '[z-a]', '*', 'a{2,1}', '(?<!x']))('refuses %j', async pattern => {
    await expect(grep({ pattern })).rejects.toMatchObject({ code: 'PATTERN_REFUSED' })
  })

  it.each(
    some(
      [
        '(a+)+$',
        '(a|a)*$',
        'a*a*a*a*a*a*a*$',
        '(a?){30}a{30}$',
        '(a|aa)+$',
        '^(.*a){20}$',
        `${'a?'.repeat(30) + 'a'.repeat(30)}$`,
      ],
      2,
    ),
  )('is not held up by %j', async pattern => {
    const started = performance.now()
    const tree = { 'a.txt': `${`${'a'.repeat(5000)}!\n`.repeat(4)}${'a'.repeat(30)}!\n` }
    await grep({ pattern }, tree).catch(({ code }) => expect(code).toBe('PATTERN_REFUSED'))
    expect(performance.now() - started).toBeLessThan(10_000)
  })

  it('takes a pattern that looks like an option', async () => {
    expect((await grep({ pattern: '--files' }, { 'a.txt': '--files\n' })).output).toBe('a.txt\n1:--files')
    expect((await grep({ pattern: '-e', glob: '*.txt' }, { 'a.txt': '-e\n' })).output).toBe('a.txt\n1:-e')
  })

  it('reads no configuration of ripgrep', async () => {
    const tree = { 'a.txt': 'two\n', rc: '--invert-match\n' }
    const { call, root } = openWorkspace(tree, options)
    process.env.RIPGREP_CONFIG_PATH = join(root, 'rc')
    try {
      expect((await call('grep', { pattern: 'two' })).output).toBe('a.txt\n1:two')
    } finally {
      delete process.env.RIPGREP_CONFIG_PATH
    }
  })
})

describe('both engines of grep', () => {
  it('find the same in the source of this package', { tags: 'long' }, async () => {
    const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter(name =>
      name.endsWith('.ts'),
    )
    const tree = Object.fromEntries(files.map(file => [file, readFileSync(join(ROOT, 'src', file))]))
    const one = openWorkspace(tree)
    const other = openWorkspace(tree, ENGINES.scan)
    for (const pattern of [
      'export',
      '^import .* from',
      'function \\w+\\(',
      '[A-Z]{3,}',
      '(?:const|let) \\w+ = \\d',
      '\\bis[A-Z]\\w*',
      '\\{$',
      '(a|b)+c',
      '[^\\x00-\\x7f]',
    ]) {
      const args = { pattern, limit: 100_000, mode: 'count' }
      const [ripgrep, scan] = await Promise.all([one.call('grep', args), other.call('grep', args)])
      expect(ripgrep.metadata.engine).toBe('ripgrep')
      expect(scan.metadata.engine).toBe('scan')
      expect(scan.output, pattern).toBe(ripgrep.output)
    }
  })
})

describe('what cannot be searched', () => {
  it('is refused: signs that no program can be given, and a single file that is too large', async () => {
    const { refusal, root } = openWorkspace({ 'a.txt': 'a' })
    for (const args of [{ pattern: 'a\0b' }, { pattern: 'a', glob: 'a\0b' }, { pattern: '' }])
      expect(await refusal('grep', args)).toBe('ARGS_INVALID')
    // A file without contents on the disk.
    truncateSync(join(root, 'a.txt'), 3 * 2 ** 30)
    expect(await refusal('grep', { pattern: 'a', path: 'a.txt' })).toBe('FILE_UNUSABLE')
  })
})
