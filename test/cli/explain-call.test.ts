import { expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { makeTree } from '../support/tree.js'

const TREE = {
  'skills/SKILL.md': `---
name: rules
description: Decides.
metadata:
  role: main
  trust: { rules: "look(path=secret,$deny) look($policy=allow)" }
---
`,
  'skills/look.skill.md': `---
name: look
description: Looks.
metadata:
  params: { type: object, properties: { path: { type: string } } }
---
Look.
`,
  'skills/save.skill.md': `---
name: save
description: Saves.
metadata:
  gated: true
---
Save.
`,
}

const explained = (...args: string[]) => agentApps(makeTree(TREE), ['explain', '--path', 'skills', ...args])

it('prints what each step says of a call, with the file and line', async () => {
  const { status, stdout } = await explained('look', '--call', '{"path":"secret"}')
  expect(stdout).toBe(`look: deny
  1 goes on: agents may know of the tool
  2 goes on: no \`allowed-tools\` leaves it out
  3 goes on: no list \`allow\` leaves it out, and no list \`deny\` has it
  4 goes on: it has the permissions that it requires
  5 deny: the rule "look(path=secret,$deny)" of "rules" denies it  skills/SKILL.md:6
`)
  expect(status).toBe(1)
})

it('says what is allowed and what is asked about', async () => {
  const allowed = await explained('look', '--call', '{"path":"a"}', '--json')
  expect([allowed.status, JSON.parse(allowed.stdout)]).toMatchObject([0, { decision: 'allow', step: 5 }])
  const asked = await explained('save', '--call', '{}')
  expect(asked.stdout).toContain('  6 ask: it is gated  skills/save.skill.md:5\n')
  expect(asked.status).toBe(0)
  expect((await explained('save', '--call', '{')).stderr).toContain('--call is not JSON')
  expect((await explained('nothing', '--call', '{}')).status).toBe(1)
})

it('runs the code that says what a call is known by and what it would do, and nothing else', async () => {
  const root = makeTree({
    'skills/bash.skill.ts': `import { defineTool } from 'agent-apps'
export default defineTool({
  name: 'bash',
  description: 'Runs a command.',
  params: { type: 'object', properties: { command: { type: 'string' } }, required: ['command'] },
  permissions: { required: ['execute'] },
  deriveApprovalKey: ({ command }) => String(command).trim(),
  preview: ({ command }) => '$ ' + command,
  execute: () => { throw new Error('it ran') },
})
`,
  })
  const policy = JSON.stringify({ policy: { permissions: ['execute'] } })
  const home = makeTree({ '.config/agent-apps/config.json': policy })
  const options = { env: { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' } }
  const args = ['bash', '--path', 'skills', '--json', '--call', '{"command":" ls "}']
  const { status, stdout } = await agentApps(root, ['explain', ...args], options)
  expect(JSON.parse(stdout)).toMatchObject({ decision: 'ask', request: { key: 'ls', preview: '$  ls ' } })
  expect(status).toBe(0)
  const person = { ...options, isTTY: true, answer: 'd' }
  const asked = await agentApps(
    root,
    ['run', ...args.slice(0, 3), '--as-agent', '--arg', 'command=ls'],
    person,
  )
  expect(asked.stderr).toContain(
    'bash (project) needs approval, as it is granted execute.\nKey: ls\n  command: ls\nPreview:\n  | $ ls\n',
  )
})

it('says of a call that cannot work why', async () => {
  const root = makeTree({ 'ws/a.txt': 'one\n' })
  const policy = JSON.stringify({ policy: { permissions: ['read', 'write'] } })
  const home = makeTree({ '.config/agent-apps/config.json': policy })
  const args = JSON.stringify({ path: 'a.txt', content: 'two\n' })
  const { status, stdout } = await agentApps(
    root,
    ['explain', 'write', '--workspace', 'ws', '--call', args],
    {
      env: { HOME: home, XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' },
    },
  )
  expect(stdout).toContain('write: deny\n')
  expect(stdout).toContain('  6 ask: it is granted write')
  expect(stdout).toContain('  deny: a.txt exists, and was not read in this session\n')
  expect(status).toBe(1)
})

it('says what a person at the command can do', async () => {
  const root = makeTree(TREE)
  const said = async (...args: string[]) => (await agentApps(root, args)).stderr
  const file = '~/.config/agent-apps/config.json'
  expect(await said('explain', 'look', '--path', 'skills', '--call', '{}', '--agent', 'nobody')).toContain(
    `Name one of \`agents\` in ${file}`,
  )
  expect(await said('explain', 'look', '--path', 'skills', '--call', '{')).toContain(
    'Write --call \'{"key": "value"}\'',
  )
  expect(await said('run', 'save', '--path', 'skills', '--as-agent')).toContain('Run it in a terminal')
})
