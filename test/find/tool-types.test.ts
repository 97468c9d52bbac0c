import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile, watch } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { isLong, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'
import { tsc } from '../support/tsc.js'

const FILE = 'agent-apps-tools.d.ts'
const CONFIG = { 'agent-apps.config.json': '{ "paths": ["./skills"] }' }

const SKILLS: Tree = {
  ...CONFIG,
  'package.json': '{ "type": "module" }',
  'skills/review/SKILL.md': skill('review'),
  'skills/greet.skill.md': skill(
    'greet',
    '',
    `metadata:
  params: { type: object, required: [name], properties: { name: { type: string }, times: { type: integer } } }
  returns: { type: object, properties: { said: { type: string } } }
  delegate: 'inline://code,export default () => ({})'
`,
  ),
  'skills/open.skill.md': skill(
    'open',
    '',
    'metadata:\n  params: { type: object, properties: { a: { type: string } }, additionalProperties: true }\n',
  ),
  'skills/summary/SKILL.md': skill('summary', '', 'metadata:\n  delegate: ./summary.ts\n'),
  'skills/summary/summary.ts': 'export default async () => ({ lines: 3 })\n',
  'skills/words.skill.ts': `import { defineTool } from 'agent-apps'
import { z } from 'zod'

interface Counted { words: number; of: 'text' | 'file' }

export default defineTool({
  name: 'count',
  description: 'Counts.',
  params: z.object({ text: z.string() }),
  execute: async ({ text }): Promise<Counted> => ({ words: text.length, of: 'text' }),
})

export const reverse = defineTool({
  name: 'reverse',
  description: 'Reverses.',
  params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  execute: ({ text }) => [String(text)],
})

export const later = defineTool('later', async () => ({ description: 'Is made later.', execute: () => 7n }))

export const schemed = defineTool({
  name: 'schemed',
  description: 'Says by its schema what it gives.',
  returns: { type: 'number' },
  execute: () => JSON.parse('1'),
})
`,
  'skills/shout.skill.ts': `export const frontmatter = { name: 'shout', description: 'Shouts.' }
export default (_ctx: unknown, args: unknown) => String(args).length > 3
`,
  'skills/plain.skill.js': `export const frontmatter = { name: 'plain', description: 'Is plain.' }
export default () => 3
`,
}

const RIGHT = `
const counted: { words: number; of: 'text' | 'file' } = await runtime.invoke('count', { text: 'a' })
const list: string[] = await runtime.invoke('reverse', { text: 'a' })
const big: bigint = await runtime.invoke('later')
const one: number = await runtime.invoke('schemed')
const loud: boolean = await runtime.invoke('shout')
const lines: number = (await runtime.invoke('summary')).lines
const text: string = await runtime.invoke('review')
const said: string | undefined = (await runtime.invoke('greet', { name: 'Ada', times: 2 })).said
await runtime.invoke('open', { a: 'b', more: 1 })
const unknown: unknown = await runtime.invoke('plain')
declare const some: string
const any: unknown = await runtime.invoke(some, { any: 1 }, { as: 'agent' })
declare const either: 'review' | 'schemed'
const both: string | number = await runtime.invoke(either)
await runtime.invoke('./skills/review', { any: 1 })
await runtime.findTool('layer://project/review')
await runtime.render('review')
await runtime.forAgent().invoke(some)
const passed: Runtime = runtime
export { any, big, both, counted, lines, list, loud, one, passed, said, text, unknown }
`.trim()

const WRONG = [
  "await runtime.invoke('cuont', { text: 'a' })",
  "await runtime.invoke('count', { txt: 'a' })",
  "await runtime.invoke('count', { text: 'a', more: 1 })",
  "await runtime.invoke('count')",
  "await runtime.invoke('review', { any: 1 })",
  "export const a: string = await runtime.invoke('count', { text: 'a' })",
  "export const b: 'page' = (await runtime.invoke('count', { text: 'a' })).of",
  "export const c: string = await runtime.invoke('later')",
  "export const d: string = await runtime.invoke('schemed')",
  "export const e: number = await runtime.invoke('shout')",
  "export const f: string = (await runtime.invoke('summary')).lines",
  "export const g: unknown = (await runtime.invoke('greet', { name: 'Ada' })).siad",
  "await runtime.findTool('reveiw')",
  "await runtime.render('reveiw')",
  "await runtime.readResource('reveiw', 'a.md')",
  "await runtime.describe('reveiw')",
  "await runtime.explain('reveiw')",
]

/** Checks declarations, too: those of this package, of Zod, which take most of the time, and the compiled ones. */
const ALL_CHECKED = ['--skipLibCheck', 'false']

/** The lines of modules that do not compile; any other file's fault is given whole. */
function faultsOf(root: string, modules: readonly string[], flags: readonly string[]): (number | string)[][] {
  const found = tsc(root, ['--skipLibCheck', ...flags, ...modules]).match(/^\S.*error TS.*$/gm) ?? []
  const linesOf = (module: string): number[] =>
    found.flatMap(line => (line.startsWith(`${module}(`) ? [Number(/\((\d+),/.exec(line)?.[1])] : []))
  const others = found.filter(line => !modules.some(module => line.startsWith(`${module}(`)))
  return [...modules.map(module => [...new Set(linesOf(module))]), others]
}

/** The lines of `app.ts` that do not compile; any other file's fault is given whole. */
function faults(root: string, flags: readonly string[]): (number | string)[] {
  return faultsOf(root, ['app.ts'], flags).flat()
}

const RESOLUTIONS = some([
  ['bundler', ['--module', 'esnext', '--moduleResolution', 'bundler']],
  ['nodenext', ['--module', 'nodenext']],
] as const)

const HEADS: [how: string, head: string][] = [
  [
    'createRuntime<Tools>()',
    `import { createRuntime, type Runtime } from 'agent-apps/runtime'
import type { Tools } from './agent-apps-tools.js'
const runtime = createRuntime<Tools>()
`,
  ],
  ...['agent-apps', 'agent-apps/runtime'].map((entry): [string, string] => [
    `Register of ${entry}`,
    `import { createRuntime, type Runtime } from 'agent-apps'
import type { Tools } from './agent-apps-tools.js'
declare module '${entry}' { interface Register { tools: Tools } }
const runtime = createRuntime()
`,
  ]),
]

describe.each(RESOLUTIONS)('a program that names its tools: %s', (resolution, flags) => {
  let root: string

  beforeAll(async () => {
    root = codeProject(SKILLS).root
    const { diagnostics } = await compile({ cwd: root, types: FILE })
    expect(diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
  })

  it.each(isLong ? HEADS : HEADS.slice(0, 1))('%s', (how, head) => {
    writeTree(root, { 'right.ts': head + RIGHT, 'wrong.ts': head + WRONG.join('\n') })
    const isChecked = resolution === 'nodenext' && (isLong || how === HEADS[0]?.[0])
    const first = head.split('\n').length
    expect(faultsOf(root, ['right.ts', 'wrong.ts'], [...flags, ...(isChecked ? ALL_CHECKED : [])])).toEqual([
      [],
      WRONG.map((_, index) => first + index),
      [],
    ])
  })

  it.runIf(isLong)('knows nothing of tools without types, and lets every name pass', () => {
    const { root } = codeProject({
      'package.json': '{ "type": "module" }',
      'app.ts': `import { createRuntime } from 'agent-apps'
const runtime = createRuntime()
export const any: unknown = await runtime.invoke('whatever', { a: 1 })
export const wrong: number = await runtime.invoke('whatever')
type Made = ReturnType<typeof createRuntime>
export const made = (one: Made): Promise<unknown> => one.invoke('whatever')
`,
    })
    expect(faults(root, flags)).toEqual([4])
  })
})

it('docs/types.md tells the truth', { tags: 'long' }, async () => {
  const page = readFileSync(join(ROOT, 'docs/types.md'), 'utf8')
  const examples = [...page.matchAll(/^```ts (\S+)\n([\s\S]*?)^```$/gm)]
  expect(examples.map(([, path]) => path)).toEqual([
    'skills/word-count.skill.ts',
    'app.ts',
    'agent-apps-env.d.ts',
  ])
  const files = Object.fromEntries(examples.map(([, path = '', text = '']) => [path, text]))
  const { root } = codeProject({ ...CONFIG, 'package.json': '{ "type": "module" }', ...files })
  expect((await agentApps(root, ['compile', '--types'])).stdout).toMatch(
    /^compiled 1 skill \(1 changed\) in \d+ ms · \.agent-apps\.json in skills, types in agent-apps-tools\.d\.ts$/m,
  )
  const lines = files['app.ts']?.split('\n') ?? []
  const wrong = lines.flatMap((line, index) => (line.includes('// error') ? [index + 1] : []))
  expect(wrong).toHaveLength(3)
  for (const generic of some(['<Tools>', ''])) {
    writeFileSync(join(root, 'app.ts'), files['app.ts']?.replace('<Tools>', generic) ?? '')
    const env = generic === '' ? ['agent-apps-env.d.ts'] : []
    expect(faults(root, ['--module', 'nodenext', ...env])).toEqual(wrong)
  }
})

describe('compile --types', () => {
  const project = (): string => makeTree({ ...CONFIG, 'skills/review/SKILL.md': skill('review') })

  it.each([
    [[], FILE],
    [['--types'], FILE],
    [['--types', 'gen/tools.d.ts'], 'gen/tools.d.ts'],
    [['--types=tools.d.ts', '--quiet'], 'tools.d.ts'],
    [['--types', '--quiet'], FILE],
    [['skills', '--types'], FILE],
    [['--types', 'skills'], FILE],
  ])('%j', async (args, file) => {
    const cwd = project()
    const { status, stdout } = await agentApps(cwd, ['compile', ...args])
    expect(status).toBe(0)
    if (args.length === 0) return expect(stdout).not.toContain('types')
    expect(stdout).toContain(`types in ${file}`)
    expect(readFileSync(join(cwd, file), 'utf8')).toContain('"review": { args: Record<string, never>')
  })

  it('and a bundle are written beside the skills of a repository without a configuration', {
    tags: 'long',
  }, async () => {
    const cwd = makeTree({ '.claude/skills/a/SKILL.md': skill('a'), 'skills/b/SKILL.md': skill('b') })
    const { written, bundled } = await compile({ cwd, types: FILE, bundle: 'dist/agent.mjs' })
    expect([written.includes(FILE), bundled.includes('dist/agent.mjs')]).toEqual([true, true])
    expect((await compile({ cwd, check: true, types: FILE, bundle: 'dist/agent.mjs' })).outdated).toEqual([])
    for (const types of ['skills/tools.d.ts', 'skills/b/deep/tools.d.ts'])
      await expect(compile({ cwd, types })).rejects.toMatchObject({ code: 'BUNDLE_PLACE' })
    writeFileSync(join(cwd, 'SKILL.md'), skill('root'))
    await expect(compile({ cwd, types: FILE })).rejects.toMatchObject({ code: 'BUNDLE_PLACE' })
  })

  it('has the types of the tools of others, compiled or not, and no path to their code', async () => {
    const cwd = makeTree({
      'agent-apps.config.json': '{ "paths": ["./skills", { "dir": "./theirs", "external": true }] }',
      'skills/SKILL.md': skill('mine'),
      'theirs/SKILL.md': skill('given'),
      'theirs/code.skill.ts': `export const frontmatter = { name: 'code', description: 'x' }\nexport default () => 1\n`,
    })
    await compile({ cwd, types: FILE })
    const text = readFileSync(join(cwd, FILE), 'utf8')
    for (const name of ['mine', 'given', 'code']) expect(text).toContain(`"${name}": {`)
    expect(text).not.toContain('import(')
    await compile({ cwd, paths: ['theirs'] })
    expect((await compile({ cwd, types: FILE })).written).toEqual([])
  })

  it.each(some([true, false]))(
    'accepts bare names of plugins’ tools that lead to one, own: %s',
    { tags: 'long' },
    async isOwn => {
      const plugin = (name: string): Tree => ({
        [`mixed/${name}/.claude-plugin/plugin.json`]: JSON.stringify({ name }),
      })
      const tool = (name: string, result: string): string =>
        `export const frontmatter = { name: '${name}', description: 'x', metadata: { returns: { type: '${result}' } } }
export default () => null
`
      const { root } = codeProject({
        'agent-apps.config.json': JSON.stringify({
          paths: [{ dir: './mixed', ...(!isOwn && { external: true }) }, './skills'],
        }),
        'package.json': '{ "type": "module" }',
        ...plugin('acme'),
        'mixed/acme/skills/deploy.skill.js': tool('deploy', 'string'),
        'mixed/acme/skills/lint.skill.js': tool('lint', 'string'),
        'mixed/acme/skills/review.skill.js': tool('review', 'string'),
        'mixed/acme/skills/bad.skill.js': `${tool('bad', 'string')}const = 1\n`,
        ...plugin('beta'),
        'mixed/beta/skills/deploy.skill.js': tool('deploy', 'number'),
        'mixed/beta/skills/any.skill.js': tool('any', 'number'),
        'mixed/lint.skill.js': tool('lint', 'number'),
        'skills/review.skill.js': tool('review', 'number'),
        'skills/bad.skill.js': tool('bad', 'number'),
      })
      const head = `import { createRuntime } from 'agent-apps/runtime'
import type { Tools } from './agent-apps-tools.js'
const runtime = createRuntime<Tools>()
`
      const right = [
        "export const a: string = await runtime.invoke('deploy')",
        "export const b: number = await runtime.invoke('beta:deploy')",
        "export const c: number = await runtime.invoke('lint')",
        "export const d: string = await runtime.invoke('acme:lint')",
        "export const e: string = await runtime.invoke('review')",
      ]
      const wrong = [
        "export const x: number = await runtime.invoke('deploy')",
        "export const y: number = await runtime.invoke('review')",
        "await runtime.findTool('bad')",
        "await runtime.findTool('gamma:deploy')",
      ]
      await compile({ cwd: root, types: FILE })
      writeFileSync(join(root, 'app.ts'), [head + right.join('\n'), ...wrong].join('\n'))
      const runtime = createRuntime({ project: root })
      const found = async (name: string) => (await runtime.findTool(name))?.name ?? null
      for (const name of ['deploy', 'review']) expect(await found(name)).toBe(`acme:${name}`)
      expect([await found('lint'), await found('bad')]).toEqual(['lint', null])
      const first = head.split('\n').length + right.length
      expect(faults(root, ['--module', 'nodenext', ...ALL_CHECKED])).toEqual(
        wrong.map((_, index) => first + index),
      )
      await compile({ cwd: root, paths: ['mixed'] })
      expect((await compile({ cwd: root, types: FILE })).written).not.toContain(FILE)
    },
  )

  it('--check says when the file is out of date, and what runs to mend it', async () => {
    const cwd = project()
    await compile({ cwd })
    const check = await agentApps(cwd, ['compile', '--check', '--types'])
    expect([check.status, check.stdout]).toEqual([
      1,
      `out of date: ${FILE}\nrun \`agent-apps compile --types ${FILE}\`\n`,
    ])
    await compile({ cwd, types: FILE })
    const again = await agentApps(cwd, ['compile', '--check', '--types'])
    expect([again.status, again.stdout]).toEqual([0, `up to date: 1 of 1 indexes, and ${FILE}\n`])
    writeFileSync(join(cwd, 'skills/more.skill.md'), skill('more'))
    const unseen = await agentApps(cwd, ['compile', '--check', '--types'])
    expect(unseen.stdout).toContain(
      `out of date: skills/.agent-apps.json, so ${FILE} was not checked\n  more\n`,
    )
    await compile({ cwd, types: FILE })
    rmSync(join(cwd, FILE))
    expect((await compile({ cwd, types: FILE })).written).toEqual([FILE])
  })

  it('--watch writes it again when a tool comes', async () => {
    const cwd = project()
    const texts: string[] = []
    const watcher = await watch({
      cwd,
      types: FILE,
      onCompile: () => void texts.push(readFileSync(join(cwd, FILE), 'utf8')),
    })
    writeFileSync(join(cwd, 'skills/more.skill.md'), skill('more'))
    await expect.poll(() => texts.at(-1), { timeout: 20_000 }).toContain('"more": {')
    await watcher.close()
    expect(texts).toHaveLength(2)
  })

  it('replaces no file of somebody else, and is written into no directory of skills', async () => {
    const cwd = project()
    writeFileSync(join(cwd, FILE), 'export type Tools = 1\n')
    await expect(compile({ cwd, types: FILE })).rejects.toMatchObject({ code: 'BUNDLE_PLACE' })
    await expect(compile({ cwd, types: 'skills/tools.d.ts' })).rejects.toMatchObject({ code: 'BUNDLE_PLACE' })
    await expect(compile({ cwd, types: 'tools.ts' })).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    expect(readFileSync(join(cwd, FILE), 'utf8')).toBe('export type Tools = 1\n')
  })
})

it('the library’s tools are declared on request, in the types of a project and of a bundle', {
  tags: 'long',
}, async () => {
  const root = makeTree({ ...CONFIG, 'skills/review/SKILL.md': skill('review') })
  const names = (file: string): string[] =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/^ {2}"?([\w-]+)"?: \{ args/gm)].map(
      ([, name = '']) => name,
    )
  await compile({ cwd: root, types: FILE, bundle: 'dist/agent.mjs' })
  expect([names(FILE), names('dist/agent.d.mts')]).toEqual([['review'], ['review']])
  await compile({ cwd: root, types: FILE, bundle: 'dist/agent.mjs', libraryTypes: true })
  for (const file of [FILE, 'dist/agent.d.mts'])
    expect(names(file)).toEqual(expect.arrayContaining(['review', 'skill-list', 'skill-describe']))
})
