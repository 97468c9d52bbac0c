import { execFileSync } from 'node:child_process'
import { chmodSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { type CheckResult, check } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree, snapshot } from '../support/tree.js'

interface Case {
  before: string
  after: string
  rules: string[]
  /** With `--spec`. */
  spec?: boolean
}

/** Frontmatters of the skill in the folder `academic-paper`, without the fences. */
const CORRECTED: Record<string, Case> = {
  'a name that the folder replaces': {
    before: 'name: Academic Paper\ndescription: Maps.\n',
    after: 'name: academic-paper\ndescription: Maps.\n',
    rules: ['name-replaced'],
  },
  'a name in quotes, with a comment and CRLF': {
    before: 'name: "Academic: Paper"   # ours\r\ndescription: Maps.\r\n',
    after: 'name: "academic-paper"   # ours\r\ndescription: Maps.\r\n',
    rules: ['name-replaced'],
  },
  'no name': {
    before: 'description: Maps.\r\n',
    after: 'name: academic-paper\r\ndescription: Maps.\r\n',
    rules: ['name-from-folder'],
  },
  'a description that is a number': {
    before: 'name: academic-paper\ndescription: 0123\n',
    after: 'name: academic-paper\ndescription: "0123"\n',
    rules: ['value-read-as-text'],
  },
  'several in one file': {
    before: 'name: Academic Paper\ndescription: Use when: asked.\nlicense: MIT: really\n',
    after: 'name: academic-paper\ndescription: "Use when: asked."\nlicense: "MIT: really"\n',
    rules: ['name-replaced', 'colon-in-value', 'colon-in-value'],
  },
  'values that begin as YAML begins something else': {
    before: 'name: academic-paper\ndescription: @mentions, and "more"\nlicense: [MIT] or so\n',
    after: `name: academic-paper\ndescription: '@mentions, and "more"'\nlicense: "[MIT] or so"\n`,
    rules: ['yaml-syntax', 'yaml-syntax'],
  },
  'such a value after one with a colon': {
    before: 'name: academic-paper\ncompatibility: Node: 20\ndescription: *bold* text\n',
    after: 'name: academic-paper\ncompatibility: "Node: 20"\ndescription: "*bold* text"\n',
    rules: ['colon-in-value', 'yaml-syntax'],
  },
  'quotes at the beginning': {
    before: 'name: academic-paper\ndescription: "Quoted" and more\n',
    after: `name: academic-paper\ndescription: '"Quoted" and more'\n`,
    rules: ['yaml-syntax'],
  },
  'commas in allowed-tools': {
    before: 'name: academic-paper\ndescription: Maps.\nallowed-tools: Read, Bash(git log, git add:*),Grep\n',
    after: 'name: academic-paper\ndescription: Maps.\nallowed-tools: "Read Bash(git log, git add:*) Grep"\n',
    rules: ['allowed-tools'],
    spec: true,
  },
}

/** Frontmatters that nothing is corrected in. */
const LEFT: Record<string, string> = {
  'a name on several lines': 'name: >-\n  Academic\n  Paper\ndescription: Maps.\n',
  'a mapping in braces without a name': '{ description: Maps. }\n',
  'a list that is not closed': 'name: academic-paper\ndescription: Maps.\nallowed-tools: [Read, Grep\n',
  'a quote that is not closed': 'name: academic-paper\ndescription: "Maps\n',
  'quotes around quotes, which may mean two things': 'name: academic-paper\ndescription: "a "b" c"\n',
  'a name that only the specification refuses': 'name: another\ndescription: Maps.\n',
  'commas in allowed-tools': 'name: academic-paper\ndescription: Maps.\nallowed-tools: Read, Grep\n',
}

const FILE = 'skills/academic-paper/SKILL.md'
const file = (frontmatter: string): string => `---\n${frontmatter}---\nBody: {x}\r\n\n`
const project = (frontmatter: string): string => makeTree({ [FILE]: file(frontmatter) })
const read = (root: string): string => readFileSync(join(root, FILE), 'utf8')

describe('check --fix', () => {
  it.each(Object.entries(CORRECTED))('corrects %s, and no other byte', async (_what, one) => {
    const { before, after, rules, spec = false } = one
    const root = project(before)
    const checking = { cwd: root, paths: ['skills'], spec }
    const { fixable } = await check(checking)
    const meant = await meaningOf(root)
    const dry = await check({ ...checking, fix: true, dryRun: true })
    expect([read(root), dry.fixes.map(({ rule }) => rule)]).toEqual([file(before), rules])
    const fixed = await check({ ...checking, fix: true })
    expect([read(root), fixed.fixes]).toEqual([file(after), dry.fixes])
    expect(Object.values(fixable).reduce((sum, places) => sum + places, 0)).toBe(rules.length)
    expect([fixed.fixable, rulesOf(fixed)]).toEqual([{}, []])
    if (meant !== undefined) expect(await meaningOf(root)).toEqual(meant)
    expect((await check({ ...checking, fix: true })).fixes).toEqual([])
  })

  it.each(Object.entries(LEFT))('leaves %s', async (_what, before) => {
    const root = project(before)
    expect((await check({ cwd: root, paths: ['skills'], fix: true })).fixed).toEqual([])
    expect(read(root)).toBe(file(before))
  })

  it('corrects the skills of a plugin, whose names the manifest qualifies', async () => {
    const SKILL = 'acme/skills/academic-paper/SKILL.md'
    const { before, after } = CORRECTED['several in one file'] ?? { before: '', after: '' }
    const root = makeTree({
      '.claude-plugin/marketplace.json': '{"plugins": [{"name": "acme", "source": "./acme"}]}',
      [SKILL]: file(before),
    })
    const { fixed, fixable } = await check({ cwd: root, fix: true })
    expect([fixed, fixable, readFileSync(join(root, SKILL), 'utf8')]).toEqual([[SKILL], {}, file(after)])
  })

  it('keeps who may read a file, and a link to it', async () => {
    const root = makeTree({
      'skills/academic-paper/paper.md': file('name: Academic Paper\ndescription: Maps.\n'),
      [FILE]: { link: 'paper.md' },
    })
    const paper = join(root, 'skills/academic-paper/paper.md')
    chmodSync(paper, 0o640)
    expect((await check({ cwd: root, fix: true })).fixed).toEqual([FILE])
    expect(readFileSync(paper, 'utf8')).toBe(file('name: academic-paper\ndescription: Maps.\n'))
    expect([statSync(paper).mode & 0o777, readlinkSync(join(root, FILE))]).toEqual([0o640, 'paper.md'])
  })

  it('shows a terminal a diff without what moves its cursor', async () => {
    const root = makeTree({
      [FILE]: '---\ndescription: Maps.\nname: Academic Paper\n---\n\u001B[2J\n',
    })
    const { stdout } = await agentApps(root, ['check', '--fix', '--dry-run'], { isTTY: true })
    expect(stdout).toContain('+name: academic-paper')
    expect(stdout).not.toContain('\u001B[2J')
  })

  it('says what it fixed and what it left', async () => {
    const root = makeTree({
      [FILE]: file('name: Academic Paper\n'),
      'skills/two/SKILL.md': file('name: other\ndescription: Use when: asked.\n'),
    })
    const { stdout, stderr } = await agentApps(root, ['check', '--fix'])
    expect(stderr).toContain(`fixed ${FILE} (name-replaced)\nfixed skills/two/SKILL.md (colon-in-value)\n`)
    expect(stdout).toMatch(/^fixed 2 places in 2 files; not fixed: 2, to be corrected by hand$/m)
  })

  it('--dry-run gives a diff that git applies, and writes nothing', async () => {
    const root = project(CORRECTED['several in one file']?.before ?? '')
    const before = snapshot(root)
    const { stdout, stderr } = await agentApps(root, ['check', '--fix', '--dry-run'])
    expect([snapshot(root), stderr]).toEqual([before, 'would fix 3 places in 1 file\n'])
    execFileSync('git', ['apply'], { cwd: root, input: stdout })
    expect(read(root)).toBe(file(CORRECTED['several in one file']?.after ?? ''))
    expect(await agentApps(root, ['check', '--dry-run'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--dry-run requires --fix'),
    })
  })
})

const rulesOf = ({ diagnostics }: CheckResult): string[] =>
  diagnostics.filter(({ severity }) => severity !== 'info').map(({ ruleId = '' }) => ruleId)

/** All that a runtime says of the skill, apart from the title that its name becomes; undefined if it is broken. */
async function meaningOf(cwd: string): Promise<unknown> {
  const runtime = createRuntime({ paths: ['skills'], cwd, library: false })
  const tool = await runtime.findTool('academic-paper').catch(() => null)
  if (tool === null) return undefined
  const { title: _, 'allowed-tools': allowed, ...frontmatter } = tool.frontmatter
  return [frontmatter, allowed?.replaceAll(/,\s*|\s+/g, ' '), await tool.content?.()]
}
