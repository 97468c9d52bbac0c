import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import type { Log } from 'sarif'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { isLong } from '../support/long.js'
import { SARIF_SCHEMA } from '../support/sarif-schema.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** Skills whose names differ from those of their folders, and one that does not load. */
function differing(number: number): Tree {
  const names = Array.from({ length: number }, (_, index) => `a${String(index).padStart(4, '0')}`)
  return {
    ...Object.fromEntries(names.map(name => [`skills/${name}/SKILL.md`, skill(`other-${name}`)])),
    'skills/bad/SKILL.md': '---\nname: bad\n',
  }
}

describe('diagnostics on a terminal', () => {
  it('are grouped by rule, ten places of each, the hint once, errors last, and what to do first', async () => {
    const root = makeTree(differing(12))
    const { stdout } = await agentApps(root, ['check'], { isTTY: true, env: { NO_COLOR: '1' } })
    const lines = stdout.split('\n')
    expect(lines[0]).toBe('warning name-differs · 12 places')
    expect(stdout.match(/^ {2}skills\/a\d+\/SKILL\.md:2:7 {2}The name/gm)).toHaveLength(10)
    expect(stdout.match(/Give both the same name/g)).toHaveLength(1)
    expect(lines).toContain('  and 2 more places; --all shows them')
    expect(stdout.indexOf('error frontmatter-unclosed · 1 place')).toBeGreaterThan(
      stdout.indexOf('more places'),
    )
    expect(lines.slice(-3)).toEqual([
      '12 skills in 13 files (1 skipped), 1 error, 12 warnings · path: skills',
      'First correct frontmatter-unclosed (1 error, which keeps a skill from loading).',
      '',
    ])
    const all = await agentApps(root, ['check', '--all'], { isTTY: true })
    expect(all.stdout.match(/skills\/a\d+\/SKILL\.md/g)).toHaveLength(12)
    const compiled = await agentApps(root, ['compile'], { isTTY: true, env: { NO_COLOR: '1' } })
    expect(compiled.stderr).toContain('warning name-differs · 12 places\n')
  })

  it('show each hint of a rule once, below the places that it is about', async () => {
    const root = makeTree({
      'skills/a.skill.md': skill('a', '', 'Version: 1\nlisence: MIT\n'),
      'skills/b.skill.md': skill('b', '', 'lisence: MIT\nauthor: me\n'),
    })
    const { stdout } = await agentApps(root, ['check', '--verbose'], { isTTY: true })
    expect(stdout.match(/If you meant "license"/g)).toHaveLength(1)
  })
})

it('elsewhere, each diagnostic is one line of which nothing is cut', async () => {
  const root = makeTree(differing(30))
  const { stdout } = await agentApps(root, ['check'])
  const lines = stdout.split('\n')
  expect(lines.filter(line => line.endsWith(' name-differs'))).toHaveLength(30)
  expect(lines[0]).toBe(
    'skills/a0000/SKILL.md:2:7 warning The name "other-a0000" differs from the folder\'s, "a0000". Give both the same name: the specification asks for it, and other tools find a skill by its folder. name-differs',
  )
})

it('no text of a skill is a command to GitHub, which looks for them everywhere in a line', async () => {
  const root = makeTree({
    'skills/##[set-output name=a]b/SKILL.md': skill('"##[set-output name=c]d"'),
    'skills/::set-output name=e::/SKILL.md': '---\nname: f\n',
    'skills/g/SKILL.md': '---\nname: g\ndescription: "##[set-output name=h]i"\n---\n',
  })
  for (const args of [['check'], ['check', '--format', 'github'], ['list']]) {
    const { stdout, stderr } = await agentApps(root, args)
    expect(`${stdout}${stderr}`).toMatch(/set-output name/)
    expect(`${stdout}${stderr}`).not.toMatch(/##\[|^\s*::set-output/m)
  }
})

describe('--format github', () => {
  it('makes ten annotations at most, errors first, and a table for the run', async () => {
    const root = makeTree({ ...differing(12), 'skills/|*b`|/SKILL.md': skill('b') })
    const summary = join(root, 'summary.md')
    const { stdout, status } = await agentApps(root, ['check', '--format', 'github'], {
      env: { GITHUB_STEP_SUMMARY: summary },
    })
    const lines = stdout.trimEnd().split('\n')
    expect(status).toBe(1)
    expect(lines.filter(line => line.startsWith('::'))).toHaveLength(10)
    expect(lines[0]).toMatch(/^::error file=skills\/bad\/SKILL\.md,line=1,col=1,title=frontmatter-unclosed::/)
    expect(lines.slice(-2)).toEqual([
      'and 4 more, which `agent-apps check` prints',
      '13 skills in 14 files (1 skipped), 1 error, 13 warnings · path: skills',
    ])
    const table = readFileSync(summary, 'utf8')
    expect(table.match(/^\|.*\|$/gm)).toEqual([
      '| severity | rule | places | first place |',
      '| --- | --- | --- | --- |',
      expect.stringMatching(/^\| error \| frontmatter-unclosed \| 1 \| skills\/bad\/SKILL\.md:1 /),
      expect.stringMatching(/^\| warning \| name-differs \| 13 \| skills\/a0000\/SKILL\.md:2 /),
    ])
    await agentApps(root, ['compile', '--format', 'github'], { env: { GITHUB_STEP_SUMMARY: summary } })
    expect(readFileSync(summary, 'utf8').match(/^### agent-apps$/gm)).toHaveLength(2)
  })

  it('lets no text of a skill be markup of the table', async () => {
    const root = makeTree({ 'skills/x|y/SKILL.md': skill('"<b>a | b</b> `c`\\n| d |"') })
    const summary = join(root, 'summary.md')
    await agentApps(root, ['check', '--format', 'github'], { env: { GITHUB_STEP_SUMMARY: summary } })
    const row = readFileSync(summary, 'utf8').split('\n').at(-3) ?? ''
    expect(row.match(/(?<!\\)\|/g)).toHaveLength(5)
    expect(row).not.toMatch(/[<>`]/)
  })
})

describe('--format sarif', () => {
  const validate = new Ajv({ strict: true, allErrors: true }).compile(SARIF_SCHEMA)

  async function sarif(cwd: string, args: string[]): Promise<Log['runs'][number]> {
    const { stdout } = await agentApps(cwd, [...args, '--format', 'sarif'])
    const log = JSON.parse(stdout) as Log
    expect(validate(log), JSON.stringify(validate.errors)).toBe(true)
    return log.runs[0] as Log['runs'][number]
  }

  const urisOf = ({ results = [] }: Log['runs'][number]): (string | undefined)[] =>
    results.map(({ locations }) => locations?.[0]?.physicalLocation?.artifactLocation?.uri)

  it.each([['check'], ['compile']])('of %s is a SARIF log with the help of each rule', async command => {
    const root = makeTree({ ...differing(2), 'skills/ü %b/SKILL.md': skill('b') })
    const { results = [], tool, invocations } = await sarif(root, [command])
    expect(results.map(({ ruleId, level }) => [ruleId, level])).toEqual([
      ['frontmatter-unclosed', 'error'],
      ['name-differs', 'warning'],
      ['name-differs', 'warning'],
      ['name-differs', 'warning'],
    ])
    for (const { ruleId, ruleIndex = -1 } of results) expect(tool.driver.rules?.[ruleIndex]?.id).toBe(ruleId)
    expect(tool.driver.rules?.[1]?.help?.markdown).toContain('name: ')
    expect(results[3]?.locations?.[0]?.physicalLocation).toEqual({
      artifactLocation: { uri: 'skills/%C3%BC%20%25b/SKILL.md', uriBaseId: '%SRCROOT%' },
      region: { startLine: 2, startColumn: 7 },
    })
    expect(invocations).toEqual([{ executionSuccessful: true, exitCode: 1 }])
  })

  it('has paths from the root of the repository, wherever the command works', async () => {
    const root = makeTree({ 'packages/agent/skills/a/SKILL.md': skill('other') })
    const inside = join(root, 'packages/agent')
    mkdirSync(join(root, '.git'))
    expect(urisOf(await sarif(inside, ['check']))).toEqual(['packages/agent/skills/a/SKILL.md'])
    expect(urisOf(await sarif(root, ['check', '--cwd', 'packages/agent']))).toEqual([
      'packages/agent/skills/a/SKILL.md',
    ])
  })

  it.runIf(isLong)('has 5,000 results at most, errors first, and says how many are left out', async () => {
    const root = makeTree(differing(5_000))
    const { results = [], invocations } = await sarif(root, ['check'])
    expect([results.length, results[0]?.level]).toEqual([5_000, 'error'])
    expect(invocations?.[0]?.toolExecutionNotifications?.[0]?.message.text).toBe(
      '1 of 5,001 diagnostics are left out.',
    )
  })
})

describe('no skills', () => {
  const tree = { 'agent-apps.config.json': '{ "paths": ["./skills"] }', 'skills/notes.txt': '' }

  it.each([['check'], ['compile'], ['list'], ['doctor']])(
    '%s fails, except with --allow-empty',
    async command => {
      const root = makeTree(tree)
      await agentApps(root, ['compile', '--allow-empty'])
      expect((await agentApps(root, [command])).status).toBe(1)
      expect((await agentApps(root, [command, '--allow-empty'])).status).toBe(0)
    },
  )

  it.each([['check'], ['compile']])('%s --allow-empty succeeds where nothing is searched', async command => {
    const root = makeTree({ 'notes.txt': '' })
    expect(await agentApps(root, [command])).toMatchObject({ status: 1 })
    expect(await agentApps(root, [command, '--allow-empty'])).toMatchObject({
      status: 0,
      stdout: '0 skills in 0 files\n',
    })
  })

  it('the skills of the library and of the user do not count', async () => {
    const root = makeTree({ ...tree, '.claude/skills/a/SKILL.md': skill('a') })
    expect((await agentApps(root, ['list', '--library'])).status).toBe(1)
  })
})
