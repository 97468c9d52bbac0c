import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { openWorkspace, refusalOf } from '../support/open-workspace.js'

async function edited(
  text: string,
  args: object,
): Promise<{ text: string; replaced: unknown; diff: string }> {
  const { root, call } = openWorkspace({ 'a.txt': text })
  await call('read', { path: 'a.txt' })
  const { metadata } = await call('edit', { path: 'a.txt', ...args })
  const now = readFileSync(join(root, 'a.txt'), 'utf8')
  expect(applyPatch(text, String(metadata.diff), { autoConvertLineEndings: false })).toBe(now)
  return { text: now, replaced: metadata.replaced, diff: String(metadata.diff) }
}

async function failure(text: string, args: object): Promise<string> {
  const { root, call } = openWorkspace({ 'a.txt': text })
  await call('read', { path: 'a.txt' })
  const said = await call('edit', { path: 'a.txt', ...args }).then(
    () => 'edited',
    ({ code, message, hint }) => `${code}: ${message} ${hint}`,
  )
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(text)
  return said
}

describe('edit', () => {
  it('replaces a text that occurs once', async () => {
    expect(await edited('one\ntwo\nthree\n', { old: 'two', new: '2' })).toEqual({
      text: 'one\n2\nthree\n',
      replaced: 1,
      diff: '--- a.txt\n+++ a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n',
    })
  })

  it('takes `$` and `\\` as they are', async () => {
    expect(await edited('a.b', { old: 'a.b', new: "$& $1 \\n $' $$" })).toMatchObject({
      text: "$& $1 \\n $' $$",
    })
  })

  it('replaces all occurrences, from left to right', async () => {
    expect(await edited('aaaa a', { old: 'aa', new: 'b', all: true })).toMatchObject({
      text: 'bb a',
      replaced: 2,
    })
  })

  it('makes several edits, each of what the ones before it made', async () => {
    const edits = [
      { old: 'one', new: 'two' },
      { old: 'two', new: 'three', all: true },
    ]
    expect(await edited('one two', { edits })).toMatchObject({ text: 'three three', replaced: 3 })
  })

  it('refuses a few edits that would make far too much of a text', { tags: 'long' }, async () => {
    const grows = [
      ...[{ old: 'l', new: 'x'.repeat(10), all: true }],
      ...Array.from({ length: 20 }, () => ({ old: 'x', new: 'x'.repeat(10), all: true })),
    ]
    const began = performance.now()
    expect(await failure('hello', { edits: grows })).toMatch(
      /^EDIT_FAILED: Edit \d+ of 21: The edits replace or add too much at once\. a\.txt was not changed\./,
    )
    const swaps = Array.from({ length: 500 }, (_, at) => ({
      ...{ old: 'ab'[at % 2], new: 'ab'[(at + 1) % 2], all: true },
    }))
    expect(await failure('a'.repeat(1_000_000), { edits: swaps })).toMatch(/^EDIT_FAILED: Edit \d+ of 500: /)
    expect(performance.now() - began).toBeLessThan(10_000)
  })

  it('makes all edits, or none', async () => {
    const edits = [
      { old: 'one', new: 'two' },
      { old: 'missing', new: 'x' },
    ]
    expect(await failure('one', { edits })).toMatch(/^EDIT_FAILED: Edit 2 of 2: .* a\.txt was not changed\./)
  })

  it('keeps the line endings of the file', async () => {
    expect(await edited('a\r\nb\r\nc\r\n', { old: 'a\nb', new: 'x\ny\nz' })).toMatchObject({
      text: 'x\r\ny\r\nz\r\nc\r\n',
    })
    expect(await edited('a\r\nb\r\n', { old: 'b', new: 'x\ny' })).toMatchObject({ text: 'a\r\nx\r\ny\r\n' })
    expect(await edited('a\nb\n', { old: 'a\r\nb', new: 'x' })).toMatchObject({ text: 'x\n' })
    expect(await edited('\uFEFFa\n', { old: 'a', new: 'b' })).toMatchObject({ text: '\uFEFFb\n' })
  })

  it('says where an ambiguous text is', async () => {
    expect(await failure('a\nb\na\n', { old: 'a', new: 'c' })).toMatch(
      /^EDIT_FAILED: .* occurs 2 times, on lines 1, 3\./,
    )
  })

  it('says what is most similar to a text that is absent', async () => {
    expect(await failure('x\n  if (a) {\n    go()\n', { old: 'if (a) {\n  go()', new: '' })).toMatch(
      /Line 2 differs only in that/,
    )
    expect(await failure('let total = 0\nreturn totl\n', { old: 'let totals = 0', new: '' })).toMatch(
      /Line 1 is the most similar: "let total = 0"/,
    )
    expect(await failure('abc', { old: 'something else entirely', new: '' })).toMatch(
      /is not in the file\. a\.txt/,
    )
  })

  it.each([
    [{}, /^ARGS_INVALID: .* do not say what to replace/],
    [{ old: 'a' }, /^ARGS_INVALID/],
    [{ old: 'a', new: 'b', edits: [{ old: 'a', new: 'b' }] }, /^ARGS_INVALID/],
    [{ old: '', new: 'b' }, /^ARGS_INVALID/],
    [{ edits: [] }, /^ARGS_INVALID/],
    [{ old: 'a', new: 'a' }, /^EDIT_FAILED: The old and the new text are the same/],
  ])('refuses %j', async (args, said) => {
    expect(await failure('a', args)).toMatch(said)
  })

  it('needs a file that was read, and is as it was', async () => {
    const { root, call, refusal } = openWorkspace({ 'a.txt': 'one', 'b.bin': 'x' })
    const args = { path: 'a.txt', old: 'one', new: 'two' }
    expect(await refusal('edit', { ...args, path: 'missing.txt' })).toBe('FILE_NOT_FOUND')
    expect(await refusal('edit', args)).toBe('FILE_NOT_READ')
    await call('read', { path: 'a.txt' })
    writeFileSync(join(root, 'a.txt'), 'one!')
    expect(await refusal('edit', args)).toBe('FILE_CHANGED')
  })

  it('makes concurrent edits of one file one after the other', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const { root, call } = openWorkspace({ 'a.txt': letters.join('\n'), 'link.txt': { link: 'a.txt' } })
    await call('read', { path: 'a.txt' })
    await Promise.all(
      letters.map((letter, number) =>
        call('edit', { path: number % 2 ? 'a.txt' : './link.txt', old: letter, new: letter.toUpperCase() }),
      ),
    )
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe(letters.join('\n').toUpperCase())
    expect(readdirSync(root).sort()).toEqual(['.keep', 'a.txt', 'link.txt'])
  })

  it('shows small changes of a large file', async () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`)
    const { diff } = await edited(lines.join('\n'), { old: 'line 25000\n', new: 'changed\n' })
    expect(diff.split('\n').slice(2, 6)).toEqual([
      '@@ -24998,7 +24998,7 @@',
      ' line 24997',
      ' line 24998',
      ' line 24999',
    ])
  })

  it('is refused to an agent without write', async () => {
    const { runtime } = openWorkspace({ 'a.txt': 'one' })
    const agent = runtime.forAgent({ permissions: ['read'] })
    await agent.invoke('read', { path: 'a.txt' })
    expect(await refusalOf(agent.invoke('edit', { path: 'a.txt', old: 'one', new: 'two' }))).toBe(
      'PERMISSION_MISSING',
    )
  })
})
