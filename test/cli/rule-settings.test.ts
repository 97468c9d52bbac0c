import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile, type RuleSettings } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { RULES } from '../../compiler/diagnostics/diagnostics.js'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { makeTree, skill, writeTree } from '../support/tree.js'

const DIFFERING = { 'skills/a/SKILL.md': skill('other') }

describe('rules', () => {
  const severities = async (rules: unknown): Promise<string[][]> => {
    const root = makeTree({
      ...DIFFERING,
      'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], rules }),
    })
    const [checked, compiled] = [await check({ cwd: root }), await compile({ cwd: root })]
    return [checked, compiled].map(({ diagnostics }) => diagnostics.map(({ severity }) => severity))
  }

  it('of the configuration set the severity in check and compile', async () => {
    expect(await severities({})).toEqual([['warning'], ['warning']])
    expect(await severities({ 'name-differs': 'off' })).toEqual([[], []])
    expect(await severities({ 'name-differs': 'error' })).toEqual([['error'], ['error']])
    expect(await severities({ 'name-differs': 'info' })).toEqual([['info'], ['info']])
  })

  it('of the functions are added to them', async () => {
    const root = makeTree({
      ...DIFFERING,
      'skills/b/SKILL.md': '---\nname: b\n---\n',
      'agent-apps.config.json': '{ "paths": ["./skills"], "rules": { "name-differs": "error" } }',
    })
    const rules: RuleSettings = { 'description-missing': 'off' }
    for (const { diagnostics } of [await check({ cwd: root, rules }), await compile({ cwd: root, rules })])
      expect(diagnostics.map(({ ruleId, severity }) => [ruleId, severity])).toEqual([
        ['name-differs', 'error'],
      ])
  })

  it('do not change what is written', async () => {
    const root = makeTree({
      ...DIFFERING,
      'agent-apps.config.json': '{ "paths": ["./skills"], "rules": { "name-differs": "off" } }',
    })
    await compile({ cwd: root })
    expect((await compile({ cwd: root, rules: { 'name-differs': 'error' }, check: true })).outdated).toEqual(
      [],
    )
  })

  it.each(
    oneIn(2, [
      [
        { 'name-difers': 'off' },
        'has a rule "name-difers", which does not exist; did you mean "name-differs"?',
      ],
      [{ 'name-differs': 'warn' }, 'gives "name-differs" the severity "warn"'],
      [{ 'yaml-syntax': 'off' }, 'severity cannot be changed: a skill with this fault does not load'],
      [{ 'secret-file': 'off' }, 'severity cannot be changed: it guards the security of a project'],
      [['name-differs'], 'must be an object'],
    ]),
  )('%j is refused', async (rules, problem) => {
    await expect(severities(rules)).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(problem),
    })
    if (!Array.isArray(rules))
      await expect(check({ rules: rules as RuleSettings })).rejects.toMatchObject({
        code: 'OPTIONS_INVALID',
        message: expect.stringContaining(problem),
      })
  })

  it('about security are those that docs/rules.md names', () => {
    const page = readFileSync(new URL('../../docs/rules.md', import.meta.url), 'utf8')
    const [, named = ''] = /about security:([^.]*)\./.exec(page) ?? []
    const rules = Object.entries(RULES).filter(([, rule]) => 'security' in rule && !('fatal' in rule))
    expect([...named.matchAll(/\[([\w-]+)\]/g)].map(([, rule]) => rule)).toEqual(rules.map(([rule]) => rule))
  })

  it('leave a fault that keeps a skill from loading, whichever rule it breaks', async () => {
    const root = makeTree({ 'skills/notes.skill.md': 'No frontmatter.\n' })
    const { diagnostics } = await check({ cwd: root, rules: { 'frontmatter-missing': 'off' } })
    expect(diagnostics.some(({ fatal }) => fatal)).toBe(true)
  })
})

describe('# agent-apps-ignore', () => {
  const found = async (text: string, file = 'skills/a/SKILL.md'): Promise<unknown[]> => {
    const { diagnostics } = await check({ cwd: makeTree({ [file]: text }), paths: ['skills'] })
    return diagnostics.map(({ ruleId, line }) => [ruleId, line])
  }

  it.each([
    ['on a line', '---\nname: b\n# agent-apps-ignore name-differs\ndescription: B.\n---\n'],
    ['behind a value', '---\nname: b # agent-apps-ignore name-differs\ndescription: B.\n---\n'],
    [
      'with a reason',
      '---\nname: b\n# agent-apps-ignore name-differs -- secret-file is not meant\ndescription: B.\n---\n',
    ],
    [
      'with several rules',
      '---\nname: b\n#agent-apps-ignore field-near, name-differs\ndescription: B.\nlisence: x\n---\n',
    ],
  ])('%s suppresses a rule in its file', async (_how, text) => {
    expect(await found(text)).toEqual([])
  })

  it('suppresses what only all files together show', async () => {
    const text = skill('a', '[x](gone.md)\n')
    expect(await found(text)).toEqual([['link-missing', 5]])
    expect(await found(text.replace('---\n', '---\n# agent-apps-ignore link-missing\n'))).toEqual([])
  })

  it.each(
    oneIn(2, [
      ['name-difers', 'no rule has this name', 'Did you mean "name-differs"?'],
      ['yaml-syntax', 'a skill with this fault does not load', 'correct the fault'],
      ['hidden-character', 'it guards the security of a project', 'correct the fault'],
      ['field-type', 'it reports an error', 'correct the fault'],
      ['', 'it names no rule', 'the name of a rule'],
    ]),
  )('of %s is reported', async (rule, why, hint) => {
    const text = `---\nname: a\n# agent-apps-ignore ${rule}\ndescription: A.\n---\n`
    const { diagnostics } = await check({ cwd: makeTree({ 'skills/a/SKILL.md': text }), paths: ['skills'] })
    expect(diagnostics).toEqual([
      expect.objectContaining({
        ruleId: 'ignore-idle',
        line: 3,
        reason: expect.stringContaining(why),
        note: expect.stringContaining(hint),
      }),
    ])
  })

  it('does not suppress what the project makes an error', async () => {
    const text = '---\nname: b\n# agent-apps-ignore name-differs\ndescription: B.\n---\n'
    const cwd = makeTree({ 'skills/a/SKILL.md': text })
    const { diagnostics } = await check({ cwd, paths: ['skills'], rules: { 'name-differs': 'error' } })
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['name-differs'])
  })

  it('holds in an index, and in a compile that reads nothing anew', async () => {
    const text = '---\nname: b\n# agent-apps-ignore name-differs\ndescription: B.\n---\n'
    const root = makeTree({ 'skills/a/SKILL.md': text, 'skills/c/SKILL.md': skill('d') })
    const options = { cwd: root, paths: ['skills'] }
    await compile(options)
    const again = await compile(options)
    expect([again.reused, again.diagnostics.map(({ file }) => file)]).toEqual([2, ['skills/c/SKILL.md']])
    expect(readFileSync(join(root, 'skills/.agent-apps.json'), 'utf8').match(/name-differs"/g)).toHaveLength(
      1,
    )
    for (const freshness of ['trust', 'check'] as const) {
      const runtime = createRuntime({ ...options, freshness })
      await runtime.listTools()
      expect(runtime.diagnostics().map(({ file }) => file)).toEqual([])
    }
  })
})

describe('a baseline', () => {
  it('has everything that is wrong with a file, so that mending one thing brings up no other', async () => {
    const gone = (from: number): string =>
      JSON.stringify({
        plugins: Array.from({ length: 295 - from }, (_, at) => ({
          name: `gone-${at + from}`,
          source: `./gone-${at + from}`,
        })),
      })
    const hidden = (from: number): string =>
      Array.from({ length: 40 - from }, (_, at) => `a\u200b ${at + from}\n`).join('')
    const root = makeTree({
      '.claude-plugin/marketplace.json': gone(0),
      'skills/a/SKILL.md': skill('a', hidden(0), `allowed-tools: ${unmatched(0)}\n`),
    })
    const { stdout } = await agentApps(root, ['check', '--json', '--write-baseline', 'base.json'])
    const rules = JSON.parse(stdout).diagnostics.map(({ rule }: { rule: string }) => rule)
    const count = (rule: string): number => rules.filter((one: string) => one === rule).length
    expect(['plugin-path-missing', 'hidden-character', 'pattern-unmatched'].map(count)).toEqual([295, 40, 30])
    const terminal = await agentApps(root, ['check'], { isTTY: true })
    expect(terminal.stdout).toContain('and 285 more places; --all shows them')
    writeTree(root, {
      '.claude-plugin/marketplace.json': gone(1),
      'skills/a/SKILL.md': skill('a', hidden(1), `allowed-tools: ${unmatched(1)}\n`),
    })
    const { status, stdout: after } = await agentApps(root, ['check', '--baseline', 'base.json'])
    expect({ status, after }).toMatchObject({ status: 0, after: expect.stringMatching(/ no longer wrong/) })
  })

  function unmatched(from: number): string {
    return Array.from({ length: 30 - from }, (_, at) => `zz*q${at + from}`).join(' ')
  }

  it('accepts what there is, fails on what is new, and says what is gone', async () => {
    const root = makeTree({ ...DIFFERING, 'skills/bad/SKILL.md': '---\nname: bad\n' })
    const baseline = ['check', '--baseline', 'ci/base.json']
    const { status, stderr } = await agentApps(root, ['check', '--write-baseline', 'base.json'])
    expect([status, stderr]).toEqual([0, 'accepted 2 diagnostics in base.json\n'])
    expect(JSON.parse(readFileSync(join(root, 'base.json'), 'utf8'))).toEqual({
      version: 1,
      accepted: [
        { rule: 'name-differs', file: 'skills/a/SKILL.md', reason: expect.any(String) },
        { rule: 'frontmatter-unclosed', file: 'skills/bad/SKILL.md', reason: expect.any(String) },
      ],
    })
    const same = await agentApps(root, ['check', '--baseline', 'base.json'])
    expect([same.status, same.stdout]).toEqual([
      0,
      'baseline: 2 accepted, 0 no longer wrong\n1 skill in 2 files (1 skipped) · path: skills\n',
    ])
    // Lines do not count, and neither does where the command works.
    writeFileSync(join(root, 'skills/a/SKILL.md'), skill('other').replace('---\n', '---\n# moved\n'))
    writeFileSync(join(root, 'skills/bad/SKILL.md'), skill('bad'))
    writeFileSync(join(root, 'skills/new.skill.md'), '---\nname: new\n---\n')
    const changed = await agentApps(join(root, 'skills'), ['check', '--cwd', '..', '--baseline', 'base.json'])
    expect(changed.status).toBe(1)
    expect(changed.stdout).toMatch(
      /^new\.skill\.md:1:1 warning .* description-missing\nbaseline: 1 accepted, 1 /,
    )
    expect(changed.stderr).toContain('no longer wrong: bad/SKILL.md The frontmatter is not closed')
    const json = JSON.parse((await agentApps(root, ['check', '--baseline', 'base.json', '--json'])).stdout)
    expect(json).toMatchObject({
      diagnostics: [{ rule: 'description-missing' }],
      baseline: { known: 1, gone: [{ rule: 'frontmatter-unclosed', file: 'skills/bad/SKILL.md' }] },
    })
    expect((await agentApps(root, baseline)).status).toBe(2)
  })

  it('accepts each entry once', async () => {
    const twice = `${skill('a', '', 'lisence: x\n')}\n${skill('b', '', 'lisence: x\n')}`
    const root = makeTree({ 'skills/two.skill.md': skill('a', '', 'lisence: x\n') })
    await agentApps(root, ['check', '--write-baseline', 'base.json'])
    writeFileSync(join(root, 'skills/two.skill.md'), twice)
    const { status, stdout } = await agentApps(root, ['check', '--baseline', 'base.json'])
    expect([status, stdout.match(/ field-near$/gm)?.length]).toEqual([1, 1])
  })

  it.each([['{'], ['{}'], ['{ "version": 1, "accepted": [{}] }'], ['null']])('%s is none', async text => {
    const root = makeTree({ ...DIFFERING, 'base.json': text })
    expect(await agentApps(root, ['check', '--baseline', 'base.json'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not a baseline'),
    })
  })
})
