import { createRuntime, isAgentAppsError } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { withRefused } from '../support/refused-files.js'
import { skill, type Tree } from '../support/tree.js'

const code = (imports: string, gives: string): string =>
  `${imports}\nexport const frontmatter = { name: 'bad', description: 'Reads.' }\nexport default () => ${gives}\n`

/** What names a file that cannot be read, what `compile` says of it, and what a call says from an index and from disk. */
const CASES: Record<string, { tree: Tree; found: string; message: RegExp; fails: string }> = {
  'an import of code': {
    tree: {
      'bad.skill.js': code("import { a } from './refused.js'", 'a'),
      'refused.js': 'export const a = 1\n',
    },
    found: 'bad.skill.js:1:19 code-import error',
    message: /imports "refused\.js", which cannot be read$/,
    fails: 'TOOL_BROKEN',
  },
  'an import of a text': {
    tree: { 'bad.skill.js': code("import a from './refused.txt'", 'a'), 'refused.txt': 'A.\n' },
    found: 'bad.skill.js:1:15 code-import error',
    message: /imports "refused\.txt", which cannot be read$/,
    fails: 'TOOL_BROKEN',
  },
  'an import of an import': {
    tree: {
      'bad.skill.js': code("import { a } from './lib.js'", 'a'),
      'lib.js': "export { a } from './refused.js'\n",
      'refused.js': 'export const a = 1\n',
    },
    found: 'bad.skill.js:1:1 code-import error',
    message: /: lib\.js:1:19: imports "refused\.js", which cannot be read$/,
    fails: 'TOOL_BROKEN',
  },
  'a delegate': {
    tree: {
      'bad.skill.md': skill('bad', '', 'metadata: { delegate: ./refused.js }\n'),
      'refused.js': 'export default () => 1\n',
    },
    found: 'bad.skill.md:4:23 delegate-invalid error',
    message: /imports "refused\.js", which cannot be read$/,
    fails: 'TOOL_BROKEN',
  },
  'an inclusion': {
    tree: { 'bad.skill.md': skill('bad', '::include[refused.md]\n'), 'refused.md': 'A.\n' },
    found: 'bad.skill.md:5:1 directive-failed error',
    message: /^The file "refused\.md" cannot be read: the system refuses it \(EACCES\)$/,
    fails: 'DIRECTIVE_FAILED',
  },
}

describe('a file that a skill names and nobody may read', () => {
  it.each(Object.entries(CASES))('%s', async (_what, { tree, found, message, fails }) => {
    const { dir } = codeSkills({ ...tree, 'sound.skill.md': skill('sound', 'Sound.\n') })
    const said = async (): Promise<unknown> => {
      const runtime = createRuntime({ paths: [dir], freshness: 'check' })
      expect(await runtime.invoke('sound')).toBe('Sound.\n')
      return runtime.invoke('bad').catch((error: unknown) => isAgentAppsError(error) && error.code)
    }
    await withRefused(/\/refused\.\w+$/, async () => {
      expect(await said()).toBe(fails)
      const { diagnostics } = await compile({ paths: [dir], cwd: dir })
      expect(diagnostics.map(shown)).toEqual([found])
      expect(diagnostics[0]?.reason).toMatch(message)
      expect(await said()).toBe(fails)
    })
    expect((await compile({ paths: [dir], cwd: dir })).diagnostics).toEqual([])
  })

  it('is what a bundle cannot bring along', { tags: 'long' }, async () => {
    const { dir } = codeSkills({
      'bad.skill.js': code(
        "import { readFileSync } from 'node:fs'",
        "readFileSync(new URL('./refused.txt', import.meta.url))",
      ),
      'refused.txt': 'A.\n',
    })
    const bundle = { paths: [dir], cwd: dir, bundle: '../out/agent.mjs' }
    await withRefused(/\/refused\.\w+$/, () =>
      expect(compile(bundle)).rejects.toMatchObject({
        code: 'BUNDLE_CODE',
        file: expect.stringMatching(/bad\.skill\.js$/),
        position: { line: 3 },
      }),
    )
    await expect(compile(bundle)).resolves.toMatchObject({ diagnostics: [] })
  })
})
