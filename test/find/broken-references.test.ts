import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { text } from '../support/cascade-project.js'
import { makeTree, skill } from '../support/tree.js'

const LOST = 'The symbolic link leads nowhere'

/** What names `gone`, a link that leads nowhere, or the folder `base` whose SKILL.md is one: what is told of it, and what a call says. */
const CASES: Record<
  string,
  { skill: (name: string) => string; told: string; code: string; message: string }
> = {
  'a base': {
    skill: name => text(name, { $inherit: 'gone' }),
    told: `inherit-broken "gone" cannot be inherited from: gone:1: ${LOST}`,
    code: 'CASCADE_INVALID',
    message: `gone:1: ${LOST}`,
  },
  'a base by its path': {
    skill: name => text(name, { $inherit: './gone' }),
    told: `inherit-broken "./gone" cannot be inherited from: gone:1: ${LOST}`,
    code: 'CASCADE_INVALID',
    message: `gone:1: ${LOST}`,
  },
  'a base by its folder': {
    skill: name => text(name, { $inherit: './base' }),
    told: `inherit-broken "./base" cannot be inherited from: base/SKILL.md:1: ${LOST}`,
    code: 'CASCADE_INVALID',
    message: `base/SKILL.md:1: ${LOST}`,
  },
  'a base by its folder, whose SKILL.md is a folder': {
    skill: name => text(name, { $inherit: './folder' }),
    told: 'inherit-broken "./folder" cannot be inherited from: folder/SKILL.md:1: The file cannot be read: not a regular file',
    code: 'CASCADE_INVALID',
    message: 'folder/SKILL.md:1: The file cannot be read: not a regular file',
  },
  'a base by its path, which is a folder': {
    skill: name => text(name, { $inherit: './none.skill.md' }),
    told: 'inherit-broken "./none.skill.md" cannot be inherited from: none.skill.md:1: The file cannot be read: not a regular file',
    code: 'CASCADE_INVALID',
    message: 'none.skill.md:1: The file cannot be read: not a regular file',
  },
  'a directive': {
    skill: name => skill(name, ':skill[gone]\n'),
    told: `directive-failed The skill "gone" is broken: gone:1: ${LOST}`,
    code: 'DIRECTIVE_FAILED',
    message: `the skill "gone" is broken: gone:1: ${LOST}`,
  },
  'a directive by its folder': {
    skill: name => skill(name, ':skill[./base]\n'),
    told: `directive-failed The skill "./base" is broken: base/SKILL.md:1: ${LOST}`,
    code: 'DIRECTIVE_FAILED',
    message: `the skill "./base" is broken: base/SKILL.md:1: ${LOST}`,
  },
  'a delegate': {
    skill: name => text(name, { delegate: 'gone' }),
    told: `delegate-broken The delegate "gone" is broken: gone:1: ${LOST}`,
    code: 'TOOL_BROKEN',
    message: LOST,
  },
  'a delegate by its folder': {
    skill: name => text(name, { delegate: './base' }),
    told: `delegate-broken The delegate "./base" is broken: base/SKILL.md:1: ${LOST}`,
    code: 'TOOL_BROKEN',
    message: LOST,
  },
  'a delegate by its file': {
    skill: name => text(name, { delegate: './bad.skill.md' }),
    told: 'delegate-broken The delegate "./bad.skill.md" is broken: bad.skill.md:3: ',
    code: 'TOOL_BROKEN',
    message: 'bad.skill.md:3:',
  },
}

/** A project with a skill `user-0`, `user-1`, … for each of the cases. */
function project(): string {
  const cwd = makeTree({
    'package.json': '{"type":"module"}\n',
    ...Object.fromEntries(
      Object.values(CASES).map(({ skill }, at) => [`skills/user-${at}.skill.md`, skill(`user-${at}`)]),
    ),
    'skills/bad.skill.md': '---\nname: bad\ndescription: [x\n---\n',
  })
  symlinkSync('../shared/gone', join(cwd, 'skills/gone'))
  mkdirSync(join(cwd, 'skills/base'))
  mkdirSync(join(cwd, 'skills/folder/SKILL.md'), { recursive: true })
  mkdirSync(join(cwd, 'skills/none.skill.md'))
  writeFileSync(join(cwd, 'skills/none.skill.md/a.skill.md'), text('a'))
  symlinkSync('../../shared/SKILL.md', join(cwd, 'skills/base/SKILL.md'))
  return cwd
}

/** What calling the skill of each case throws. */
function called(cwd: string, freshness: 'check' | 'trust'): Promise<unknown[]> {
  const { invoke } = createRuntime({ cwd, paths: ['skills'], freshness })
  return Promise.all(
    Object.keys(CASES).map(async (what, at) => {
      const error: unknown = await invoke(`user-${at}`).catch((error: unknown) => error)
      if (!isAgentAppsError(error)) throw error
      return { what, code: error.code, message: error.message }
    }),
  )
}

it('a reference to what does not load is told, and keeps its tool from running', async () => {
  const cwd = project()
  const cases = Object.entries(CASES)
  const expected = cases.map(([what, { code, message }]) => ({
    what,
    code,
    message: expect.stringContaining(message),
  }))
  expect(await called(cwd, 'check')).toEqual(expected)
  for (const tell of [check, compile, compile]) {
    const { diagnostics } = await tell({ cwd, paths: ['skills'] })
    const own = cases.map((_, at) =>
      diagnostics
        .filter(({ file }) => file === `skills/user-${at}.skill.md`)
        .map(({ ruleId, reason }) => `${ruleId} ${reason}`),
    )
    expect(own).toEqual(cases.map(([, { told }]) => [expect.stringContaining(told)]))
  }
  expect(await called(cwd, 'check')).toEqual(expected)
  expect(await called(cwd, 'trust')).toEqual(expected)
})

describe('a directive that does not load', () => {
  const TOLD = [
    '5:3 "badd" is a skill that does not load; treated as text: badd.skill.md:4: ',
    '5:15 "bade" is a skill that does not load; treated as text: bade.skill.md:4: ',
  ]
  const broken = (name: string): string =>
    `---\nname: ${name}\ndescription: [x\ntags: [meta-directive-inline]\n---\n`

  it('is told where it is written as one', async () => {
    const cwd = makeTree({
      'skills/badd.skill.md': broken('badd'),
      'skills/bade.skill.md': broken('bade'),
      'skills/user.skill.md': skill('user', 'A :badd[x] B. :bade{a=b} C :badd D\n'),
    })
    for (const tell of [check, compile, compile]) {
      const { diagnostics } = await tell({ cwd, paths: ['skills'] })
      const own = diagnostics.filter(({ file }) => file === 'skills/user.skill.md')
      expect(own.map(({ line, column, reason }) => `${line}:${column} ${reason}`)).toEqual(
        TOLD.map(one => expect.stringContaining(one)),
      )
      expect(own.map(({ note }) => note).join()).not.toContain('Did you mean')
    }
    writeFileSync(join(cwd, 'skills/badd.skill.md'), skill('badd', 'Sound.\n'))
    const mended = await compile({ cwd, paths: ['skills'] })
    const own = mended.diagnostics.filter(({ file }) => file === 'skills/user.skill.md')
    expect(own.map(({ reason }) => reason)).toEqual([expect.stringContaining('"bade"')])
  })
})
