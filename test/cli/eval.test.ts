import { execFileSync } from 'node:child_process'
import { readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { oneIn } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const skill = (name: string, description: string, more = ''): string =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\nText.\n`

const TREE = {
  'skills/deploy/SKILL.md': skill('deploy', 'Ships the site.'),
  'skills/deploy/eval_queries.json': JSON.stringify([
    { query: 'ship the site', should_trigger: true },
    { query: 'roll out', should_trigger: true },
  ]),
  'skills/deploy/evals/evals.json': '{ "evals": [] }',
  'skills/migrate/SKILL.md': skill('migrate', 'Changes tables.', 'triggers: [add a column]\n'),
  'skills/migrate/evals/trigger_tests.yaml':
    'skill: migrate\nshould_trigger_prompts:\n  - prompt: change my tables\n    reason: plain\n  - alter tables\nshould_not_trigger_prompts:\n  - prompt: tables of the site\n',
  'skills/evals/triggers.jsonl':
    '{ "prompt": "ship", "expected_skill": "deploy" }\n\n{ "query": "a poem", "skill": "" }\n',
  'more.json': JSON.stringify({
    queries: [
      { query: 'site', skill: 'deploy' },
      { query: 'ship a site', skill: null },
    ],
  }),
}

describe('agent-apps eval', () => {
  let cwd: string
  beforeAll(() => {
    cwd = makeTree(TREE)
  })

  async function evaluated(...args: string[]) {
    const said = await agentApps(cwd, ['eval', 'skills', '--json', ...args])
    return { ...said, result: said.stdout === '' ? null : JSON.parse(said.stdout) }
  }

  it('reads prompts from where authors keep them, and says what they find', async () => {
    const { result, status } = await evaluated()
    expect(status).toBe(0)
    expect(result).toMatchObject({
      ...{ prompts: 6, first: 5, five: 5, others: { prompts: 2, wrong: 0 } },
      skills: [
        { skill: 'deploy', prompts: 3, first: 2, five: 2 },
        { skill: 'migrate', prompts: 3, first: 3, five: 3 },
      ],
      diagnostics: [{ file: 'skills/deploy/eval_queries.json', rule: 'trigger-missed', line: 1 }],
    })
    const more = await evaluated('more.json')
    expect(more.result).toMatchObject({
      ...{ prompts: 7, five: 6, others: { prompts: 3, wrong: 1 } },
      diagnostics: [{ rule: 'trigger-missed' }, { file: 'more.json', rule: 'trigger-wrong' }],
    })
  })

  it('fails below the rates that it is given, and on what a baseline does not accept', async () => {
    expect((await evaluated('--min-first', '0.8', '--min-five', '0.8')).status).toBe(0)
    expect((await evaluated('--min-first', '0.9')).status).toBe(1)
    expect((await evaluated('--min-five', '0.9')).status).toBe(1)
    expect((await evaluated('--strict')).status).toBe(1)
    expect((await evaluated('--min-five', '90')).status).toBe(2)
    expect((await evaluated('--write-baseline', 'base.json')).status).toBe(0)
    expect((await evaluated('--baseline', 'base.json')).status).toBe(0)
    expect((await evaluated('--baseline', 'base.json', 'more.json')).status).toBe(1)
  })

  it('lists the prompts that do not find their skill first', async () => {
    const { result } = await evaluated('--min-first', '0.9')
    const [missed] = result.notFirst
    expect(result.notFirst).toHaveLength(1)
    expect(missed).toEqual({
      ...{ query: 'roll out', skill: 'deploy', first: null },
      ...{ file: 'skills/deploy/eval_queries.json', line: 1 },
    })
    const args = ['eval', 'skills', '--min-first', '0.9']
    expect((await agentApps(cwd, args)).stdout).toMatch(/first is below 0\.9: --verbose lists the prompts\n$/)
    const verbose = await agentApps(cwd, [...args, '--verbose'])
    expect(verbose.stdout).toContain('"roll out" does not find "deploy" first: nothing is found\n')
  })

  it('reports in the formats of check', async () => {
    const github = await agentApps(cwd, ['eval', 'skills', '--format', 'github'])
    expect(github.stdout).toMatch(
      /^::warning file=skills\/deploy\/eval_queries.json,line=1,col=1,title=trigger-missed::"roll out"/,
    )
    const sarif = JSON.parse((await agentApps(cwd, ['eval', 'skills', '--format', 'sarif'])).stdout)
    expect(sarif.runs[0].results).toMatchObject([{ ruleId: 'trigger-missed', level: 'warning' }])
    expect(sarif.runs[0].tool.driver.rules[0].help.markdown).toContain('does not find')
  })

  it.each(
    oneIn<[entry: string, says: string, note?: string]>(2, [
      [
        '{ "query": "bills", "shouldTrigger": false }',
        'An entry has an unknown key "shouldTrigger"',
        'Did you mean "should_trigger"?',
      ],
      [
        '{ "query": "bills", "should_trigger": "false" }',
        '"should_trigger" must be true or false, not "false"',
      ],
      ['{ "qery": "bills" }', 'An entry has an unknown key "qery"', 'Did you mean "query"?'],
      ['{ "query": " " }', 'The "query" of an entry must be a string with words'],
      ['{ "text": "bills" }', 'An entry has no "query"'],
      ['{ "query": "bills", "skill": ["pay"] }', 'The "skill" of an entry must be a string'],
      ['"bills"', 'An entry must be an object with a "query"'],
      [`${'['.repeat(9)}{ "query": "bills" }${']'.repeat(9)}`, 'An entry is nested too deeply'],
    ]),
  )(
    'reports %s and does not count it',
    async (entry, reason, note = 'Correct it: node_modules/agent-apps/docs/eval.md') => {
      const right = '{ "query": "pay", "query_id": 3 }'
      const tree = {
        'skills/pay/SKILL.md': skill('pay', 'Pays.'),
        'skills/pay/evals/triggers.json': `[\n  ${right},\n  ${entry}\n]`,
        'skills/pay/evals/triggers.jsonl': `${right}\n\n${entry}\n`,
        'skills/pay/evals/triggers.yaml': `- ${right}\n\n- ${entry}\n`,
      }
      const { stdout } = await agentApps(makeTree(tree), ['eval', 'skills', '--json'])
      const told = { rule: 'trigger-unreadable', line: 3, reason, note: expect.stringContaining(note) }
      expect(JSON.parse(stdout)).toMatchObject({ prompts: 3, first: 3, diagnostics: [told, told, told] })
    },
  )

  it('reports what is wrong in lists of prompts, and entries for no skill', async () => {
    const tree = {
      'skills/pay/SKILL.md': skill('pay', 'Pays.'),
      'skills/pay/evals/triggers.yaml':
        'should_trigger_prompts:\n  - pay\n  - prompt: 3\nshould_not_triger_prompts: [walk]\n',
      'skills/evals/triggers.json': '[{ "query": "pay" }]',
    }
    const { stdout } = await agentApps(makeTree(tree), ['eval', 'skills', '--json'])
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ prompts: 1, others: { prompts: 0 } },
      diagnostics: [
        { line: 4, note: 'Did you mean "should_not_trigger_prompts"?' },
        { line: 3, reason: 'A prompt of "should_trigger_prompts" must be a string with words' },
        { line: 1, reason: 'An entry has no "skill", and is in the folder of none' },
      ],
    })
  })

  it('reads each file once, and a file that is named in the folder of a skill for that skill', async () => {
    const cwd = makeTree({
      'skills/pay/SKILL.md': skill('pay', 'Pays.'),
      'skills/pay/evals/trigger_queries.json': '[{ "query": "pay" }]',
      'skills/pay/evals/more.json': '[{ "query": "pays" }]',
      'eval_queries.json': '[{ "query": "pay it", "skill": "pay" }]',
    })
    const prompts = async (...args: string[]) => {
      const { stdout } = await agentApps(cwd, ['eval', '--json', ...args])
      return JSON.parse(stdout)
    }
    const own = 'skills/pay/evals/trigger_queries.json'
    expect(await prompts('.', 'eval_queries.json', own)).toMatchObject({ prompts: 2, diagnostics: [] })
    expect(await prompts('skills', 'skills/pay/evals/more.json')).toMatchObject({ prompts: 2, first: 2 })
  })

  it.each(
    oneIn(2, [
      ['triggers.json', '[{ "query": "x" } hunter2]', 2, 19, 'its JSON is malformed, invalid symbol'],
      ['triggers.yaml', 'a: hunter2\n  b: hunter2', 2, 4, 'its YAML is malformed, block as implicit key'],
      ['triggers.yaml', '- &a [pay]\n- [*a, *a]', 3, 4, 'its YAML has an alias, which is not read'],
      ['triggers.yaml', 'skill: pay\nskill: hunter2', 3, 1, 'its YAML repeats a key'],
      ['triggers.json', `[{ "query": "${'x'.repeat(2 ** 20)}" }]`, 1, 1, 'it is larger than 1 MiB'],
      ['triggers.json', '['.repeat(1e5) + ']'.repeat(1e5), 1, 1, 'it is nested too deeply'],
    ]),
  )('reports where %s is wrong, without its text', async (name, text, line, column, why) => {
    const cwd = makeTree({
      'skills/pay/SKILL.md': skill('pay', 'Pays.'),
      [`skills/pay/${name}`]: `\n${text}`,
    })
    const { stdout } = await agentApps(cwd, ['eval', 'skills', '--json'])
    expect(stdout).not.toContain('hunter2')
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { rule: 'trigger-unreadable', line, column, reason: `The file has no cases: ${why}` },
    ])
  })

  it('reads the other lines of JSON Lines, and the prompts of a project without a configuration', async () => {
    const cwd = makeTree({
      'skills/pay/SKILL.md': skill('pay', 'Pays bills.'),
      'skills/triggers.jsonl': '{ "query": "bills", "skill": "pay" }\n{ "query": hunter2 }\n',
    })
    const { stdout } = await agentApps(cwd, ['eval', '--json'])
    expect(stdout).not.toContain('hunter2')
    expect(JSON.parse(stdout)).toMatchObject({ prompts: 1, first: 1 })
    expect(JSON.parse(stdout).diagnostics).toMatchObject([
      { line: 2, column: 12, reason: 'The line is not an entry: its JSON is malformed, invalid symbol' },
    ])
  })

  it('reports a hundred faults of a file, and how many more there are', async () => {
    const cwd = makeTree({
      'skills/pay/SKILL.md': skill('pay', 'Pays bills.'),
      'skills/pay/triggers.json': `[${'1, '.repeat(10_000)}1]`,
      'skills/pay/triggers.yaml': '['.repeat(200_000),
    })
    const { diagnostics } = JSON.parse((await agentApps(cwd, ['eval', '--json'])).stdout)
    expect(diagnostics).toHaveLength(102)
    expect(diagnostics.slice(100)).toMatchObject([
      { reason: '9901 more entries of this file cannot be read' },
      { reason: 'The file has no cases: its YAML is longer than 128 KiB' },
    ])
  })

  it.skipIf(process.platform === 'win32')(
    'reads neither pipes, nor devices, nor what links lead to elsewhere',
    async () => {
      const cwd = makeTree({
        'elsewhere/trigger.json': '[{ "query": "secret" }]',
        'skills/a/SKILL.md': skill('a', 'Pays.'),
        'skills/a/evals': 'No folder.',
        'skills/b/SKILL.md': skill('b', 'Pays.'),
        'skills/c/SKILL.md': skill('c', 'Pays.'),
        'skills/shared.json': '[{ "query": "pays" }]',
      })
      execFileSync('mkfifo', [join(cwd, 'skills/b/trigger-a.json')])
      symlinkSync('/dev/zero', join(cwd, 'skills/b/trigger-b.json'))
      symlinkSync('../../elsewhere/trigger.json', join(cwd, 'skills/b/trigger-c.json'))
      symlinkSync('../shared.json', join(cwd, 'skills/b/trigger-d.json'))
      symlinkSync('../../elsewhere', join(cwd, 'skills/c/evals'))
      const { stdout } = await agentApps(cwd, ['eval', 'skills', '--json'])
      const outside = 'it is a link out of the skill and of the path entries'
      expect(JSON.parse(stdout)).toMatchObject({
        prompts: 1,
        diagnostics: [
          { file: 'skills/a/evals', reason: 'The folder cannot be read: it is not a folder' },
          { file: 'skills/c/evals', reason: `The folder cannot be read: ${outside}` },
          { file: 'skills/b/trigger-a.json', reason: 'The file has no cases: it is not a regular file' },
          { file: 'skills/b/trigger-b.json', reason: `The file has no cases: ${outside}` },
          { file: 'skills/b/trigger-c.json', reason: `The file has no cases: ${outside}` },
        ],
      })
    },
  )

  it('says that a path does not exist', async () => {
    const { status, stderr } = await agentApps(cwd, ['eval', 'skills', 'nosuch.json'])
    expect(status).toBe(2)
    expect(stderr).toContain('The path "nosuch.json" does not exist.')
  })

  it('says that there are no prompts', async () => {
    const none = await agentApps(makeTree({ 'skills/a/SKILL.md': skill('a', 'A.') }), ['eval', 'skills'])
    expect(none).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('docs/eval.md') })
  })

  it('prints what docs/eval.md shows', async () => {
    const page = readFileSync(join(ROOT, 'docs/eval.md'), 'utf8')
    const files = [...page.matchAll(/^```\w+ (skills\/\S+)\n([\s\S]*?)^```$/gm)]
    const tree = Object.fromEntries(files.map(([, path = '', text = '']) => [path, text]))
    const shown = /^ {4}\$ npx agent-apps eval\n((?: {4}.*\n)+)/m.exec(page)?.[1] ?? ''
    const { stdout } = await agentApps(makeTree({ 'package.json': '{}', ...tree }), ['eval', 'skills'])
    expect(stdout).toBe(shown.replace(/^ {4}/gm, ''))
  })
})
