import { join } from 'node:path'
import { createRuntime, type PathEntry } from 'agent-apps'
import { afterEach, expect, it, vi } from 'vitest'
import { agentApps } from '../support/commands.js'
import { temporary } from '../support/temporary.js'
import { writeTree } from '../support/tree.js'
import { code, codeTool, projectWith, ran } from '../support/trust-project.js'

afterEach(() => {
  vi.unstubAllEnvs()
  ran()
})

const invoke = (cwd: string, paths: PathEntry[], answer: 'allow-project' | 'deny'): Promise<unknown> => {
  const policy = { approval: { remember: 'project' as const } }
  return code(
    createRuntime({ cwd, paths, policy, interact: () => answer })
      .forAgent()
      .invoke('build'),
  )
}
const roots = async (cwd: string): Promise<string[]> =>
  (JSON.parse((await agentApps(cwd, ['trust', '--json'])).stdout) as { root: string }[]).map(
    ({ root }) => root,
  )

it('trust lists and revokes what was trusted by a path entry, of the project or elsewhere', async () => {
  vi.stubEnv('XDG_STATE_HOME', temporary())
  const [cwd, other] = [projectWith({}), temporary()]
  writeTree(other, { 'build.skill.ts': codeTool('build') })
  const inside: PathEntry[] = [{ dir: 'skills', trust: 'ask' }]
  const outside: PathEntry[] = [{ dir: other, trust: 'ask' }]
  for (const paths of [inside, outside]) expect(await invoke(cwd, paths, 'allow-project')).toBe('build ran')
  expect(await roots(cwd)).toEqual([join(cwd, 'skills'), other])

  const revoked = await agentApps(cwd, ['trust', '--revoke'])
  expect(revoked.stdout).toMatch(/^no longer trusted: \S*skills {2}/)
  expect(await roots(cwd)).toEqual([other])
  expect(await invoke(cwd, inside, 'deny')).toBe('TOOL_NOT_FOUND')
  expect(await invoke(cwd, outside, 'deny')).toBe('build ran')
  const again = await agentApps(cwd, ['trust', '--revoke'])
  expect([again.status, again.stderr]).toEqual([2, expect.stringContaining('is not trusted')])

  expect((await agentApps(cwd, ['trust', '--revoke', '--cwd', other])).stdout).toContain(
    'no longer trusted: ',
  )
  expect(await roots(cwd)).toEqual([])
  expect(await invoke(cwd, outside, 'deny')).toBe('TOOL_NOT_FOUND')
})
