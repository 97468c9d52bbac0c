import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { exportSkills } from 'agent-apps/export'
import { describe, expect, it } from 'vitest'
import { EXPORT_PROJECT, exported } from '../support/export-project.js'
import { makeTree, snapshot } from '../support/tree.js'

describe.each(['well-known', 'plugin', 'skills'] as const)('an export as %s', to => {
  it('is the same byte for byte from another place, and from an index', async () => {
    const fromFiles = await exported(to)
    const cwd = makeTree(EXPORT_PROJECT)
    await compile({ cwd })
    const fromIndex = await exported(to, { cwd })
    expect(Object.keys(snapshot(fromIndex.dir)).length).toBeGreaterThan(5)
    expect(snapshot(fromIndex.dir)).toEqual(snapshot(fromFiles.dir))
  })

  it('into the same folder again writes nothing', async () => {
    const { cwd, dir, result } = await exported(to)
    expect(result.written).toContain(
      { 'well-known': 'index.json', plugin: '.mcp.json', skills: 'pdf/SKILL.md' }[to],
    )
    const before = snapshot(dir, { times: true })
    const again = await exportSkills({ to, dir, cwd })
    expect(again).toMatchObject({ written: [], removed: [] })
    expect(snapshot(dir, { times: true })).toEqual(before)
  })

  it('writes nothing outside of its folder', async () => {
    const cwd = makeTree(EXPORT_PROJECT)
    // A plugin with code compiles the project first.
    if (to === 'plugin') await compile({ cwd })
    const before = snapshot(cwd)
    await exported(to, { cwd })
    expect(snapshot(cwd)).toEqual(before)
  })

  it('has none of what the author’s machine is like', async () => {
    const { cwd, dir } = await exported(to)
    const texts = Object.values(snapshot(dir)).map(item =>
      Buffer.from(item.replace(/^.* /, ''), 'base64').toString('utf8'),
    )
    for (const text of texts) {
      expect(text).not.toContain(cwd)
      expect(text).not.toContain(process.cwd())
    }
  })

  it('removes what the project no longer has, and the folders that are empty then', async () => {
    const patterns = ['review', 'pdf']
    const { cwd, dir } = await exported(to, { patterns })
    rmSync(join(cwd, 'skills/review'), { recursive: true })
    const { removed } = await exportSkills({ to, dir, cwd, patterns })
    expect(removed.every(path => path.includes('review/'))).toBe(true)
    expect(removed.length).toBeGreaterThan(0)
    expect(Object.keys(snapshot(dir)).filter(path => path.includes('review'))).toEqual([])
  })
})
