import fs, {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type ApprovalRequest, createRuntime, type Runtime } from 'agent-apps'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answering, asking, code } from '../support/asking.js'
import { runtimeWith } from '../support/registered-runtime.js'
import { temporary } from '../support/temporary.js'
import { writeTree } from '../support/tree.js'
import { withSpies } from '../support/with-spies.js'

const SKILL = `---
name: deploy
description: Deploys.
metadata: { gated: true, params: { type: object } }
---
Deploy it.
`
const ids = { sessionId: 's', userId: 'u', agentId: 'a' }

let cwd = ''
let state = ''

beforeEach(() => {
  cwd = temporary()
  writeTree(cwd, { 'skills/deploy.skill.md': SKILL })
  state = join(temporary(), 'state')
  vi.stubEnv('XDG_STATE_HOME', state)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

function opened(
  answers: unknown[],
  remember: 'session' | 'project' = 'project',
  from = cwd,
): { runtime: Runtime; requests: ApprovalRequest[] } {
  const { interact, requests } = answering(answers)
  const paths = [join(cwd, 'skills')]
  return {
    runtime: createRuntime({ cwd: from, paths, interact, policy: { approval: { remember } } }),
    requests,
  }
}

const file = (): string => join(state, 'agent-apps/approvals.jsonl')

describe('an approval for the session', () => {
  it('ends with the session, and so does that of one call', async () => {
    const { runtime, requests } = asking({ gated: { gated: true } }, Array(9).fill('allow-session'))
    const agent = runtime.forAgent(ids)
    await agent.invoke('gated')
    await agent.invoke('gated')
    expect(requests).toHaveLength(1)
    await runtime.endSession('other')
    await agent.invoke('gated')
    expect(requests).toHaveLength(1)
    await runtime.endSession('s')
    await agent.invoke('gated')
    expect(requests).toHaveLength(2)
    const once = asking({ gated: { gated: true } }, ['allow-once', 'allow-once'])
    await once.runtime.forAgent(ids).invoke('gated', {}, { callId: '1' })
    await once.runtime.endSession('s')
    await once.runtime.forAgent(ids).invoke('gated', {}, { callId: '1' })
    expect(once.requests).toHaveLength(2)
  })

  it('does not begin where the session ends before the answer comes', async () => {
    let answer: (said: 'allow-session' | 'deny') => void = () => {}
    const interact = (): Promise<'allow-session' | 'deny'> =>
      new Promise(resolve => {
        answer = resolve
      })
    const runtime = runtimeWith({ deploy: { gated: true } }, { interact })
    const call = async (said: 'allow-session' | 'deny', isEnded: boolean): Promise<unknown> => {
      const called = code(runtime.forAgent({ sessionId: 's' }).invoke('deploy'))
      await new Promise(resolve => setTimeout(resolve, 50))
      if (isEnded) await runtime.endSession('s')
      answer(said)
      return called
    }
    expect(await call('allow-session', true)).toBe('deploy ran')
    expect(await call('deny', false)).toBe('APPROVAL_DENIED')
  })

  it('is listed, and can be revoked by the agent that it was given to alone', async () => {
    const { runtime, requests } = asking({ gated: { gated: true } }, Array(9).fill('allow-session'))
    const agent = runtime.forAgent(ids)
    expect(await agent.approvals.list()).toEqual([])
    await agent.invoke('gated', { a: 1 })
    const [approval] = await agent.approvals.list()
    expect(approval).toEqual({
      ...{ id: expect.any(String), scope: 'session', tool: 'gated', key: '{"a":1}' },
      ...{ digest: requests[0]?.digest, time: expect.any(Number), userId: 'u', agentId: 'a' },
    })
    for (const other of [{ userId: 'v' }, { sessionId: 't' }, { agentId: 'b' }]) {
      const foreign = runtime.forAgent({ ...ids, ...other })
      expect(await foreign.approvals.list()).toEqual([])
      expect(await foreign.approvals.revoke(approval?.id ?? '')).toBe(false)
    }
    expect(await agent.approvals.revoke(approval?.id ?? '')).toBe(true)
    expect(await agent.approvals.revoke(approval?.id ?? '')).toBe(false)
    await agent.invoke('gated', { a: 1 })
    expect(requests).toHaveLength(2)
  })
})

describe('an approval for the project', () => {
  it('is kept in the user’s own file, without the key itself, and holds in other sessions and processes', async () => {
    const first = opened(['allow-project'])
    await first.runtime.forAgent(ids).invoke('deploy', { password: 'hunter2' })
    const second = opened(['deny'])
    await second.runtime.forAgent({ ...ids, sessionId: 't' }).invoke('deploy', { password: 'hunter2' })
    expect(second.requests).toEqual([])
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect(statSync(join(state, 'agent-apps')).mode & 0o777).toBe(0o700)
    const text = readFileSync(file(), 'utf8')
    expect(text).not.toContain('hunter2')
    expect(text.split('\n')).toHaveLength(2)
    expect(JSON.parse(text)).toMatchObject({
      ...{ scope: 'project', tool: 'deploy', key: '{"password":"[secret]"}', project: cwd },
      ...{ digest: first.requests[0]?.digest, keyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
  })

  it('is for this user, agent, project, key and digest', async () => {
    await opened(['allow-project']).runtime.forAgent(ids).invoke('deploy')
    const asked = async (more: object, args = {}, from = cwd): Promise<boolean> => {
      const { runtime, requests } = opened(['deny'], 'project', from)
      await code(runtime.forAgent({ ...ids, ...more }).invoke('deploy', args))
      return requests.length > 0
    }
    expect(await asked({})).toBe(false)
    expect(await asked({ userId: 'v' })).toBe(true)
    expect(await asked({ userId: undefined })).toBe(true)
    expect(await asked({ agentId: 'b' })).toBe(true)
    expect(await asked({}, { a: 1 })).toBe(true)
    expect(await asked({}, {}, temporary())).toBe(true)
    writeFileSync(join(cwd, 'skills/deploy.skill.md'), `${SKILL}Edited.\n`)
    expect(await asked({})).toBe(true)
  })

  it('counts as one for the session unless the policy remembers it for the project', async () => {
    const { runtime, requests } = opened(['allow-project'], 'session')
    const agent = runtime.forAgent(ids)
    await agent.invoke('deploy')
    await agent.invoke('deploy')
    expect(requests).toHaveLength(1)
    expect(await agent.approvals.list()).toMatchObject([{ scope: 'session' }])
    expect(existsSync(file())).toBe(false)
    // And what was remembered once does not count then either.
    await opened(['allow-project']).runtime.forAgent(ids).invoke('deploy')
    expect(await code(opened(['deny'], 'session').runtime.forAgent(ids).invoke('deploy'))).toBe(
      'APPROVAL_DENIED',
    )
  })

  it('counts as one for the session for a registered function', async () => {
    const approval = { remember: 'project' as const }
    const { runtime } = asking({ gated: { gated: true } }, ['allow-project'], { policy: { approval } })
    const agent = runtime.forAgent(ids)
    await agent.invoke('gated')
    expect(await agent.approvals.list()).toMatchObject([{ scope: 'session' }])
  })

  it.each([
    ['in the project', () => join(cwd, '.state')],
    ['linked from outside into the project', () => join(linkInto(cwd), 'state')],
    ['where it cannot be made', () => makeFile()],
  ])('counts as one for the session with the state directory %s', async (_, place) => {
    vi.stubEnv('XDG_STATE_HOME', place())
    const { runtime, requests } = opened(['allow-project'])
    const agent = runtime.forAgent(ids)
    await agent.invoke('deploy')
    await agent.invoke('deploy')
    expect(requests).toHaveLength(1)
    expect(await agent.approvals.list()).toMatchObject([{ scope: 'session' }])
    expect(existsSync(join(cwd, '.state'))).toBe(false)
  })

  it('is listed and revoked by a line that is added', async () => {
    await opened(['allow-project']).runtime.forAgent(ids).invoke('deploy')
    const { runtime } = opened([])
    const agent = runtime.forAgent(ids)
    const [approval] = await agent.approvals.list()
    expect(approval).toMatchObject({ scope: 'project', tool: 'deploy', key: '{}' })
    expect(await runtime.forAgent().approvals.list()).toEqual([])
    expect(await runtime.forAgent().approvals.revoke(approval?.id ?? '')).toBe(false)
    expect(await agent.approvals.revoke(approval?.id ?? '')).toBe(true)
    expect(await agent.approvals.list()).toEqual([])
    expect(await code(agent.invoke('deploy'))).toBe('APPROVAL_UNAVAILABLE')
    expect(readFileSync(file(), 'utf8').trim().split('\n')).toHaveLength(2)
  })

  it('is kept on a line of its own after one that was torn, and so is its end', async () => {
    for (const torn of ['{"id":"x","scope":"pro', '{', '{}']) {
      vi.stubEnv('XDG_STATE_HOME', join(temporary(), 'state'))
      state = process.env.XDG_STATE_HOME ?? ''
      mkdirSync(join(state, 'agent-apps'), { recursive: true })
      writeFileSync(file(), torn, { mode: 0o600 })
      const agent = opened(['allow-project']).runtime.forAgent(ids)
      await agent.invoke('deploy')
      const [approval] = await agent.approvals.list()
      expect(approval).toMatchObject({ scope: 'project' })
      appendFileSync(file(), torn)
      // What is torn may have been its end.
      expect(await agent.approvals.list()).toEqual([])
      writeFileSync(file(), readFileSync(file(), 'utf8').slice(0, -torn.length - 1))
      expect(await agent.approvals.list()).toHaveLength(1)
      expect(await agent.approvals.revoke(approval?.id ?? '')).toBe(true)
      expect(await agent.approvals.list()).toEqual([])
      expect(await code(opened(['deny']).runtime.forAgent(ids).invoke('deploy'))).toBe('APPROVAL_DENIED')
    }
  })

  it('is not said to be revoked where that cannot be written', async () => {
    const agent = opened(['allow-project']).runtime.forAgent(ids)
    await agent.invoke('deploy')
    const [{ id } = { id: '' }] = await agent.approvals.list()
    const full = Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
    for (const [append, why] of [
      // A disk that takes a part of it, one that says nothing, and one that says no.
      [() => writeFileSync(file(), `${readFileSync(file(), 'utf8')}{"revok`), 'could not be read back'],
      [() => {}, 'could not be read back'],
      [
        () => {
          throw full
        },
        'no space left',
      ],
    ] as const) {
      const kept = readFileSync(file(), 'utf8')
      const spy = vi.spyOn(fs, 'appendFileSync').mockImplementation(append)
      const revoked = withSpies([spy], () => agent.approvals.revoke(id))
      await expect(revoked).rejects.toMatchObject({
        code: 'REVOKE_FAILED',
        message: expect.stringContaining(why),
      })
      writeFileSync(file(), kept)
    }
    expect(await agent.approvals.revoke(id)).toBe(true)
  })

  it('is not taken from a file that somebody else could have written', async () => {
    await opened(['allow-project']).runtime.forAgent(ids).invoke('deploy')
    const line = readFileSync(file(), 'utf8')
    const denied = async (): Promise<unknown> => code(opened(['deny']).runtime.forAgent(ids).invoke('deploy'))
    expect(await denied()).not.toBe('APPROVAL_DENIED')
    chmodSync(file(), 0o666)
    expect(await denied()).toBe('APPROVAL_DENIED')
    chmodSync(file(), 0o600)
    writeFileSync(file(), line.slice(0, -20))
    expect(await denied()).toBe('APPROVAL_DENIED')
    const linked = join(temporary(), 'state')
    mkdirSync(join(linked, 'agent-apps'), { recursive: true })
    writeFileSync(join(cwd, 'approvals.jsonl'), line, { mode: 0o600 })
    symlinkSync(join(cwd, 'approvals.jsonl'), join(linked, 'agent-apps/approvals.jsonl'))
    vi.stubEnv('XDG_STATE_HOME', linked)
    expect(await denied()).toBe('APPROVAL_DENIED')
  })

  it('has no effect where it is committed with the project', async () => {
    await opened(['allow-project']).runtime.forAgent(ids).invoke('deploy')
    const line = readFileSync(file(), 'utf8')
    vi.stubEnv('XDG_STATE_HOME', join(temporary(), 'state'))
    for (const path of [
      'approvals.jsonl',
      '.agent-apps/approvals.jsonl',
      '.local/state/agent-apps/approvals.jsonl',
    ]) {
      mkdirSync(join(cwd, path, '..'), { recursive: true })
      writeFileSync(join(cwd, path), line, { mode: 0o600 })
    }
    const { runtime, requests } = opened(['deny'])
    expect(await code(runtime.forAgent(ids).invoke('deploy'))).toBe('APPROVAL_DENIED')
    expect(requests).toHaveLength(1)
    // Nor by a variable of the environment that a host takes from the clone.
    vi.stubEnv('XDG_STATE_HOME', join(cwd, '.local/state'))
    expect(await code(opened(['deny']).runtime.forAgent(ids).invoke('deploy'))).toBe('APPROVAL_DENIED')
  })
})

function makeFile(): string {
  const file = join(temporary(), 'file')
  writeFileSync(file, '')
  return file
}

/** A folder that is a link into another one. */
function linkInto(folder: string): string {
  const link = join(temporary(), 'link')
  symlinkSync(folder, link)
  return link
}
