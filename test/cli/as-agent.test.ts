import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree, skill, type Tree } from '../support/tree.js'
import { codeTool, PROJECT, projectWith, ran } from '../support/trust-project.js'

/** A project in a folder of the user's home, with what the user allows. */
function homeWith(tree: Tree = {}): string {
  return projectWith({
    'home/.config/agent-apps/config.json': JSON.stringify({ policy: { permissions: ['read', 'write'] } }),
    'skills/save.skill.ts': codeTool('save', "{ permissions: { required: ['write'] } }"),
    'skills/gated/SKILL.md': skill('gated', 'Do it.\n', 'metadata: { gated: true }\n'),
    ...tree,
  })
}

/** Runs a command in a project, whose user lives elsewhere. */
const command = (project: string, home: string, args: string[], answer: string | null = null) =>
  agentApps(project, args, {
    env: { HOME: home, XDG_STATE_HOME: '', XDG_CONFIG_HOME: '' },
    isTTY: answer !== null,
    answer,
  })

describe('agent-apps run --as-agent', () => {
  it('asks at the terminal, and remembers for the project until it changes', async () => {
    const project = projectWith({ 'skills/save.skill.ts': codeTool('save') })
    const home = join(homeWith(), 'home')
    const first = await command(project, home, ['run', 'build', '--as-agent'], 'p')
    expect(first.stderr).toContain(`Do you trust ${project}?`)
    expect(first.stderr).toContain('skills/build.skill.ts')
    expect(first).toMatchObject({ status: 0, stdout: 'build ran\n' })
    const second = await command(project, home, ['run', 'build', '--as-agent'])
    expect(second).toMatchObject({ status: 0, stdout: 'build ran\n' })
    const listed = await command(project, home, ['trust', '--json'])
    expect(JSON.parse(listed.stdout)).toMatchObject([{ root: project }])
    writeFileSync(join(project, 'skills/build.skill.ts'), codeTool('build', '{}', "() => 'another'"))
    expect(await command(project, home, ['run', 'build', '--as-agent'])).toMatchObject({ status: 1 })
    expect((await command(project, home, ['run', 'build', '--as-agent'], 'o')).stdout).toBe('another\n')
    expect((await command(project, home, ['trust', '--revoke'])).stdout).toContain('no longer trusted')
    expect((await command(project, home, ['trust'])).stderr).toContain('No project is trusted.')
    expect(await command(project, home, ['trust', '--revoke'])).toMatchObject({ status: 2 })
    expect(await command(project, home, ['run', 'build', '--as-agent'], 'd')).toMatchObject({ status: 1 })
  })

  it('asks about skills that lie in no known place, too', async () => {
    const project = makeTree({
      'package.json': '{}\n',
      '.cursor/skills/own/SKILL.md': skill('own'),
      'stuff/other/SKILL.md': skill('other', 'x', 'metadata: { delegate: ./run.ts }\n'),
      'stuff/other/run.ts': codeTool('other'),
    })
    const home = join(homeWith(), 'home')
    ran()
    expect(await command(project, home, ['run', 'other', '--as-agent'])).toMatchObject({ status: 1 })
    expect(ran()).toEqual([])
    expect((await command(project, home, ['run', 'other', '--as-agent'], 'o')).stdout).toBe('other ran\n')
  })

  it('shows what the call would do, what an answer leaves open, and what is not seen', async () => {
    const tool = `import { defineTool } from 'agent-apps'
export default defineTool({
  ...{ name: 'shell', description: 'Runs.', gated: true, params: { type: 'object' } },
  metadata: { 'approval-key': '\${args.command}' },
  preview: ({ command }) => '$ ' + command + '\\nfor good',
  execute: () => 'ran',
})
`
    const project = homeWith({ 'skills/shell.skill.ts': tool })
    const args = { command: 'ls\u200b \u{e0041}\u202e', env: 'A' }
    const asked = await command(
      project,
      join(homeWith(), 'home'),
      ['run', 'shell', '--as-agent', '--trust', '--args', JSON.stringify(args)],
      'd',
    )
    expect(asked.stderr).toContain('\n  command: ls\\u200b \\u{e0041}\\u202e\n  env: A\n')
    expect(asked.stderr).toContain('  | $ ls\\u200b \\u{e0041}\\u202e\n  | for good\n')
    expect(asked.stderr).toContain('any value of env.')
  })

  it('asks about a call that needs approval, and says what to do where nobody can answer', async () => {
    const project = homeWith()
    const home = join(homeWith(), 'home')
    const asked = await command(project, home, ['run', 'gated', '--as-agent'], 's')
    expect(asked.stderr).toContain('gated (project) needs approval, as it is gated.\n')
    expect(asked.status).toBe(0)
    const none = await command(project, home, ['run', 'gated', '--as-agent'])
    expect(none.status).toBe(1)
    expect(none.stderr).toContain('Run it in a terminal')
    const odd = await command(project, home, ['run', 'gated', '--as-agent'], 'x')
    expect(odd).toMatchObject({ status: 1 })
    expect(odd.stderr).toContain('Answer o, s, p or d.')
  })

  it('trusts a project that --trust vouches for, and grants what the user’s own configuration grants', async () => {
    const project = homeWith()
    const home = join(homeWith(), 'home')
    ran()
    const refused = await command(project, home, ['run', 'save', '--as-agent'])
    expect(refused).toMatchObject({ status: 1 })
    expect(refused.stderr).toContain('which is not trusted')
    expect(refused.stderr).toContain('add --trust if the project is yours')
    expect(ran()).toEqual([])
    const trusted = await command(project, home, ['run', 'save', '--as-agent', '--trust'], 'o')
    expect(trusted).toMatchObject({ status: 0, stdout: 'save ran\n' })
    const poor = await command(project, join(project, 'skills'), ['run', 'save', '--as-agent', '--trust'])
    expect(poor.stderr).toContain('PERMISSION_MISSING')
    expect(poor.stderr).toContain('`permissions` of `policy` in ~/.config/agent-apps/config.json')
  })

  it('is as the agent that --agent names', async () => {
    const agents = [{ id: 'reader', tools: { deny: 'save' }, permissions: ['write'] }]
    const config = JSON.stringify({ paths: ['skills'], agents })
    const project = homeWith({ 'agent-apps.config.json': config })
    const home = join(homeWith(), 'home')
    const args = ['save', '--agent', 'reader', '--trust']
    expect((await command(project, home, ['run', '--as-agent', ...args])).stderr).toContain('TOOL_DENIED')
    const said = await command(project, home, ['explain', '--call', '{}', '--json', ...args])
    expect(JSON.parse(said.stdout)).toMatchObject({ decision: 'deny', step: 3, rule: 'save' })
    const unknown = await command(project, home, ['run', 'build', '--as-agent', '--agent', 'nobody'])
    expect(unknown.stderr).toContain('AGENT_UNKNOWN')
    expect((await command(project, home, ['run', 'build', '--agent', 'reader'])).status).toBe(2)
    expect((await command(project, home, ['explain', 'build', '--trust'])).status).toBe(2)
  })
})

it('agent-apps explain --call says what a project that is not trusted lacks', async () => {
  const project = projectWith(PROJECT)
  const home = join(homeWith(), 'home')
  ran()
  const said = await command(project, home, ['explain', 'build', '--call', '{}', '--json'])
  expect(JSON.parse(said.stdout)).toMatchObject({ decision: 'deny', step: 1 })
  expect(ran()).toEqual([])
  const trusted = await command(project, home, ['explain', 'build', '--call', '{}', '--trust'])
  expect(trusted).toMatchObject({ status: 0 })
})
