import { readFileSync } from 'node:fs'
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
    ['Read Raed', ['4:21 pattern-unmatched']],
    ['"Read Raed x*"', ['4:22 pattern-unmatched', '4:27 pattern-unmatched']],
    ['[Read, Raed]', ['4:23 pattern-unmatched']],
    ['\n  - Read\n  - "Write Raed"', ['6:12 pattern-unmatched']],
    ['Read Bash(git', ['4:25 pattern-invalid']],
    ['Read Bash($allow) Raed', ['4:26 pattern-invalid', '4:34 pattern-unmatched']],
    ['>-\n  Read\n  Raed', ['4:16 pattern-unmatched']],
    ['5', ['4:16 field-type']],
  ])('%j', async (allowed, expected) => {
    expect(await findings(allowed)).toEqual(expected)
  })

  it.each([
    ['countt', 'Did you mean "count"?'],
    ['Raed', 'Did you mean "Read"?'],
    ['Bsh(git:*)', 'Did you mean "Bash"?'],
    ['theird', 'Did you mean "theirs"?'],
    ['nothing', 'Correct its spelling'],
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
    // What cascades depend on is the whole project, and has a digest of its own.
    const index = () =>
      readFileSync(join(root, 'one/.agent-apps.json'), 'utf8').replace(/"cascadeKey":.*/, '')
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
