import { execFileSync } from 'node:child_process'
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile, verify } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, text } from '../support/cascade-project.js'
import { shown } from '../support/code-project.js'
import { oneIn, some } from '../support/long.js'
import { makeTree } from '../support/tree.js'

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
    'a folder called as a file': {
      found: 'skills/guard.skill.md:1:1 file-unreadable error',
      make: root => void mkdirSync(join(root, 'skills/guard.skill.md')),
    },
    'a folder called as code': {
      found: 'skills/deep/guard.skill.ts:1:1 file-unreadable error',
      make: root => void mkdirSync(join(root, 'skills/deep/guard.skill.ts'), { recursive: true }),
    },
    'a link called as a file to a folder': {
      found: 'skills/guard.skill.md:1:1 file-unreadable error',
      make: root => {
        mkdirSync(join(root, 'skills/folder'))
        link(root, 'guard.skill.md', 'folder')
      },
    },
    'a link called as a file to a folder outside': {
      found: 'skills/guard.skill.md:1:1 link-not-followed warning',
      tree: { 'shared/notes.txt': 'Notes.\n' },
      make: root => link(root, 'guard.skill.md', '../shared'),
    },
  }

/** What a call comes to: its error's code, or its text. */
async function called(cwd: string, freshness: 'check' | 'trust'): Promise<unknown> {
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
  return runtime.invoke('pay').catch((error: unknown) => isAgentAppsError(error) && error.code)
}

const ELSEWHERE = { 'package.json': '{"type":"module"}\n', 'skills/pay.skill.md': PAY }

describe('a guard that cannot be looked at', () => {
  it.each(oneIn(3, Object.entries(CASES)))('%s keeps its name', async (_what, { found, tree, make }) => {
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

  it('gives its skills, as a folder called as a file, and is none where it is a folder skill', async () => {
    const cwd = makeTree({
      'skills/some.skill.md/one.skill.md': text('one'),
      'skills/other.skill.md/SKILL.md': text('other'),
      'skills/.old.skill.md/two.skill.md': text('two'),
    })
    for (const work of [check, compile, compile]) {
      const { skills, diagnostics, counts } = await work({ cwd, paths: ['skills'] })
      expect(skills.map(({ name }) => name)).toEqual(['other', 'one'])
      expect(diagnostics.map(shown)).toEqual([
        'skills/other.skill.md/SKILL.md:2:7 name-differs warning',
        'skills/some.skill.md:1:1 file-unreadable error',
      ])
      expect(counts).toMatchObject({ files: 3, found: 2, skipped: 1 })
    }
  })

  it('is none in a bundle either', { tags: 'long' }, async () => {
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

  it.each(some(['guard', 'deep/guard']))(
    'loses its name, and has it again, with the target of %s',
    async path => {
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
    },
  )

  it.each(some(['guard', 'deep/guard']))('has no name any more once %s is removed', async path => {
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

/** What stands where the main skill of a path entry should be and cannot be looked at. */
const MAINS: Record<string, { why: string; tree?: Record<string, string>; make: (root: string) => void }> = {
  'a link that leads nowhere': {
    why: 'the symbolic link leads nowhere',
    make: root => link(root, 'SKILL.md', '../shared/SKILL.md'),
  },
  'a link that leaves the folder': {
    why: "the symbolic link leaves the skill's own folder, so it is not followed",
    tree: { 'shared/SKILL.md': text('skills', { role: 'main', $global: { timeout: 5000 } }) },
    make: root => link(root, 'SKILL.md', '../shared/SKILL.md'),
  },
  'a pipe': {
    why: 'not a regular file',
    make: root => void execFileSync('mkfifo', [join(root, 'skills/SKILL.md')]),
  },
  'a folder': {
    why: 'not a regular file',
    make: root => void mkdirSync(join(root, 'skills/SKILL.md')),
  },
}

describe('a SKILL.md at the root that cannot be looked at', () => {
  const TREE = {
    'package.json': '{"type":"module"}\n',
    'skills/deep/pay.skill.md': text('pay'),
    'skills/free.skill.md': text('free', { $inherit: false }),
  }
  const told = ['skills/SKILL.md:1:1 file-unreadable error', 'skills/SKILL.md:1:1 main-broken error']

  it.each(oneIn(3, Object.entries(MAINS)))(
    '%s stops what it may guard',
    async (_what, { why, tree, make }) => {
      const cwd = makeTree({ ...TREE, ...tree })
      make(cwd)
      const message = async (freshness: 'check' | 'trust'): Promise<unknown> => {
        const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
        expect(await runtime.invoke('free')).toBe('Do free.\n')
        return runtime.invoke('pay').catch((error: unknown) => isAgentAppsError(error) && error.message)
      }
      const stopped =
        'The metadata of "pay" cannot be resolved: the main skill in SKILL.md:1 cannot be used, so what it promotes is unknown.'
      expect(await message('check')).toBe(stopped)
      const checked = await check({ cwd, paths: ['skills'], spec: true })
      expect(checked.diagnostics.map(shown)).toEqual(told)
      expect(checked.diagnostics[0]?.reason).toBe(`The file cannot be read: ${why}`)
      expect(checked.spec).toEqual([
        { file: 'skills/SKILL.md', valid: false, errors: [`The file cannot be read: ${why}.`] },
      ])
      const first = await compile({ cwd, paths: ['skills'] })
      expect(first.diagnostics.map(shown)).toEqual(told)
      expect(first.counts).toEqual({ files: 3, found: 2, shadowed: 0, skipped: 1 })
      expect(first.counts).toEqual(checked.counts)
      expect(await message('check')).toBe(stopped)
      expect(await message('trust')).toBe(stopped)
      const again = await compile({ cwd, paths: ['skills'] })
      expect(again.written).toEqual([])
      expect(again.diagnostics.map(shown)).toEqual(told)
      expect((await verify({ cwd, paths: ['skills'] })).deviations).toEqual([])
      rmSync(join(cwd, 'skills/SKILL.md'), { recursive: true })
      expect(await message('check')).toBe('Do pay.\n')
      expect((await compile({ cwd, paths: ['skills'] })).diagnostics).toEqual([])
      expect(await message('trust')).toBe('Do pay.\n')
    },
  )

  it('stops it again once its target is gone', async () => {
    const cwd = makeTree({ ...TREE, 'skills/main.txt': text('skills', { role: 'main' }) })
    link(cwd, 'SKILL.md', 'main.txt')
    const called = (): Promise<unknown> =>
      createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
        .invoke('pay')
        .catch((error: unknown) => isAgentAppsError(error) && error.code)
    for (const prepare of [async () => {}, () => compile({ cwd, paths: ['skills'] })]) {
      await prepare()
      expect(await called()).toBe('Do pay.\n')
      renameSync(join(cwd, 'skills/main.txt'), join(cwd, 'main.txt'))
      expect(await called()).toBe('CASCADE_INVALID')
      await prepare()
      expect(await called()).toBe('CASCADE_INVALID')
      renameSync(join(cwd, 'main.txt'), join(cwd, 'skills/main.txt'))
      expect(await called()).toBe('Do pay.\n')
    }
  })
})
