import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { shown } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { makeTree } from '../support/tree.js'

function review(metadata: string): string {
  return `---\nname: review\ndescription: Reviews.\nmetadata:\n${metadata}---\nLook.\n`
}

async function found(metadata: string) {
  const cwd = makeTree({ 'review/SKILL.md': review(metadata) })
  const { diagnostics } = await check({ cwd, paths: ['.'] })
  return diagnostics.map(shown)
}

/** The forms of a string in YAML, and the place of `requires-tool` in each. */
const FORMS: [form: string, metadata: string, place: string][] = [
  ['in double quotes', '  agent-apps: "{ tags: [api], requires-tool: 5000 }"\n', '5:31'],
  ['in single quotes', "  agent-apps: '{ tags: [api], requires-tool: 5000 }'\n", '5:31'],
  ['as a block', '  agent-apps: |\n    tags: [api]\n    requires-tool: 5000\n', '7:5'],
  ['as a folded block', '  agent-apps: >\n    { tags: [api],\n      requires-tool: 5000 }\n', '7:7'],
  ['over lines in quotes', '  agent-apps: "{ tags: [api],\n    requires-tool: 5000 }"\n', '6:5'],
  ['behind an escape', '  agent-apps: "{ note: \\"x\\", requires-tool: 5000 }"\n', '5:15'],
  ['before an escape', '  agent-apps: "{ requires-tool: 5000, note: \\"x\\" }"\n', '5:18'],
]

describe('keys of metadata in one string', () => {
  it.each(oneIn(3, FORMS))('are reported where they stand: %s', async (_, metadata, place) => {
    expect(await found(metadata)).toEqual([`review/SKILL.md:${place} metadata-near-key warning`])
  })

  it.each([
    ['{ tags: [api], timeout: 5000, role: middleware }'],
    ['{ params: { type: object, properties: { a: { type: string, default: x } } }, $order: 3 }'],
    ['{ visibility: hidden, delegate: "./count.js", requires-tools: [a, b] }'],
    ['{}'],
  ])('mean what they mean without: %s', async inside => {
    const tree = (metadata: string) => ({
      'review/SKILL.md': review(`  author: Ann\n${metadata}`),
      'review/count.js': 'export default () => 1\n',
    })
    const written = makeTree(tree(`  agent-apps: '${inside}'\n`))
    const lines = inside.slice(1, -1).trim()
    const direct = makeTree({
      ...tree(''),
      'review/SKILL.md': review(`  { author: Ann, ${lines} }\n`),
    })
    for (const way of ['disk', 'index'])
      expect(await frontmatterIn(written, way)).toEqual(await frontmatterIn(direct, way))
  })

  it('are kept as they were written', async () => {
    const cwd = makeTree({ 'review/SKILL.md': review('  agent-apps: "{ tags: [api] }"\n') })
    const { verbatim, tool } = await createRuntime({ cwd, paths: ['.'] }).describe('review')
    expect(verbatim.metadata).toEqual({ 'agent-apps': '{ tags: [api] }' })
    expect(tool.frontmatter).toMatchObject({ tags: ['api'], metadata: {} })
  })

  it.each(
    oneIn(3, [
      ['  timeout: 1\n  agent-apps: "{ tags: [a], timeout: 2 }"\n', '6:29 metadata-key-twice error'],
      ['  agent-apps: "{ tags: [a }"\n', '5:27 yaml-syntax error'],
      ['  agent-apps: "{ a: 1, a: 2 }"\n', '5:24 yaml-duplicate-key error'],
      ['  agent-apps: "{ a: *b }"\n', '5:21 yaml-alias error'],
      ['  agent-apps: "{ constructor: 1 }"\n', '5:18 forbidden-key error'],
      ['  agent-apps: |\n    tags: [a]\n    ---\n    timeout: 1\n', '7:5 yaml-syntax error'],
      [`  agent-apps: '${'['.repeat(40)}${']'.repeat(40)}'\n`, null],
      ['  agent-apps: "[api]"\n', '5:15 field-type error'],
      ['  agent-apps: { tags: [api] }\n', '5:15 field-type error'],
      [
        `  a: { ${keys('a', 600)} }\n  agent-apps: '{ ${keys('b', 600)} }'\n`,
        '6:15 yaml-too-many-keys error',
      ],
      [`  agent-apps: '{ a: ${'{ a: '.repeat(31)}1${' }'.repeat(31)} }'\n`, '5:15 yaml-too-deep error'],
    ]),
  )('have the limits of the others: %#', async (metadata, expected) => {
    const reports = await found(metadata)
    if (expected === null) expect(reports).toHaveLength(1)
    else expect(reports).toEqual([`review/SKILL.md:${expected}`])
  })

  it('keep the name of a skill that does not load', async () => {
    const cwd = makeTree({ 'review/SKILL.md': review('  agent-apps: "{ tags: [a }"\n') })
    await expect(createRuntime({ cwd, paths: ['.'] }).invoke('review')).rejects.toMatchObject({
      code: 'TOOL_BROKEN',
    })
  })
})

function keys(prefix: string, count: number): string {
  return Array.from({ length: count }, (_, number) => `${prefix}${number}: 1`).join(', ')
}

async function frontmatterIn(cwd: string, way: string) {
  if (way === 'index') await compile({ cwd, paths: ['.'] })
  const tool = await createRuntime({ cwd, paths: ['.'], library: false }).findTool('review')
  expect(tool?.origin.via).toBe(way)
  return tool?.frontmatter
}

describe('check --spec', () => {
  const long = 'a'.repeat(65)
  const tree = {
    'review/SKILL.md': review('  a: x\n  timeout: 5000\n  tags:\n    - api\n'),
    'fine/SKILL.md': '---\nname: fine\ndescription: Is.\nmetadata:\n  agent-apps: "{ tags: [api] }"\n---\n',
    'notes.skill.md': '---\nname: notes\ndescription: Is.\nmetadata:\n  timeout: 5000\n---\n',
    [`${long}/SKILL.md`]: `---\nname: ${long}\ndescription: Is.\n---\n`,
  }

  it('reports metadata that is not a string, and a long name as an error', async () => {
    const cwd = makeTree(tree)
    const { diagnostics, spec } = await check({ cwd, paths: ['.'], spec: true })
    expect(diagnostics.map(shown)).toEqual([
      `${long}/SKILL.md:2:7 name-long error`,
      'review/SKILL.md:6:3 metadata-not-string warning',
      'review/SKILL.md:7:3 metadata-not-string warning',
    ])
    expect(spec.filter(({ valid }) => valid).map(({ file }) => file)).toEqual([
      'fine/SKILL.md',
      'review/SKILL.md',
    ])
    const { stdout, status } = await agentApps(cwd, ['check', '--spec', '.'])
    expect(stdout).toContain('"timeout" in metadata is a number')
    expect(status).toBe(1)
  })

  it('is the only one that does', async () => {
    const { diagnostics } = await check({ cwd: makeTree(tree), paths: ['.'] })
    expect(diagnostics.map(shown)).toEqual([`${long}/SKILL.md:2:7 name-long warning`])
  })
})
