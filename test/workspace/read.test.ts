import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../support/open-workspace.js'

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

describe('read', () => {
  it('shows numbered lines, whatever they end with', async () => {
    const { call } = openWorkspace({
      'a.txt': 'one\r\n\r\n  three\n',
      'b.txt': '\n',
      'c.txt': '',
      'd.txt': '\uFEFFone',
    })
    expect(await call('read', { path: 'a.txt' })).toEqual({
      title: 'Read a.txt',
      metadata: { path: 'a.txt', bytes: 15, lines: 3, truncated: false },
      output: '     1\tone\n     2\t\n     3\t  three',
    })
    expect(await call('read', { path: 'b.txt' })).toMatchObject({
      output: '     1\t',
      metadata: { lines: 1 },
    })
    expect(await call('read', { path: 'c.txt' })).toMatchObject({ output: '[The file is empty.]' })
    expect(await call('read', { path: 'd.txt' })).toMatchObject({ output: '     1\tone' })
  })

  it('shows a part, and says where to go on', async () => {
    const text = Array.from({ length: 5000 }, (_, index) => `line ${index + 1}\n`).join('')
    const { call, refusal } = openWorkspace({ 'a.txt': text })
    const first = await call('read', { path: 'a.txt' })
    expect(first.metadata).toMatchObject({ lines: 5000, truncated: true, bytes: text.length })
    expect(first.output).toMatch(
      /\n {2}2000\tline 2000\n\[Lines 1 to 2000 of 5000\. Continue with offset 2001\.]$/,
    )
    const part = await call('read', { path: 'a.txt', offset: 4999, limit: 5 })
    expect(part.output).toBe('  4999\tline 4999\n  5000\tline 5000')
    expect(part.metadata).toMatchObject({ truncated: false })
    expect(await refusal('read', { path: 'a.txt', offset: 5001 })).toBe('FILE_UNUSABLE')
  })

  it('shows at most 50,000 characters, and 2,000 of a line', async () => {
    const { call } = openWorkspace({
      'wide.txt': `${'x'.repeat(1000)}\n`.repeat(100),
      'long.txt': 'y'.repeat(1e6),
    })
    const wide = await call('read', { path: 'wide.txt' })
    expect(String(wide.output).length).toBeLessThan(50_200)
    expect(wide.output).toMatch(/Lines 1 to 49 of 100\. Continue with offset 50\.]$/)
    const long = await call('read', { path: 'long.txt' })
    expect(long).toMatchObject({
      output: `     1\t${'y'.repeat(2000)}…`,
      metadata: { lines: 1, truncated: true },
    })
  })

  it('reads characters that chunks cut in two', async () => {
    const text = `a${'é😀'.repeat(100_000)}\nend`
    const { call } = openWorkspace({ 'a.txt': text })
    const { output } = await call('read', { path: 'a.txt', offset: 2 })
    expect(output).toBe('     2\tend')
  })

  it('attaches images and PDFs', async () => {
    const { call, refusal } = openWorkspace({
      'a.png': PNG,
      'renamed.txt': '%PDF-1.7\n',
      'big.png': Buffer.concat([PNG, Buffer.alloc(5 * 1024 * 1024)]),
    })
    expect(await call('read', { path: 'a.png' })).toEqual({
      title: 'Read a.png',
      metadata: { path: 'a.png', bytes: 16, lines: 0, truncated: false },
      output: '[a.png is attached: image/png, 16 bytes.]',
      attachments: [{ type: 'file', mime: 'image/png', name: 'a.png', data: PNG.toString('base64') }],
    })
    expect(await call('read', { path: 'renamed.txt' })).toMatchObject({
      attachments: [{ mime: 'application/pdf' }],
    })
    expect(await refusal('read', { path: 'big.png' })).toBe('FILE_UNUSABLE')
  })

  it.each([
    ['NUL', Buffer.from('a\0b')],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62])],
    ['a character that is cut off', Buffer.from('é').subarray(0, 1)],
  ])('refuses a binary file: %s', async (_what, bytes) => {
    const { refusal } = openWorkspace({ 'a.bin': bytes })
    expect(await refusal('read', { path: 'a.bin' })).toBe('FILE_UNUSABLE')
  })

  it('names what may have been meant by a path that leads nowhere', async () => {
    const { call } = openWorkspace({
      'src/greeting.ts': '',
      'src/greeting.test.ts': '',
      'src/other.ts': '',
      'src/.env': '',
    })
    const hint = (path: string) =>
      call('read', { path }).then(String, ({ code, hint: said }) => `${code}: ${said}`)
    expect(await hint('src/greetin.ts')).toBe('FILE_NOT_FOUND: Did you mean src/greeting.ts?')
    expect(await hint('src/greeting.js')).toMatch(/src\/greeting\.ts/)
    expect(await hint('src/.enw')).not.toContain('.env')
    expect(await hint('missing/greeting.ts')).toMatch(/^FILE_NOT_FOUND: Use `glob`/)
  })

  it('does not show a private key under another name', async () => {
    const { refusal } = openWorkspace({ 'notes.txt': '-----BEGIN RSA PRIVATE KEY-----\nabc\n' })
    expect(await refusal('read', { path: 'notes.txt' })).toBe('FILE_PROTECTED')
  })

  it('sends a title on the way', async () => {
    const { runtime, root } = openWorkspace()
    writeFileSync(join(root, 'a.txt'), 'one')
    const titles: unknown[] = []
    runtime.globals.events.on('tool:update', event =>
      titles.push((event as { title?: string }).title ?? event),
    )
    await runtime.invoke('read', { path: 'a.txt' })
    await new Promise(resolve => setImmediate(resolve))
    expect(JSON.stringify(titles)).toContain('Reading a.txt')
  })
})
