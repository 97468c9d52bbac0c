import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type CompileResult, compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { text } from '../support/cascade-project.js'
import { shown } from '../support/code-project.js'
import { times } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { compiled, goodSkills, makeTree, setTimes, skill, type Tree, writeTree } from '../support/tree.js'

const TREE: Tree = {
  ...goodSkills(150),
  'copy/good-3/SKILL.md': skill('good-3'),
  'twin/SKILL.md': skill('good-4', 'Another.\n'),
  'broken/SKILL.md': '---\nname: broken\n---x\n',
  'including/SKILL.md': skill('including', '::include[notes.md]\n'),
  'including/notes.md': 'Notes.\n',
  'slip/SKILL.md': skill('slip', '::includ[notes.md]\n'),
  'delegating.skill.md': text('delegating', { delegate: 'delegate' }),
  'delegate.skill.md': text('delegate', { delegate: 'good-5' }),
  'plugin/.claude-plugin/plugin.json': '{"name":"acme","description":"A plugin."}',
  'plugin/skills/deploy/SKILL.md': skill('deploy'),
}

/** Edits of which most leave the names of the directory as they are. */
const EDITS: readonly Tree[] = [
  { 'good-7/SKILL.md': skill('good-7', 'More.\n') },
  { 'good-7/SKILL.md': skill('good-7', 'Less.\n') },
  { 'good-7/SKILL.md': skill('good-8') },
  { 'good-7/SKILL.md': '---\nname: good-7\n---x\n' },
  { 'good-9/SKILL.md': skill('good-9', '::include[../including/notes.md]\n') },
  { 'good-9/notes.txt': 'A resource.\n' },
  { 'good-9/notes.txt': 'Another one.\n' },
  { 'good-3/SKILL.md': skill('good-3', 'No copy.\n') },
  { 'copy/good-3/SKILL.md': skill('good-3', 'No copy.\n') },
  { 'good-4/SKILL.md': skill('good-4', 'Two lines\ndown.\n').replace('name:', '# moved\nname:') },
  { 'twin/SKILL.md': skill('twin', 'Another.\n') },
  { 'broken/SKILL.md': skill('broken') },
  { 'broken/SKILL.md': '---\nname: broken\n---\ny\n' },
  { 'including/notes.md': 'Other notes.\n' },
  { 'including/notes.md': '::include[notes.md]\n' },
  { 'slip/SKILL.md': skill('slip', '\n::includ[notes.md]\n') },
  { 'delegate.skill.md': text('delegate', { delegate: 'delegating' }) },
  { 'delegate.skill.md': text('delegate', { delegate: 'nobody' }, 'Text.\n') },
  { 'plugin/.claude-plugin/plugin.json': '{"name":"acme","description":"Described."}' },
  { 'plugin/.claude-plugin/plugin.json': '{"name":"other","description":"A plugin."}' },
  { 'plugin/skills/deploy/SKILL.md': skill('deploy', 'Anew.\n') },
  { 'good-5/SKILL.md': text('good-5', { timeout: 5 }) },
  { 'good-5/SKILL.md': text('good-5', { timeout: 6, $inherit: 'good-6' }) },
]

const edit = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...EDITS) },
  { weight: 1, arbitrary: fc.constantFrom(...EDITS.flatMap(tree => Object.keys(tree))) },
)

/** What a first compile of the same files elsewhere writes. */
async function fresh(dir: string): Promise<{ files: Record<string, string>; result: CompileResult }> {
  const copy = temporary()
  cpSync(dir, copy, { recursive: true, filter: source => !/\/\.agent-apps(\.json|$|\/)/.test(source) })
  const result = await compile({ cwd: copy, paths: ['.'] })
  const files = compiled(copy)
  rmSync(copy, { recursive: true })
  return { files, result }
}

it('whatever files became, the bytes and diagnostics are those of a first compile', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(edit, { minLength: 1, maxLength: 2 }), { minLength: 4, maxLength: 10 }),
      async rounds => {
        const dir = makeTree(TREE)
        setTimes(dir)
        await compile({ cwd: dir, paths: ['.'] })
        for (const edits of rounds) {
          for (const one of edits) {
            if (typeof one === 'string') rmSync(join(dir, one), { force: true })
            else writeTree(dir, one)
          }
          const { diagnostics, skills, files } = await compile({ cwd: dir, paths: ['.'] })
          const first = await fresh(dir)
          expect(compiled(dir), JSON.stringify(rounds)).toEqual(first.files)
          expect(diagnostics.map(shown)).toEqual(first.result.diagnostics.map(shown))
          expect([skills, files]).toEqual([first.result.skills, first.result.files])
          expect((await compile({ cwd: dir, paths: ['.'] })).written).toEqual([])
        }
        rmSync(dir, { recursive: true })
      },
    ),
    { numRuns: times(2, 200) },
  )
})
