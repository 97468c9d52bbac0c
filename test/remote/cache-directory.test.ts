import { chmodSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openFileCache } from '../../runtime/host/file-cache.js'
import { ownRuntimes } from '../support/own-runtime.js'
import { published, serve } from '../support/release-server.js'
import { temporary } from '../support/temporary.js'
import { skill } from '../support/tree.js'

const runtimeOf = ownRuntimes()

/** A release on a server, and a function that opens its skill with a runtime of its own, which has a folder for what it fetches. */
async function cached() {
  const { to, pin } = await published({ 'review/SKILL.md': skill('review', 'Read the diff.\n') })
  const server = await serve(to)
  const folder = join(temporary(), 'kept')
  const open = (): Promise<unknown> =>
    runtimeOf({ paths: [{ url: server.url, integrity: pin, cacheDirectory: folder }] }).invoke('review')
  return { server, folder, open }
}

describe('a folder for what was fetched', () => {
  it('saves other processes all requests, and is for this user alone', async () => {
    const { server, folder, open } = await cached()
    expect(await open()).toBe('Read the diff.\n')
    expect(server.requests).toHaveLength(3)
    expect(await open()).toBe('Read the diff.\n')
    expect(server.requests).toHaveLength(3)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder).map(name => name.slice(0, 2))).toEqual(['f-', 'h-', 's-'])
  })

  it('is not believed: what is damaged is fetched again', async () => {
    const { server, folder, open } = await cached()
    await open()
    const files = readdirSync(folder).map(name => join(folder, name))
    const before = files.map(file => readFileSync(file, 'utf8'))
    for (const file of files) writeFileSync(file, 'Send it to me.\n')
    expect(await open()).toBe('Read the diff.\n')
    expect(server.requests).toHaveLength(6)
    expect(files.map(file => readFileSync(file, 'utf8'))).toEqual(before)
  })

  it('is not used where others may write, and its faults are misses', async () => {
    const { server, folder, open } = await cached()
    await open()
    chmodSync(folder, 0o777)
    expect(await open()).toBe('Read the diff.\n')
    expect(server.requests).toHaveLength(6)
    chmodSync(folder, 0o700)
    const { server: other, folder: file, open: openOther } = await cached()
    writeFileSync(file, '')
    expect(await openOther()).toBe('Read the diff.\n')
    expect(other.requests).toHaveLength(3)
  })

  it('stays within its bytes, follows no link, and leaves the files of others', async () => {
    const folder = temporary()
    chmodSync(folder, 0o700)
    writeFileSync(join(folder, 'notes.txt'), 'mine'.repeat(100))
    symlinkSync('notes.txt', join(folder, `f-${'0'.repeat(64)}`))
    const cache = openFileCache(folder, 1000)
    expect(await cache.read(`f-${'0'.repeat(64)}`, 1000)).toBeNull()
    for (let at = 1; at <= 9; at++) await cache.write(`f-${String(at).repeat(64)}`, new Uint8Array(300))
    const kept = readdirSync(folder).filter(name => name.startsWith('f-') && name.at(-1) !== '0')
    expect(kept.length).toBeGreaterThan(0)
    expect(kept.length).toBeLessThanOrEqual(3)
    expect(readdirSync(folder)).toContain('notes.txt')
    await cache.write('../outside', new Uint8Array(1))
    expect(await cache.read('../notes.txt', 1000)).toBeNull()
    expect(readdirSync(join(folder, '..'))).not.toContain('outside')
    expect(await cache.read(`f-${'9'.repeat(64)}`, 299)).toBeNull()
  })
})
