import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree } from '../support/tree.js'

function withTools(allowed: string, name = 'review'): string {
  return `---\nname: ${name}\ndescription: Reviews a change.\nallowed-tools: ${allowed}\n---\n`
}

async function findings(allowed: string): Promise<string[]> {
  const root = makeTree({ 'review/SKILL.md': withTools(allowed) })
  const { diagnostics } = await check({ cwd: root, paths: ['.'] })
  return diagnostics.map(({ ruleId, line, column }) => `${line}:${column} ${ruleId}`)
}

describe('allowed-tools', () => {
  it.each([
    ['Read, Write, Bash(git:*)', []],
    ['[Read, "Write", Task]', []],
    ['WebSearch NotebookEdit AskUserQuestion mcp__github__* #api review', []],
    ['"* #destructive($deny) context-manager(op={finish,fail},$deny)"', []],
    ['callback-* {Read,Nothing} $skill-list !(Bash)', []],
    ['Skill NotebookRead SlashCommand mcp__github mcp__github__*', []],
    ['Read Raed', ['4:21 pattern-unmatched']],
    ['"Read Raed x*"', ['4:22 pattern-unmatched', '4:27 pattern-unmatched']],
    ['[Read, Raed]', ['4:23 pattern-unmatched']],
    ['\n  - Read\n  - "Write Raed"', ['6:12 pattern-unmatched']],
    ['Read Bash(git', ['4:25 pattern-invalid']],
    ['Read Bash($allow) Raed', ['4:26 pattern-invalid', '4:34 pattern-unmatched']],
    ['>-\n  Read\n  Raed', ['6:3 pattern-unmatched']],
    ['5', ['4:16 field-type']],
  ])('%j', async (allowed, expected) => {
    expect(await findings(allowed)).toEqual(expected)
  })

  it.each([
    ['countt', 'Did you mean "count"?'],
    ['Raed', 'Did you mean "Read"?'],
    ['Bsh(git:*)', 'Did you mean "Bash"?'],
    ['theird', 'Did you mean "theirs"?'],
    ['nothing', 'add its name to `hostTools`'],
    ['noth*', 'Correct its spelling'],
  ])('says of %s what it may have meant', async (allowed, note) => {
    const root = makeTree({
      'one/review/SKILL.md': withTools(allowed),
      'two/count/SKILL.md': '---\nname: count\ndescription: Counts.\n---\n',
      'others/theirs/SKILL.md': '---\nname: theirs\ndescription: Counts.\n---\n',
    })
    const { diagnostics } = await check({
      cwd: root,
      paths: ['one', 'two', { dir: 'others', external: true }],
    })
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['pattern-unmatched'])
    expect(diagnostics[0]?.note).toContain(note)
  })

  it('may name the skills of any directory, which the index does not depend on', async () => {
    const root = makeTree({
      'one/review/SKILL.md': withTools('count nothing'),
      'two/count/SKILL.md': '---\nname: count\ndescription: Counts.\n---\n',
    })
    // Cascades depend on the whole project, and have digests of their own.
    const index = () =>
      readFileSync(join(root, 'one/.agent-apps.json'), 'utf8').replace(
        /"(?:cascadeKey|ownCascadeKey)":.*/g,
        '',
      )
    const found = async (paths: string[], force = false) =>
      (await compile({ cwd: root, paths, force })).diagnostics.map(({ reason }) => /"(.*)"/.exec(reason)?.[1])
    expect(await found(['one'])).toEqual(['count', 'nothing'])
    const alone = index()
    // The second time, nothing is read anew.
    for (const force of [false, true, false]) {
      expect(await found(['one', 'two'], force)).toEqual(['nothing'])
      expect(index()).toBe(alone)
    }
    expect(alone).not.toContain('pattern-unmatched')
  })

  it('may name tools that only a host has: each unknown name is one info', async () => {
    const root = makeTree({
      'a/SKILL.md': withTools('browser_click browser_click(x:*) Raed lookup', 'a'),
      'b/SKILL.md': withTools('lookup browser_type browser_{x,y}', 'b'),
    })
    const found = async (hostTools?: string | string[]) => {
      const results = [
        await check({ cwd: root, paths: ['.'], hostTools }),
        await compile({ cwd: root, paths: ['.'], hostTools }),
      ].map(({ diagnostics }) =>
        diagnostics.map(one => `${one.file} ${/"(.*)" in/.exec(one.reason)?.[1]} ${one.severity}`),
      )
      expect(results[1]).toEqual(results[0])
      return results[0]
    }
    expect(await found()).toEqual([
      'a/SKILL.md browser_click info',
      'a/SKILL.md Raed warning',
      'a/SKILL.md lookup info',
      'b/SKILL.md browser_type info',
      'b/SKILL.md browser_{x,y} warning',
    ])
    expect(await found('browser_*')).toEqual(['a/SKILL.md Raed warning', 'a/SKILL.md lookup info'])
    expect(await found(['browser_click Raed', 'lookup'])).toEqual([
      'b/SKILL.md browser_type info',
      'b/SKILL.md browser_{x,y} warning',
    ])
    writeFileSync(
      join(root, 'agent-apps.config.json'),
      '{ "paths": ["."], "hostTools": ["browser_*", "Raed"] }',
    )
    const { diagnostics } = await check({ cwd: root })
    expect(diagnostics.map(({ reason }) => /"(.*)" in/.exec(reason)?.[1])).toEqual(['lookup'])
    await expect(check({ cwd: root, hostTools: 5 as never })).rejects.toMatchObject({
      code: 'OPTIONS_INVALID',
    })
  })

  it('may name the skills of directories of others', async () => {
    const root = makeTree({
      'one/review/SKILL.md': withTools('count "cou*" nothing'),
      'theirs/count/SKILL.md': '---\nname: count\ndescription: Counts.\n---\n',
    })
    const project = { cwd: root, paths: ['one', { dir: 'theirs', external: true }] }
    for (const { diagnostics } of [await check(project), await compile(project), await compile(project)])
      expect(diagnostics.map(({ reason }) => /"(.*)" in/.exec(reason)?.[1])).toEqual(['nothing'])
  })
})
