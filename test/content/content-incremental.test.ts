import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { beforeEach, describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { compiled, makeTree, setTimes, skill, type Tree, writeTree } from '../support/tree.js'

const TREE: Tree = {
  'skills/one/SKILL.md': skill('one', ':include[a.md] and :skill[two]\n'),
  'skills/one/a.md': 'A :include[../shared.md]\n',
  'skills/two/SKILL.md': skill('two', ':include[../shared.md]\n'),
  'skills/three/SKILL.md': skill('three', ':skill[two]{show=content} :skill[two]{show=description}\n'),
  'skills/four/SKILL.md': skill('four', ':value[args.x] :shout[x]\n', 'metadata: { params: {} }\n'),
  'skills/plain/SKILL.md': skill('plain'),
  'skills/shared.md': 'S :value[args.x]\n',
}
const PATHS = ['skills']
const options = (cwd: string) => ({ cwd, paths: PATHS })

const EDITS: Record<string, { write?: Tree; remove?: string; stale: string[] }> = {
  nothing: { stale: [] },
  'a file that is included by an included one': {
    write: { 'skills/shared.md': 'Changed.\n' },
    stale: ['one', 'three', 'two'],
  },
  'an included file': { write: { 'skills/one/a.md': 'Other.\n' }, stale: ['one'] },
  'an included file gone': { remove: 'skills/one/a.md', stale: ['one'] },
  'a named skill gone': { remove: 'skills/two', stale: ['one', 'three', 'two'] },
  'a named skill, its description': {
    write: { 'skills/two/SKILL.md': skill('two', ':include[../shared.md]\n').replace('What', 'That which') },
    stale: ['three', 'two'],
  },
  'a file with another skill': { write: { 'skills/five/SKILL.md': skill('five') }, stale: ['five'] },
  'a directive that is new': {
    write: {
      'skills/shout.skill.js':
        "export const frontmatter = { name: 'shout', description: 'Is loud.', metadata: { tags: ['meta-directive-inline'] } }\nexport default (_ctx, { arg }) => arg.toUpperCase()\n",
    },
    stale: ['four', 'shout'],
  },
}

let cwd: string
beforeEach(async () => {
  cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...TREE })
  setTimes(cwd)
  await compile(options(cwd))
})

function change({ write = {}, remove }: { write?: Tree; remove?: string }): void {
  writeTree(cwd, write)
  if (remove) rmSync(join(cwd, remove), { recursive: true })
}

/** What a first compile of the same files elsewhere writes, and says. */
async function first() {
  const copy = temporary()
  cpSync(cwd, copy, { recursive: true, filter: source => !/\/\.agent-apps(\.json|$|\/)/.test(source) })
  const { diagnostics } = await compile(options(copy))
  return { made: compiled(join(copy, 'skills')), diagnostics }
}

describe('contents on top of the last compile', () => {
  it.each(oneIn(3, Object.entries(EDITS)))(
    '%s: the bytes of a first compile, and what was stale',
    async (_, edit) => {
      change(edit)
      const { stale, outdated } = await compile({ ...options(cwd), check: true })
      expect(stale.sort()).toEqual(edit.stale)
      expect(outdated.length > 0).toBe(edit.stale.length > 0)
      const { diagnostics } = await compile(options(cwd))
      const { made, diagnostics: expected } = await first()
      expect(compiled(join(cwd, 'skills'))).toEqual(made)
      expect(diagnostics).toEqual(expected)
      const { written, diagnostics: again } = await compile(options(cwd))
      expect(written).toEqual([])
      expect(again).toEqual(expected)
      await compile({ ...options(cwd), force: true })
      expect(compiled(join(cwd, 'skills'))).toEqual(made)
    },
  )

  it.each(oneIn(4, Object.entries(EDITS)))('%s: seen without a compile', async (_, edit) => {
    const asked = ['one', 'two', 'three', 'four']
    const given = async (at: string) => {
      const { render } = createRuntime({ ...options(at), freshness: 'check' })
      return Promise.all(asked.map(name => render(name, { args: {} }).catch(error => error.code)))
    }
    const running = createRuntime({ ...options(cwd), freshness: 'check' })
    for (const name of asked) await running.render(name)
    change(edit)
    const copy = temporary()
    cpSync(cwd, copy, { recursive: true, filter: source => !/\/\.agent-apps(\.json|$|\/)/.test(source) })
    const expected = await given(copy)
    expect(await given(cwd)).toEqual(expected)
    expect(
      await Promise.all(asked.map(name => running.render(name, { args: {} }).catch(error => error.code))),
    ).toEqual(expected)
  })

  it('is the same again and again, in whatever order', { tags: 'long' }, async () => {
    const { made } = await first()
    for (const edit of Object.values(EDITS)) {
      change({ write: edit.write ?? {} })
      await compile(options(cwd))
    }
    for (const path of ['skills/five', 'skills/shout.skill.js']) rmSync(join(cwd, path), { recursive: true })
    writeTree(cwd, TREE)
    await compile(options(cwd))
    expect(compiled(join(cwd, 'skills'))).toEqual(made)
  })
})
