import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { skill, type Tree } from '../support/tree.js'

const COUNT = `metadata:
  params: { type: object, properties: { text: { type: string } }, required: [text], additionalProperties: false }
  returns: { type: number }
  delegate: 'inline://code,export default (_ctx, { text }) => text.length'
`
const to = (delegate: string, more = ''): string => `metadata:\n  delegate: ${delegate}\n${more}`
const COUNTS = '{ args: { "text": string }; result: number }'

/** What the declarations of a bundle say of each of some tools, and of others nothing. */
async function declared(
  tree: Tree,
  names: readonly string[],
  keep?: readonly string[],
): Promise<Record<string, string>> {
  const { root } = codeProject(tree)
  const paths = ['skills', { dir: 'theirs', external: true }]
  await compile({ cwd: join(root, 'theirs'), paths: ['.'] })
  await compile({ cwd: root, paths, bundle: 'dist/agent.mjs', keep })
  const text = readFileSync(join(root, 'dist/agent.d.mts'), 'utf8')
  const types = new Map(
    [...text.matchAll(/^ {2}"([\w-]+)": (\{ args: .*)$/gm)].map(([, name, type]) => [name, type]),
  )
  return Object.fromEntries(names.map(name => [name, types.get(name) ?? 'nothing']))
}

it('a tool that hands its call on takes and gives what the other one does', { tags: 'long' }, async () => {
  const tree = {
    'skills/count.skill.md': skill('count', '', COUNT),
    'skills/text/SKILL.md': skill('text'),
    'skills/named.skill.md': skill('named', '', to('count')),
    'skills/over-two.skill.md': skill('over-two', '', to('named')),
    'skills/by-path.skill.md': skill('by-path', '', to('./count.skill.md')),
    'skills/by-fragment.skill.md': skill('by-fragment', '', to('./count.skill.md#count')),
    'skills/by-folder.skill.md': skill('by-folder', '', to('./text')),
    'skills/elsewhere.skill.md': skill('elsewhere', '', to('theirs')),
    'skills/heir.skill.md': skill('heir', '', 'metadata:\n  $inherit: named\n'),
    'skills/own-result.skill.md': skill('own-result', '', to('count', '  returns: { type: string }\n')),
    'theirs/theirs.skill.md': skill('theirs', '', COUNT),
  }
  expect(
    await declared(tree, [
      'count',
      'named',
      'over-two',
      'by-path',
      'by-fragment',
      'by-folder',
      'elsewhere',
      'heir',
      'own-result',
    ]),
  ).toEqual({
    count: COUNTS,
    named: COUNTS,
    'over-two': COUNTS,
    'by-path': COUNTS,
    'by-fragment': COUNTS,
    'by-folder': '{ args: Record<string, never> | undefined; result: string }',
    elsewhere: COUNTS,
    heir: COUNTS,
    'own-result': '{ args: { "text": string }; result: string }',
  })
})

it.each([undefined, ['by-path']])(
  'is the first tool of a file with several: kept %s',
  { tags: 'long' },
  async keep => {
    const tree = {
      'skills/several.skill.md': `${skill('tally', 'x\n', COUNT)}\n${skill('again')}`,
      'skills/by-path.skill.md': skill('by-path', '', to('./several.skill.md')),
      'theirs/theirs.skill.md': skill('theirs'),
    }
    expect(await declared(tree, ['by-path'], keep)).toEqual({ 'by-path': COUNTS })
  },
)

it('is of any type where that is not known', { tags: 'long' }, async () => {
  const any = '{ args: unknown; result: unknown }'
  const tree = {
    'skills/count.skill.md': skill('count', '', COUNT),
    'skills/nobody.skill.md': skill('nobody', '', to('registered-later')),
    'skills/round.skill.md': skill('round', '', to('about')),
    'skills/about.skill.md': skill('about', '', to('round')),
    'skills/itself.skill.md': skill('itself', '', to('itself')),
    'skills/module.skill.md': skill('module', '', to('./module.js')),
    'skills/module.js': 'export default () => 1\n',
    // What runs around it may change both.
    'skills/changed.skill.md': skill('changed', '', to('count', '  changing: true\n')),
    'skills/changing.skill.js': `export const frontmatter = { name: 'changing', description: 'Is around.', metadata: { role: 'middleware' } }\nexport default () => 'Changed.'\n`,
    'theirs/SKILL.md': skill('theirs'),
  }
  const names = ['nobody', 'round', 'about', 'itself', 'module', 'changed']
  expect(await declared(tree, names)).toEqual(Object.fromEntries(names.map(name => [name, any])))
})
