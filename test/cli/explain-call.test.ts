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
