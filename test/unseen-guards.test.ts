import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, text } from './support/cascade-project.js'
import { shown } from './support/code-project.js'
import { makeTree } from './support/tree.js'

const PAY = text('pay', { guard: true })
const GUARD = text('guard', { role: 'middleware' })

function link(root: string, path: string, target: string): void {
  const at = join(root, 'skills', path)
  mkdirSync(dirname(at), { recursive: true })
  symlinkSync(target, at)
}

/** What stands where a guard should be and cannot be looked at, and where that is told. */
const CASES: Record<string, { found: string; tree?: Record<string, string>; make: (root: string) => void }> =
  {
    'a link to a folder': {
      found: 'skills/guard:1:1 link-broken error',
      make: root => link(root, 'guard', '../shared/guard'),
    },
    'a link of another name': {
      found: 'skills/10-first:1:1 link-broken error',
      make: root => link(root, '10-first', '../shared/guard'),
    },
    'a link in a folder': {
      found: 'skills/deep/guard:1:1 link-broken error',
      make: root => link(root, 'deep/guard', '../../shared/guard'),
    },
    'a link to a SKILL.md': {
      found: 'skills/guard/SKILL.md:1:1 link-broken error',
      make: root => link(root, 'guard/SKILL.md', '../../shared/SKILL.md'),
    },
    'a link to a file': {
      found: 'skills/guard.skill.md:1:1 link-broken error',
      make: root => link(root, 'guard.skill.md', '../shared/guard.skill.md'),
    },
    'a link to code': {
      found: 'skills/guard.skill.js:1:1 link-broken error',
      make: root => link(root, 'guard.skill.js', '../shared/guard.skill.js'),
    },
    'a link that leaves its folder': {
      found: 'skills/guard/SKILL.md:1:1 link-escapes error',
      tree: { 'shared/SKILL.md': GUARD },
      make: root => link(root, 'guard/SKILL.md', '../../shared/SKILL.md'),
    },
    'a file linked from another skill': {
      found: 'skills/owner/guard.skill.md:1:1 link-escapes error',
      tree: { 'skills/owner/SKILL.md': text('owner'), 'shared/guard.skill.md': GUARD },
      make: root => link(root, 'owner/guard.skill.md', '../../shared/guard.skill.md'),
    },
    'a folder linked from another skill': {
      found: 'skills/owner/guard:1:1 link-escapes error',
      tree: { 'skills/owner/SKILL.md': text('owner'), 'shared/guard/SKILL.md': GUARD },
      make: root => link(root, 'owner/guard', '../../shared/guard'),
    },
    'a pipe': {
      found: 'skills/guard.skill.md:1:1 file-unreadable error',
      make: root => void execFileSync('mkfifo', [join(root, 'skills/guard.skill.md')]),
    },
    'a pipe as SKILL.md': {
      found: 'skills/guard/SKILL.md:1:1 file-unreadable error',
      make: root => {
        mkdirSync(join(root, 'skills/guard'))
        execFileSync('mkfifo', [join(root, 'skills/guard/SKILL.md')])
      },
    },
    'a folder called SKILL.md': {
      found: 'skills/guard/SKILL.md:1:1 file-unreadable error',
      make: root => void mkdirSync(join(root, 'skills/guard/SKILL.md'), { recursive: true }),
    },
  }

/** What a call comes to: its error's code, or its text. */
async function called(cwd: string, freshness: 'check' | 'trust'): Promise<unknown> {
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
  return runtime.invoke('pay').catch((error: unknown) => isAgentAppsError(error) && error.code)
}

const ELSEWHERE = { 'package.json': '{"type":"module"}\n', 'skills/pay.skill.md': PAY }

describe('a guard that cannot be looked at', () => {
  it.each(Object.entries(CASES))('%s keeps its name', async (_what, { found, tree, make }) => {
    const cwd = makeTree({ ...ELSEWHERE, ...tree })
    make(cwd)
    const told = [found, 'skills/pay.skill.md:4:12 middleware-broken error'].sort()
    expect(await called(cwd, 'check')).toBe('CASCADE_INVALID')
    const checked = await check({ cwd, paths: ['skills'] })
    expect(checked.diagnostics.map(shown).sort()).toEqual(told)
    const compiled = await compile({ cwd, paths: ['skills'] })
    expect(compiled.diagnostics.map(shown).sort()).toEqual(told)
    expect(compiled.counts).toEqual(checked.counts)
    expect(await called(cwd, 'check')).toBe('CASCADE_INVALID')
    expect(await called(cwd, 'trust')).toBe('CASCADE_INVALID')
    const again = await compile({ cwd, paths: ['skills'] })
    expect(again.written).toEqual([])
    expect(again.diagnostics.map(shown).sort()).toEqual(told)
  })

  it('is none in a bundle either', async () => {
    const cwd = makeTree(ELSEWHERE)
    link(cwd, 'guard', '../shared/guard')
    await compile({ cwd, paths: ['skills'], bundle: 'agent.mjs' })
    const { runtime } = await import(join(cwd, 'agent.mjs'))
    await expect(runtime.invoke('pay')).rejects.toMatchObject({ code: 'CASCADE_INVALID' })
  })

  it('says what the fault is', async () => {
    const cwd = makeTree(ELSEWHERE)
    link(cwd, 'guard', '../shared/guard')
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.find(({ ruleId }) => ruleId === 'middleware-broken')?.reason).toBe(
      'The middleware "guard" cannot be used: guard:1: The symbolic link leads nowhere',
    )
  })

  it.each(['guard', 'deep/guard'])('loses its name, and has it again, with the target of %s', async path => {
    const cwd = makeTree({
      ...ELSEWHERE,
      'skills/free.skill.md': text('free'),
      'shared/guard/SKILL.md': text('guard', { role: 'middleware' }),
    })
    link(cwd, path, join(cwd, 'shared/guard'))
    const sound = await called(cwd, 'check')
    const target = join(cwd, 'shared/guard')
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
    const now = (): Promise<unknown> =>
      runtime.invoke('pay').catch((error: unknown) => isAgentAppsError(error) && error.code)
    for (const prepare of [async () => {}, () => compile({ cwd, paths: ['skills'] })]) {
      await prepare()
      expect(await now()).toBe(sound)
      renameSync(target, `${target}-gone`)
      expect(await now()).toBe('CASCADE_INVALID')
      expect(await called(cwd, 'check')).toBe('CASCADE_INVALID')
      await prepare()
      expect(await now()).toBe('CASCADE_INVALID')
      expect(await called(cwd, 'check')).toBe('CASCADE_INVALID')
      renameSync(`${target}-gone`, target)
      expect(await called(cwd, 'check')).toBe(sound)
      expect(await now()).toBe(sound)
    }
  })

  it.each(['guard', 'deep/guard'])('has no name any more once %s is removed', async path => {
    const cwd = makeTree(ELSEWHERE)
    link(cwd, path, join(cwd, 'shared/guard'))
    await compile({ cwd, paths: ['skills'] })
    expect(await called(cwd, 'check')).toBe('CASCADE_INVALID')
    rmSync(join(cwd, 'skills', path))
    expect(await called(cwd, 'check')).toBe('Do pay.\n')
    expect((await compile({ cwd, paths: ['skills'] })).diagnostics).toEqual([])
    expect(await called(cwd, 'trust')).toBe('Do pay.\n')
  })

  it('takes no name from a sound file beside it, nor where no skill would be', async () => {
    const cwd = makeTree({
      ...ELSEWHERE,
      'skills/pay.skill.md': text('pay', { guard: true, data: true, other: true }),
      'skills/guard.skill.js': around('guard'),
      'skills/owner/SKILL.md': text('owner'),
    })
    link(cwd, 'guard', '../shared/guard')
    link(cwd, 'owner/scripts/data', '../../../shared/data')
    link(cwd, '.claude/skills/other/SKILL.md', '../../../shared/SKILL.md')
    mkdirSync(join(cwd, 'skills/owner/assets/data/SKILL.md'), { recursive: true })
    writeFileSync(join(cwd, 'skills/owner/notes.txt'), 'Notes.\n')
    const { diagnostics } = await check({ cwd, paths: ['skills'] })
    expect(diagnostics.map(({ ruleId }) => ruleId)).not.toContain('middleware-broken')
    expect(await called(cwd, 'check')).not.toBe('CASCADE_INVALID')
  })
})
