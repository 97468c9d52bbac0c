import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../support/open-workspace.js'
import type { Tree } from '../support/tree.js'

const TREE: Tree = {
  'a.ts': '',
  'src/b.ts': '',
  'src/deep/c.ts': '',
  'src/deep/d.tsx': '',
  'src/.hidden/e.ts': '',
  'docs/f.md': '',
}

/** Calls `glob`, and returns the paths in order of name. */
async function globbed(tree: Tree, args: object): Promise<string[]> {
  const { call } = openWorkspace(tree)
  const { output, metadata } = await call('glob', args)
  const lines = output === '[No files.]' ? [] : String(output).split('\n').sort()
  expect(metadata).toEqual({ count: lines.length, truncated: false })
  return lines.filter(line => line !== '.keep')
}

describe('glob', () => {
  it.each([
    ['*.ts', ['a.ts']],
    ['./*.ts', ['a.ts']],
    ['**/*.ts', ['a.ts', 'src/.hidden/e.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['src/*.ts', ['src/b.ts']],
    ['src/**', ['src/.hidden/e.ts', 'src/b.ts', 'src/deep/c.ts', 'src/deep/d.tsx']],
    ['src/*/*.{ts,tsx}', ['src/.hidden/e.ts', 'src/deep/c.ts', 'src/deep/d.tsx']],
    ['{src/deep,docs}/*', ['docs/f.md', 'src/deep/c.ts', 'src/deep/d.tsx']],
    ['**/[a-c].ts', ['a.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['**/[!a].ts', ['src/.hidden/e.ts', 'src/b.ts', 'src/deep/c.ts']],
    ['**/?.md', ['docs/f.md']],
    ['src', []],
    ['none/**', []],
  ])('%s', async (pattern, paths) => {
    expect(await globbed(TREE, { pattern })).toEqual(paths)
  })

  it('begins at a folder', async () => {
    expect(await globbed(TREE, { pattern: '*.ts', path: 'src/deep' })).toEqual(['src/deep/c.ts'])
  })

  it('gives the last changed first, and says how many it leaves out', async () => {
    const { root, call } = openWorkspace({ 'a.md': '', 'b.md': '', 'c.md': '' })
    for (const [name, time] of [
      ['a.md', 2000],
      ['b.md', 3000],
      ['c.md', 1000],
    ] as const)
      utimesSync(join(root, name), time, time)
    expect((await call('glob', { pattern: '*.md' })).output).toBe('b.md\na.md\nc.md')
    expect(await call('glob', { pattern: '*.md', limit: 1 })).toMatchObject({
      metadata: { count: 3, truncated: true },
      output: 'b.md\n[2 more. Give a narrower pattern, or a higher `limit`.]',
    })
  })

  it('leaves out what ignore files say, as git does', async () => {
    const tree: Tree = {
      '.gitignore':
        '# comment\n*.log\n!keep.log\n/only-here\nfolder/\ndocs/*.tmp\n**/any/x\nlit[a]\\*\nspace\\ \n{b}\na/**/z\n',
      'a.log': '',
      'keep.log': '',
      'only-here': '',
      'sub/only-here': '',
      'folder/x': '',
      'sub/folder/x': '',
      'sub/deeper/folder': '',
      'docs/a.tmp': '',
      'docs/sub/a.tmp': '',
      'p/q/any/x': '',
      'lita*': '',
      litab: '',
      'space ': '',
      '{b}': '',
      b: '',
      'a/z': '',
      'a/b/c/z': '',
      'sub/.gitignore': '!a.log\nown\n',
      'sub/a.log': '',
      'sub/own': '',
      own: '',
      '.ignore': 'by-ignore\n',
      'by-ignore': '',
      '.git/info/exclude': 'excluded\n',
      excluded: '',
      '.git/config': '',
    }
    expect((await globbed(tree, { pattern: '**' })).filter(path => !path.endsWith('ignore'))).toEqual(
      [
        'b',
        'docs/sub/a.tmp',
        'keep.log',
        'litab',
        'own',
        'sub/a.log',
        'sub/deeper/folder',
        'sub/only-here',
      ].sort(),
    )
    expect(await globbed(tree, { pattern: '**', path: 'docs' })).toEqual(['docs/sub/a.tmp'])
    expect(await globbed(tree, { pattern: '**', path: 'folder' })).toEqual(['folder/x'])
  })

  it('shows links that stay inside, and follows none', async () => {
    const tree: Tree = {
      'a.txt': '',
      'in.txt': { link: 'a.txt' },
      'out.txt': { link: '../outside/b.txt' },
      'nowhere.txt': { link: 'missing' },
      around: { link: '.' },
      'secret.txt': { link: '.env' },
      '.env': '',
      '../outside/b.txt': '',
    }
    expect(await globbed(tree, { pattern: '**' })).toEqual(['a.txt', 'around', 'in.txt'])
  })

  it.each([
    '*'.repeat(50),
    '*a'.repeat(200),
    '{a,b}'.repeat(100),
    `${'**/'.repeat(100)}x`,
    '(((',
    '{',
    '[',
    '../**',
    '/etc/*',
    'a'.repeat(2000),
  ])('neither hangs nor leads out: %j', async pattern => {
    const { call } = openWorkspace({ [`${'a'.repeat(200)}`]: '', 'b/a/b/a/b/x': '' })
    const started = performance.now()
    const said = await call('glob', { pattern }).then(
      ({ output }) => String(output),
      ({ code }) => code,
    )
    expect(performance.now() - started).toBeLessThan(2000)
    expect(said).not.toContain('passwd')
  })
})

describe('list', () => {
  it('shows a tree', async () => {
    const { call } = openWorkspace({ ...TREE, link: { link: 'src' }, 'empty/x': '', '.gitignore': 'empty\n' })
    expect(await call('list', { depth: 2 })).toEqual({
      title: 'Listed .',
      metadata: { entries: 10, truncated: false },
      output:
        './\n  .gitignore\n  .keep\n  a.ts\n  docs/\n    f.md\n  link@\n  src/\n    .hidden/\n    b.ts\n    deep/',
    })
    expect((await call('list', { path: 'src', depth: 1 })).output).toBe('src/\n  .hidden/\n  b.ts\n  deep/')
  })

  it('cuts a long one', async () => {
    const { root, call } = openWorkspace()
    mkdirSync(join(root, 'many'))
    for (let number = 0; number < 20; number++) writeFileSync(join(root, `many/${number}`), '')
    const { output, metadata } = await call('list', { path: 'many', limit: 5 })
    expect(metadata).toEqual({ entries: 5, truncated: true })
    expect(String(output).split('\n')).toHaveLength(7)
    expect((await call('list', { path: 'many', limit: 20 })).metadata).toEqual({
      entries: 20,
      truncated: false,
    })
  })

  it('is refused for files, what is missing and what is outside', async () => {
    const { refusal } = openWorkspace({ 'a.txt': '' })
    expect(await refusal('list', { path: 'a.txt' })).toBe('FILE_UNUSABLE')
    expect(await refusal('list', { path: 'missing' })).toBe('FILE_NOT_FOUND')
    expect(await refusal('list', { path: '..' })).toBe('PATH_OUTSIDE')
    expect(await refusal('glob', { pattern: '*', path: '..' })).toBe('PATH_OUTSIDE')
    expect(await refusal('grep', { pattern: 'a', path: '..' })).toBe('PATH_OUTSIDE')
  })
})
