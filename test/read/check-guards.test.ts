import { type CheckOptions, check } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { makeTree, skill, type Tree } from '../support/tree.js'

const guarded = (name: string, metadata: string): string => skill(name, 'x', `metadata: { ${metadata} }\n`)

async function found(tree: Tree, options: Partial<CheckOptions> = {}): Promise<string[]> {
  const { diagnostics } = await check({ cwd: makeTree(tree), paths: ['.'], ...options })
  return diagnostics.map(({ file, ruleId, note }) => `${file} ${ruleId}: ${note}`)
}

it.each([
  ['gated: false, permissions: { required: [write] }', true],
  ['gated: false, permissions: { optional: [read, network] }', true],
  ['gated: false, permissions: { required: [read] }', false],
  ['gated: true, permissions: { required: [write] }', false],
  ['permissions: { required: [write] }', false],
])('of a tool with %s it is warned: %s', async (metadata, isWarned) => {
  const rules = await found({ 'save/SKILL.md': guarded('save', metadata) })
  expect(rules.map(one => one.split(':')[0])).toEqual(isWarned ? ['save/SKILL.md gate-off'] : [])
})

it.each([
  ['Bsah($deny)', ['Did you mean "Bash"?']],
  ['coutn($policy=ask)', ['Did you mean "count"?']],
  ['theirss($deny)', ['Did you mean "theirs"?']],
  ['nothing($deny) no*($deny)', ['Correct its spelling', 'Correct its spelling']],
  ['count($deny) Bash(git:*) mcp__github #odd * c*t context-manager theirs', []],
])('of the rules %j it is warned: %j', async (rules, notes) => {
  const tree = {
    'mine/review/SKILL.md': guarded('review', `trust: { rules: "${rules}" }`),
    'mine/count/SKILL.md': skill('count'),
    'others/theirs/SKILL.md': skill('theirs'),
  }
  const warnings = await found(tree, { paths: ['mine', { dir: 'others', external: true }] })
  expect(warnings).toEqual(
    notes.map(note =>
      expect.stringMatching(new RegExp(`^mine/review/SKILL.md rule-unmatched: ${note.replace('?', '\\?')}`)),
    ),
  )
  if (notes[0]?.startsWith('Correct'))
    expect(await found(tree, { paths: ['mine'], hostTools: ['nothing', 'no*'] })).toEqual([])
})

it('a tool that takes the name of one that declares permissions is warned of', async () => {
  const tree = {
    'a/save/SKILL.md': skill('save'),
    'a/look/SKILL.md': skill('look'),
    'b/save/SKILL.md': guarded('save', 'permissions: { required: [write] }'),
    'b/look/SKILL.md': skill('look', 'Another one.\n'),
    'c/look/SKILL.md': guarded('look', 'permissions: { required: [write] }'),
  }
  const rules = async (paths: string[]): Promise<string[]> =>
    (await found(tree, { paths })).map(one => one.split(':')[0] as string).sort()
  expect(await rules(['a', 'b'])).toEqual(['a/save/SKILL.md shadows-guarded'])
  expect(await rules(['b', 'a'])).toEqual([])
  expect(await rules(['a', 'b', 'c'])).toEqual([
    'a/save/SKILL.md shadows-guarded',
    'b/look/SKILL.md shadows-guarded',
  ])
})
