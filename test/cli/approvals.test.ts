import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { afterEach, expect, it, vi } from 'vitest'
import { agentApps } from '../support/commands.js'
import { temporary } from '../support/temporary.js'
import { makeTree } from '../support/tree.js'

afterEach(() => {
  vi.unstubAllEnvs()
})

it('approvals shows what was approved for the project, and revokes it', async () => {
  vi.stubEnv('XDG_STATE_HOME', temporary())
  const cwd = makeTree({
    'skills/deploy.skill.md':
      '---\nname: deploy\ndescription: Deploys.\nmetadata: { gated: true, params: { type: object } }\n---\nGo.\n',
  })
  const policy = { approval: { remember: 'project' as const } }
  const runtime = createRuntime({ cwd, paths: ['skills'], policy, interact: () => 'allow-project' })
  await runtime.forAgent({ agentId: 'a' }).invoke('deploy', { to: 'x\u202ey', token: 'abc' })
  await runtime.forAgent({ userId: 'u' }).invoke('deploy')

  const listed = JSON.parse((await agentApps(cwd, ['approvals', '--json'])).stdout)
  expect(listed).toMatchObject([
    { tool: 'deploy', key: '{"to":"x\\u202ey","token":"[secret]"}', agentId: 'a' },
    { tool: 'deploy', key: '{}', userId: 'u' },
  ])
  const [first] = listed
  const shown = await agentApps(cwd, ['approvals'])
  expect(shown.stdout).toMatch(new RegExp(`^${first.id}  deploy  \\{"to":"x\\\\u202ey".*  agent a, since 20`))
  expect(shown.stderr).toContain('2 approvals')

  expect((await agentApps(cwd, ['approvals', '--revoke', first.id])).stdout).toContain(`revoked: ${first.id}`)
  expect(JSON.parse((await agentApps(cwd, ['approvals', '--json'])).stdout)).toHaveLength(1)
  const again = await agentApps(cwd, ['approvals', '--revoke', first.id])
  expect([again.status, again.stderr]).toEqual([
    2,
    expect.stringContaining('No approval of this project has the id'),
  ])
  expect((await agentApps(join(cwd, 'skills'), ['approvals'])).stderr).toContain('No call was approved')
})
