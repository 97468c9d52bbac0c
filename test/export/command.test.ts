import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { EXPORT_PROJECT } from '../support/export-project.js'
import { makeTree, skill, snapshot } from '../support/tree.js'

it('says what was exported, what was left out, and why', { tags: 'long' }, async () => {
  const cwd = makeTree(EXPORT_PROJECT)
  const { status, stdout, stderr } = await agentApps(cwd, ['export', '--skills', 'out'])
  expect(stdout).toBe('')
  expect(stderr).toBe(
    'left out: word-count runs code, which only a plugin can\n' +
      'note: review is exported without `argument-hint`\n' +
      'exported 3 skills to out · 6 files written, 0 removed\n',
  )
  expect(status).toBe(0)
  const again = await agentApps(cwd, ['export', '--skills', 'out', '--quiet'])
  expect(again).toEqual({ status: 0, stdout: '', stderr: '' })
  const plugin = await agentApps(cwd, ['export', '--plugin', 'kit', '--name', 'office', '--verbose'])
  expect(plugin.stdout).toContain('wrote .claude-plugin/plugin.json\n')
  expect(plugin.stderr).toContain('exported 3 skills and 1 tool to kit · 10 files written, 0 removed\n')
  expect(readFileSync(join(cwd, 'kit/.claude-plugin/plugin.json'), 'utf8')).toContain('"name": "office"')
})

it('a dry run lists what would be written', async () => {
  const cwd = makeTree(EXPORT_PROJECT)
  const before = snapshot(cwd)
  const args = ['export', '--well-known', 'public/.well-known/agent-skills', '--dry-run', '--pattern', 'pdf']
  const { status, stdout, stderr } = await agentApps(cwd, args)
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: 'would write index.json\nwould write pdf/SKILL.md\n',
  })
  expect(stderr).toBe(
    'would export 1 skill to public/.well-known/agent-skills · 2 files to write, 0 to remove\n',
  )
  expect(snapshot(cwd)).toEqual(before)
})

it('says in one line what it has to say of many', async () => {
  const hidden = 'metadata: { visibility: hidden }\n'
  const names = ['a1', 'a2', 'a3', 'a4', 'a5']
  const skills = names.map(name => [`skills/${name}/SKILL.md`, skill(name, 'x\n', hidden)])
  const cwd = makeTree({ ...EXPORT_PROJECT, ...Object.fromEntries(skills) })
  const args = ['export', '--skills', 'out', '--dry-run']
  const brief = await agentApps(cwd, args)
  expect(brief.stderr).toContain('left out: a1, a2, a3 and 2 more: each is hidden from models\n')
  expect(brief.stderr).not.toContain('a4')
  const verbose = await agentApps(cwd, [...args, '--verbose'])
  for (const name of names) expect(verbose.stderr).toContain(`left out: ${name} is hidden from models\n`)
})

it('prints JSON', async () => {
  const cwd = makeTree(EXPORT_PROJECT)
  const { stdout } = await agentApps(cwd, ['export', '--skills', 'out', '--json'])
  expect(JSON.parse(stdout)).toEqual({
    dir: 'out',
    skills: [
      { name: 'lint', tool: 'lint', files: 1 },
      { name: 'pdf', tool: 'pdf', files: 1 },
      { name: 'review', tool: 'review', files: 4 },
    ],
    tools: [],
    leftOut: [{ tool: 'word-count', reason: 'runs code, which only a plugin can' }],
    remarks: [{ tool: 'review', message: 'is exported without `argument-hint`' }],
    diagnostics: [],
    written: [
      'lint/SKILL.md',
      'pdf/SKILL.md',
      'review/SKILL.md',
      'review/logo.png',
      'review/references/naïve names.md',
      'review/scripts/run.sh',
    ],
    removed: [],
    dryRun: false,
  })
})

it.each([
  [[], 'Choose one target.'],
  [['--skills', 'a', '--plugin', 'b'], 'Choose only one target.'],
  [['--skills', ''], '--skills needs a folder.'],
  [['--skills', 'a', '--name', 'kit'], 'Only a plugin has a name.'],
])('export %j is wrong usage', async (args, message) => {
  const cwd = makeTree(EXPORT_PROJECT)
  const { status, stderr } = await agentApps(cwd, ['export', ...args])
  expect(stderr).toContain(message)
  expect(status).toBe(2)
})

it('fails where a skill is broken, and exports the others', async () => {
  const cwd = makeTree({
    ...EXPORT_PROJECT,
    'skills/broken/SKILL.md': '---\nname: broken\ndescription: [a\n---\n',
  })
  const { status, stderr } = await agentApps(cwd, ['export', '--skills', 'out'])
  expect(stderr).toMatch(/skills\/broken\/SKILL\.md:\d+:\d+ error /)
  expect(stderr).toContain('exported 3 skills to out')
  expect(status).toBe(1)
  const looping = makeTree({
    'loop/SKILL.md': skill('loop', ':include[SKILL.md]\n'),
    'ok/SKILL.md': skill('ok'),
  })
  const looped = await agentApps(looping, ['export', '--skills', 'out', '--path', '.'])
  expect(looped.stderr).toContain('EXPORT_PLACE')
  const elsewhere = await agentApps(looping, ['export', '--skills', '.out', '--path', '.'])
  expect(elsewhere.stderr).toMatch(/left out: loop cannot be exported: /)
  expect(elsewhere.status).toBe(1)
})
