import { spawnSync } from 'node:child_process'
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import type { Runtime } from 'agent-apps'
import { afterEach, describe, expect, it } from 'vitest'
import { some } from '../support/long.js'
import { asOrdinaryUser, ORDINARY_USER, readableRoot } from '../support/ordinary-user.js'
import { ownTools } from '../support/own-tools.js'
import { makeTree, skill } from '../support/tree.js'

const ROOT = readableRoot()
const COMMAND = join(ROOT, 'dist/cli/main.js')
const { createRuntime }: typeof import('agent-apps') = await import(join(ROOT, 'dist/runtime/agent-apps.js'))
const { check, compile, graph, verify }: typeof import('agent-apps/compiler') = await import(
  join(ROOT, 'dist/compiler/index.js')
)
const PATHS = ['skills', 'closed', { dir: 'home/skills', layer: 'global' as const, external: true }]

const closed: string[] = []

afterEach(() => {
  for (const folder of closed.splice(0)) chmodSync(folder, 0o755)
})

/** A project of which this user may enter neither the folders that are named nor, of one path entry, the folder above it. */
async function project(folders: string[], isCompiled: boolean): Promise<string> {
  const cwd = makeTree({
    'package.json': JSON.stringify({ type: 'module', 'agent-apps': { paths: ['skills', 'closed'] } }),
    'skills/a/SKILL.md': skill('a'),
    'skills/deep/b/SKILL.md': skill('b'),
    'closed/c/SKILL.md': skill('c'),
    'home/skills/d/SKILL.md': skill('d'),
  })
  if (isCompiled) for (const dir of ['skills', 'closed', 'home/skills']) await compile({ cwd, paths: [dir] })
  for (const folder of folders) {
    closed.push(join(cwd, folder))
    chmodSync(join(cwd, folder), 0)
  }
  return cwd
}

const rules = (runtime: Runtime, cwd: string): string[] =>
  runtime.diagnostics().map(({ rule, severity, file }) => `${severity} ${rule} ${file.slice(cwd.length + 1)}`)

describe.each([
  ['index', 'trust'],
  ['index', 'check'],
  ['disk', 'trust'],
  ['disk', 'check'],
] as const)('folders that may not be entered, from %s, %s', (from, freshness) => {
  it('the rest is listed and found, and each is told of', async () => {
    const cwd = await project(['skills/deep', 'closed', 'home'], from === 'index')
    await asOrdinaryUser(cwd, async () => {
      const runtime = createRuntime({ cwd, paths: PATHS, freshness })
      // Under `trust` nobody looks whether what an index names is still there.
      const isTrusted = from === 'index' && freshness === 'trust'
      expect((await ownTools(runtime)).map(({ name }) => name)).toEqual(isTrusted ? ['a', 'b'] : ['a'])
      expect(rules(runtime, cwd).sort()).toEqual([
        'error file-unreadable closed/SKILL.md',
        'error file-unreadable home/skills/SKILL.md',
        ...(isTrusted ? [] : ['error file-unreadable skills/deep']),
      ])
      expect((await runtime.findTool('a'))?.name).toBe('a')
      expect(await runtime.findTool('c')).toBeNull()
    })
  })

  it('what they gave is found again once they may be', async () => {
    const cwd = await project(['closed'], from === 'index')
    const runtime = createRuntime({ cwd, paths: PATHS, freshness })
    await asOrdinaryUser(cwd, async () => expect(await runtime.findTool('c')).toBeNull())
    chmodSync(join(cwd, 'closed'), 0o755)
    const isLookedAt = freshness === 'check'
    expect((await runtime.findTool('c'))?.name).toBe(isLookedAt ? 'c' : undefined)
  })
})

it('a tool of an index whose folder may not be entered is broken, and none takes its place', async () => {
  const cwd = await project(['skills/deep'], true)
  await asOrdinaryUser(cwd, async () => {
    const runtime = createRuntime({ cwd, paths: PATHS, freshness: 'check' })
    await expect(runtime.invoke('b')).rejects.toMatchObject({
      code: 'TOOL_BROKEN',
      file: join(cwd, 'skills/deep'),
    })
  })
})

describe('the compiler, where a directory of the project may not be entered', () => {
  it('reads the rest, and tells of it', async () => {
    const cwd = await project(['closed'], false)
    await asOrdinaryUser(cwd, async () => {
      const { diagnostics, counts } = await check({ cwd })
      expect(diagnostics.map(({ ruleId, file }) => [ruleId, file])).toEqual([
        ['file-unreadable', 'closed/SKILL.md'],
        ['main-broken', 'closed/SKILL.md'],
      ])
      expect(counts.found).toBe(2)
      const { nodes } = await graph({ cwd })
      expect(nodes.map(({ id }) => id)).toEqual(['a', 'b'])
      const { deviations } = await verify({ cwd })
      expect(deviations.map(({ file, reason }) => [file, reason])).toContainEqual([
        'closed/.agent-apps.json',
        'cannot be read: EACCES, permission denied',
      ])
    })
  })

  it('leaves its index as it is', async () => {
    const cwd = await project([], true)
    // It may be entered, and written to; only what is in it nobody is told.
    chmodSync(join(cwd, 'closed'), 0o333)
    closed.push(join(cwd, 'closed'))
    await asOrdinaryUser(cwd, async () => {
      const { diagnostics, written } = await compile({ cwd, paths: ['closed'] })
      expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['file-unreadable', 'main-broken'])
      expect(written).toEqual([])
    })
  })
})

describe('the command, where a path entry and the home directory may not be entered', () => {
  const commands = [
    ['describe a', 0],
    ['catalog', 0],
    ['check', 1],
    ['compile --check', 1],
    ['verify', 1],
    ['graph', 0],
    ['clean --dry-run', 1],
    ['list', 0],
    ['doctor', 1],
  ] as const
  it.each(some(commands, 2))('%s', { tags: 'long' }, async (command, status) => {
    const cwd = await project(['closed', 'home'], false)
    chmodSync(cwd, 0o755)
    const said = spawnSync(process.execPath, [COMMAND, ...command.split(' ')], {
      cwd,
      encoding: 'utf8',
      env: { ...process.env, HOME: join(cwd, 'home') },
      ...(process.geteuid?.() === 0 && { uid: ORDINARY_USER, gid: ORDINARY_USER }),
    })
    expect([said.status, said.stderr.match(/^\s+at .*/gm)]).toEqual([status, null])
    expect(said.stdout + said.stderr).not.toMatch(/^Error: /m)
  })
})
