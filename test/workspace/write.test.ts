import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { applyPatch } from 'diff'
import { describe, expect, it } from 'vitest'
import { openWorkspace, refusalOf } from '../support/open-workspace.js'

describe('write', () => {
  it('creates a file, with the folders on the way', async () => {
    const { root, call } = openWorkspace()
    const result = await call('write', { path: 'new/deep/a.txt', content: 'one\n' })
    expect(result).toMatchObject({
      title: 'Created new/deep/a.txt',
      metadata: { path: 'new/deep/a.txt', created: true, bytes: 4 },
    })
    expect(applyPatch('', String(result.metadata.diff))).toBe('one\n')
    expect(readFileSync(join(root, 'new/deep/a.txt'), 'utf8')).toBe('one\n')
    expect(statSync(join(root, 'new/deep/a.txt')).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(readdirSync(join(root, 'new/deep'))).toEqual(['a.txt'])
  })

  it('replaces a file that was read, and keeps its mode, line endings and byte order mark', async () => {
    const { root, call } = openWorkspace({ 'a.sh': '\uFEFFone\r\ntwo\r\n' })
    chmodSync(join(root, 'a.sh'), 0o751)
    await call('read', { path: 'a.sh' })
    const result = await call('write', { path: 'a.sh', content: 'one\nthree\n' })
    expect(result.metadata).toMatchObject({ created: false, bytes: 15 })
    expect(readFileSync(join(root, 'a.sh'), 'utf8')).toBe('\uFEFFone\r\nthree\r\n')
    expect(statSync(join(root, 'a.sh')).mode & 0o777).toBe(0o751)
    expect(await call('write', { path: 'a.sh', content: '' })).toMatchObject({ metadata: { created: false } })
  })

  it('refuses a file that the session has not read, or that was changed since', async () => {
    const { root, runtime, call, refusal } = openWorkspace({ 'a.txt': 'one' })
    const content = 'two'
    expect(await refusal('write', { path: 'a.txt', content })).toBe('FILE_NOT_READ')
    await runtime.invoke('read', { path: 'a.txt' }, { sessionId: 'another' })
    expect(await refusal('write', { path: 'a.txt', content })).toBe('FILE_NOT_READ')
    await call('read', { path: 'a.txt' })
    const { atime, mtime } = statSync(join(root, 'a.txt'))
    writeFileSync(join(root, 'a.txt'), 'ONE')
    utimesSync(join(root, 'a.txt'), atime, mtime)
    expect(await refusal('write', { path: 'a.txt', content })).toBe('FILE_CHANGED')
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('ONE')
    await call('read', { path: 'a.txt' })
    utimesSync(join(root, 'a.txt'), 1, 1)
    expect(await call('write', { path: 'a.txt', content })).toMatchObject({ title: 'Wrote a.txt' })
  })

  it('knows what it wrote itself', async () => {
    const { call, refusal, root } = openWorkspace()
    for (const content of ['one', 'two', 'three']) await call('write', { path: 'a.txt', content })
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('three')
    writeFileSync(join(root, 'a.txt'), 'four')
    expect(await refusal('write', { path: 'a.txt', content: 'five' })).toBe('FILE_CHANGED')
  })

  it('writes through a link to the file that it leads to', async () => {
    const { root, call } = openWorkspace({ 'real/a.txt': 'one', 'link.txt': { link: 'real/a.txt' } })
    await call('read', { path: 'link.txt' })
    await call('write', { path: 'link.txt', content: 'two' })
    expect(readFileSync(join(root, 'real/a.txt'), 'utf8')).toBe('two')
    expect(readdirSync(join(root, 'real'))).toEqual(['a.txt'])
  })

  it('refuses directories, and files in the place of folders', async () => {
    const { root, refusal } = openWorkspace({ 'a.txt': 'one' })
    mkdirSync(join(root, 'folder'))
    expect(await refusal('write', { path: 'folder', content: '' })).toMatch(/^FILE_/)
    expect(await refusal('write', { path: '.', content: '' })).toMatch(/^FILE_/)
    expect(await refusal('write', { path: 'a.txt/b.txt', content: '' })).toBe('FILE_UNUSABLE')
    symlinkSync('missing', join(root, 'nowhere'))
    expect(await refusal('write', { path: 'nowhere', content: '' })).toBe('PATH_OUTSIDE')
    expect(existsSync(join(root, 'missing'))).toBe(false)
  })

  it('leaves nothing behind when it is no longer wanted', async () => {
    const { root, runtime } = openWorkspace()
    const work = runtime.invoke(
      'write',
      { path: 'a.txt', content: 'x'.repeat(1e7) },
      { signal: AbortSignal.timeout(2) },
    )
    expect(await refusalOf(work.catch(error => Promise.reject(error)))).toMatch(/RUN_ABORTED/)
    expect(readdirSync(root)).toEqual(['.keep'])
  })
})
