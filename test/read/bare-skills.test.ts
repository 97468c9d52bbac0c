import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, makeCatalog } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { bothWays, fromBundles } from '../support/cascade-project.js'
import { codeSkills, shown, threeWays } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** A skill that says nothing of itself, in each format. */
const BARE: Tree = {
  'skills/greet.skill.md': `---
name: greet
metadata:
  delegate: "inline://code,export default async function(ctx, { name }) { return \`Hello, \\\\\${name}!\`; }"
---
You are a greeting tool. Greet the user by name.
`,
  'skills/note/SKILL.md': '---\nname: note\n---\nWrite it down.\n',
  'skills/count.skill.js': `export const frontmatter = { name: 'count' }\nexport default () => 1\n`,
}

async function command(cwd: string, ...args: string[]) {
  return await agentApps(cwd, args)
}

describe('a skill without a description', () => {
  it.each(oneIn(2, ['compile', 'check']))(
    'is an error of %s in a SKILL.md, and else a warning',
    async name => {
      const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...BARE })
      const { diagnostics } = await (name === 'check' ? check : compile)({ cwd, paths: ['skills'] })
      expect(diagnostics.map(shown)).toEqual([
        'skills/count.skill.js:1:36 description-missing warning',
        'skills/greet.skill.md:1:1 description-missing warning',
        'skills/note/SKILL.md:1:1 description-missing error',
      ])
      expect((await command(cwd, name)).status).toBe(1)
      rmSync(join(cwd, 'skills/note'), { recursive: true })
      expect((await command(cwd, name)).status).toBe(0)
      expect((await command(cwd, name, '--strict')).status).toBe(1)
    },
  )

  it('runs and is listed, from files, from an index and in a bundle, and a catalog names it', {
    tags: 'long',
  }, async () => {
    const tree = { 'package.json': '{"type":"module"}\n', ...BARE }
    const calls: [string, object?][] = [['greet', { name: 'Ada' }], ['greet'], ['note'], ['count']]
    const results = ['Hello, Ada!', 'Hello, undefined!', 'Write it down.\n', 1]
    const [ways] = await bothWays([{ tree, calls }])
    const bundles = await fromBundles([{ tree, calls }])
    for (const outcome of [ways?.disk, ways?.index, ...bundles])
      expect(outcome?.results.map(({ result }) => result)).toEqual(results)
    for (const freshness of ['check', 'trust'] as const) {
      const runtime = createRuntime({ cwd: ways?.cwd ?? '', paths: ['skills'], library: false, freshness })
      const listed = await runtime.listTools()
      expect(listed.map(({ name }) => name).sort()).toEqual(['count', 'greet', 'note'])
      const { described, named, unnamed } = await makeCatalog(listed)
      expect([described, named, unnamed]).toEqual([[], ['count', 'greet', 'note'], []])
    }
  })

  it('is not a valid skill of the specification', async () => {
    const cwd = makeTree(BARE)
    const { spec } = await check({ cwd, paths: ['skills'], spec: true })
    expect(spec).toEqual([
      { file: 'skills/note/SKILL.md', valid: false, errors: ['`description` is missing.'] },
    ])
    expect((await command(cwd, 'check', '--spec')).status).toBe(1)
  })
})

describe('a code skill without frontmatter', () => {
  const FORMS: Record<string, [text: string, place: string]> = {
    'arrow.skill.js': [`export default async (_ctx, args) => args ?? 'none'\n`, '1:16'],
    'named.skill.ts': [
      `interface Args { x: number }\n\nasync function run(_ctx: unknown, args?: Args) {\n  return args ?? 'none'\n}\nexport default run\n`,
      '3:1',
    ],
    'declared.skill.mjs': [`export default function (_ctx, args) { return args ?? 'none' }\n`, '1:16'],
    'constant.skill.mts': [
      `const run = (_ctx: unknown, args?: object) => args ?? 'none'\nexport { run as default }\n`,
      '1:13',
    ],
  }
  const files = Object.fromEntries(Object.entries(FORMS).map(([file, [text]]) => [file, text]))
  const names = Object.keys(FORMS).map(file => file.slice(0, file.indexOf('.')))

  it('takes the name of its file, with a warning', async () => {
    const { dir } = codeSkills(files)
    const expected = Object.entries(FORMS).flatMap(([file, [, place]]) =>
      ['description-missing', 'name-from-file'].map(rule => `${file}:${place} ${rule} warning`),
    )
    for (const work of [check, compile]) {
      const { diagnostics } = await work({ paths: [dir], cwd: dir })
      expect(diagnostics.map(shown).sort()).toEqual(expected.sort())
      expect(diagnostics.find(({ ruleId }) => ruleId === 'name-from-file')?.reason).toBe(
        'The code exports no `frontmatter`, so the skill takes the name of its file: "arrow"',
      )
    }
  })

  it('runs under it from files, from an index and from its module alone', { tags: 'long' }, async () => {
    const { dir } = codeSkills(files)
    const { disk, index, modules } = await threeWays(
      dir,
      names.map(name => [name]),
    )
    for (const { results, names: listed } of [disk, index, modules]) {
      expect(results).toEqual(names.map(() => ({ result: 'none' })))
      expect([...listed].sort()).toEqual([...names].sort())
    }
  })

  it.each([
    ['a name that breaks the rule', 'My Tool.skill.js', 'export default () => 1\n', 'name-missing'],
    [
      'frontmatter without a name',
      'a.skill.js',
      'export const frontmatter = {}\nexport default () => 1\n',
      'name-missing',
    ],
    [
      'frontmatter of another file',
      'a.skill.js',
      `export { frontmatter } from './meta.js'\nexport default () => 1\n`,
      'name-missing',
    ],
    [
      'all that another file exports',
      'a.skill.js',
      `export * from './meta.js'\nexport default () => 1\n`,
      'name-missing',
    ],
    [
      'frontmatter out of an object',
      'a.skill.js',
      'export const { frontmatter } = { frontmatter: {} }\nexport default () => 1\n',
      'name-missing',
    ],
    ['what a call makes', 'a.skill.js', 'export default ((make) => make)(() => 1)\n', 'name-missing'],
  ])('not with %s', async (_, file, text, rule) => {
    const { dir } = codeSkills({ [file]: text, 'meta.js': `export const frontmatter = { name: 'b' }\n` })
    const { diagnostics } = await check({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ ruleId, severity }) => `${ruleId} ${severity}`)).toEqual([`${rule} error`])
  })
})

describe('a delegate that is called without arguments', () => {
  it('gets an empty object, in every form', { tags: 'long' }, async () => {
    const GIVE = '(_ctx, args) => ({ given: args === undefined ? null : args })'
    const to = (delegate: string): string =>
      skill('x', '', `metadata:\n  delegate: ${JSON.stringify(delegate)}\n`)
    const tree: Tree = {
      'module.skill.md': to('./give.js').replace('name: x', 'name: module'),
      'inline.skill.md': to(`inline://code,export default ${GIVE}`).replace('name: x', 'name: inline'),
      'named/SKILL.md': to('target').replace('name: x', 'name: named'),
      'heir.skill.md': skill('heir', '', 'metadata:\n  $inherit: module\n'),
      'code.skill.js': `export const frontmatter = { name: 'code', description: 'x', metadata: { delegate: './give.js' } }\nexport default () => 'unused'\n`,
      'target.skill.js': `export const frontmatter = { name: 'target', description: 'x', metadata: { params: { type: 'object' } } }\nexport default ${GIVE}\n`,
      'give.js': `export default ${GIVE}\n`,
    }
    const calls: [string][] = [['module'], ['inline'], ['named'], ['heir'], ['code']]
    const skills = Object.fromEntries(Object.entries(tree).map(([path, item]) => [`skills/${path}`, item]))
    const project = { tree: { 'package.json': '{"type":"module"}\n', ...skills }, calls }
    const [ways] = await bothWays([project])
    const [bundle] = await fromBundles([project])
    for (const outcome of [ways?.disk, ways?.index, bundle])
      expect(outcome?.results.map(({ result, code }) => code ?? result)).toEqual(
        calls.map(() => ({ given: {} })),
      )
  })
})
