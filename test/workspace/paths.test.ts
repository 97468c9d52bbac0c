import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openWorkspace } from '../support/open-workspace.js'
import type { Tree } from '../support/tree.js'

/** A workspace `ws/` with neighbours, links in it that lead to all kinds of places, and one to it. */
const TREE: Tree = {
  'a.txt': 'inside',
  'deep/er/b.txt': 'inside',
  'ünï/ß.txt': 'inside',
  'with space.txt': 'inside',
  '..dots': 'inside',
  '...': 'inside',
  C: 'inside',
  'a:b': 'inside',
  'in.txt': { link: 'a.txt' },
  'in-dir': { link: 'deep' },
  'in-absolute': { link: '{ROOT}/deep/er' },
  'out.txt': { link: '../outside/secret.txt' },
  'out-dir': { link: '../outside' },
  'out-absolute': { link: '{AROUND}/outside' },
  'out-up': { link: '..' },
  'out-twice': { link: 'out-dir/again' },
  'in-by-out': { link: '../outside/back/a.txt' },
  'to-prefix': { link: '../ws-other/secret.txt' },
  nowhere: { link: '../outside/new.txt' },
  'nowhere-inside': { link: 'missing.txt' },
  circle: { link: 'circle' },
  device: { link: '/dev/zero' },
  proc: { link: '/proc/self/environ' },
  '../outside/secret.txt': 'SECRET',
  '../outside/again': { link: 'secret.txt' },
  '../outside/back': { link: '../ws' },
  '../ws-other/secret.txt': 'SECRET',
  '../w': 'SECRET',
  '../link-to-ws': { link: 'ws' },
}

/** Paths that lead to the text "inside". `{ROOT}` is the workspace, `{AROUND}` the folder around it. */
const INSIDE = [
  'a.txt',
  './a.txt',
  './/a.txt',
  'a.txt/',
  'deep/er/b.txt',
  'deep//er/./b.txt',
  'deep/../a.txt',
  'deep/er/../../a.txt',
  'missing/../a.txt',
  '../ws/a.txt',
  'ünï/ß.txt',
  'with space.txt',
  '..dots',
  '...',
  'C',
  'a:b',
  '{ROOT}/a.txt',
  '{ROOT}/deep/../a.txt',
  '{ROOT}//a.txt',
  '{AROUND}/link-to-ws/a.txt',
  '{AROUND}/outside/back/a.txt',
  'in.txt',
  'in-dir/er/b.txt',
  'in-absolute/b.txt',
  'in-by-out',
]

/** Paths that are refused, whatever is done with them. */
const OUTSIDE = [
  '..',
  '../outside/secret.txt',
  './../outside/secret.txt',
  'deep/../../outside/secret.txt',
  'deep/er/../../../outside/secret.txt',
  '../../../../../../../../etc/passwd',
  '/etc/passwd',
  '/',
  '//etc/passwd',
  '/../etc/passwd',
  '{AROUND}/outside/secret.txt',
  '{AROUND}/ws-other/secret.txt',
  '{ROOT}-other/secret.txt',
  '{ROOT}/../outside/secret.txt',
  '{AROUND}/w',
  'out.txt',
  'out-dir/secret.txt',
  'out-dir/new.txt',
  'out-dir/new/deeper.txt',
  'out-absolute/secret.txt',
  'out-up/outside/secret.txt',
  'out-twice',
  'to-prefix',
  'in-dir/../../outside/secret.txt',
  'nowhere',
  'nowhere-inside',
  'circle',
  'device',
  'proc',
  '/dev/zero',
  '/dev/stdin',
  '/dev/fd/0',
  '/proc/self/environ',
  '/proc/self/cwd/package.json',
  '',
  'a.txt\0',
  'a.txt\0.png',
  '\0',
  '../outside\0/secret.txt',
  '~',
  '~/secret.txt',
  '~root/.profile',
  'file:///etc/passwd',
  'file:a.txt',
  'FILE:///etc/passwd',
  'https://example.com/a.txt',
  'data:text/plain,a',
  'C:\\Windows\\win.ini',
  'C:/Windows/win.ini',
  'z:\\',
  '\\\\server\\share\\a.txt',
  '\\\\?\\C:\\a.txt',
  '\\\\.\\pipe\\a',
]

function opened() {
  const workspace = openWorkspace()
  const { root, around } = workspace
  const filled = (text: string): string => text.replaceAll('{ROOT}', root).replaceAll('{AROUND}', around)
  for (const [path, item] of Object.entries(TREE)) {
    const file = join(root, path)
    mkdirSync(join(file, '..'), { recursive: true })
    if (typeof item === 'object' && 'link' in item) symlinkSync(filled(item.link), file)
    else writeFileSync(file, item)
  }
  return { ...workspace, filled }
}

describe('the wall', () => {
  it.each(INSIDE)('lets %j through', async path => {
    const { call, filled } = opened()
    expect((await call('read', { path: filled(path) })).output).toBe('     1\tinside')
  })

  it.each(OUTSIDE)('refuses %j', async path => {
    const { refusal, filled, around } = opened()
    expect(await refusal('read', { path: filled(path) })).toBe('PATH_OUTSIDE')
    expect(existsSync(join(around, 'outside/new.txt'))).toBe(false)
    expect(readFileSync(join(around, 'outside/secret.txt'), 'utf8')).toBe('SECRET')
  })

  it('does not tell what exists outside', async () => {
    const { call } = opened()
    const said = async (path: string) => call('read', { path }).catch(({ message, hint }) => [message, hint])
    const there = await said('../outside/secret.txt')
    const missing = await said('../outside/missing.txt')
    expect(JSON.stringify(missing).replaceAll('missing', 'secret')).toBe(JSON.stringify(there))
  })

  it('reaches other folders that the host names', async () => {
    const { call, refusal } = openWorkspace(
      { '../outside/a.txt': 'one', '../other/a.txt': 'two' },
      { also: ['outside'] },
    )
    expect(await call('read', { path: '../outside/a.txt' })).toMatchObject({ output: '     1\tone' })
    expect(await refusal('read', { path: '../other/a.txt' })).toBe('PATH_OUTSIDE')
  })

  it.runIf(process.platform !== 'win32')('opens neither pipes nor directories', async () => {
    const { root, refusal } = opened()
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await refusal('read', { path: 'pipe' })).toBe('FILE_UNUSABLE')
    expect(await refusal('read', { path: 'deep' })).toBe('FILE_UNUSABLE')
    expect(await refusal('read', { path: '.' })).toBe('FILE_UNUSABLE')
    expect(await refusal('read', { path: 'a.txt/b' })).toMatch(/^FILE_/)
  })
})
