import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime, type JsonValue, type RuntimeOptions, type Store } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { fileStore } from 'agent-apps/store'
import type { ModelMessage } from 'ai'
import { generateText } from 'ai'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answersOf } from '../../adapters/langchain/ask-for-approval.js'
import { memoryStore } from '../../runtime/state/runtime-store.js'
import { calling, scriptedModel } from '../support/ai-model.js'
import { answering, code } from '../support/asking.js'
import { damagesOf } from '../support/damaged.js'
import { deployRuntime } from '../support/deploy-runtime.js'
import { isLong } from '../support/long.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'
import { asking as askingProject, projectWith, ran } from '../support/trust-project.js'

const ids = { sessionId: 's', userId: 'u', agentId: 'a' }
const call = { callId: 'call-1' }
const REMEMBER = { policy: { approval: { remember: 'project' } } } as const

let cwd = ''
let state = ''

beforeEach(() => {
  cwd = makeTree({ 'skills/deploy/SKILL.md': skill('deploy', 'x', 'metadata: { gated: true }\n') })
  state = join(temporary(), 'state')
  vi.stubEnv('XDG_STATE_HOME', state)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

function agentOf(options: RuntimeOptions = {}) {
  return createRuntime({ cwd, paths: ['skills'], library: false, freshness: 'trust', ...options }).forAgent(
    ids,
  )
}

/** What is kept of a call of `deploy` that was answered, and its key. */
async function keptAnswer(answer: 'allow-once' | 'allow-session' | 'deny', isUsed = false) {
  const kept: [string, JsonValue][] = []
  const store = memoryStore()
  const agent = agentOf({
    store: {
      ...store,
      set: (key, value, version) => {
        kept.push([key, structuredClone(value)])
        return store.set(key, value, version)
      },
    },
  })
  await agent.authorize('deploy', {}, call)
  await agent.answer('call-1', answer)
  if (isUsed) await agent.invoke('deploy', {}, call)
  const [key, value] = kept.at(-1) as [string, JsonValue]
  const [session] = kept.filter(([one]) => one.startsWith('["session"'))
  return { key, value, session: session as [string, JsonValue] }
}

/** A store of somebody's own, with the record of the session and one value. */
function holding(session: [string, JsonValue], key: string, value: JsonValue): Store {
  const values = new Map([session, [key, value]])
  return {
    get: async asked => {
      const found = values.get(asked)
      return found === undefined ? null : { value: found, version: '1' }
    },
    set: async () => '2',
    delete: async () => {},
  }
}

describe('an answer that a store gives', () => {
  it.each(['allow-once', 'allow-session'] as const)('counts as it was given alone: %s', async answer => {
    const { key, value, session } = await keptAnswer(answer)
    expect(await agentOf({ store: holding(session, key, value) }).invoke('deploy', {}, call)).toBeDefined()
    const granted: string[] = []
    for (const { what, value: damaged } of damagesOf(value, isLong)) {
      const agent = agentOf({ store: holding(session, key, damaged) })
      const said = [await code(agent.invoke('deploy', {}, call)), await code(agent.invoke('deploy'))]
      if (said.some(one => one !== 'APPROVAL_UNAVAILABLE')) granted.push(what)
      const decided = await agent.authorize('deploy', {}, call)
      if (decided.decision !== 'ask') granted.push(`${what}: authorize`)
    }
    expect(granted).toEqual([])
  })

  it('that was used, or that denies, grants nothing either', async () => {
    for (const { key, value, session } of [await keptAnswer('deny'), await keptAnswer('allow-once', true)])
      for (const one of [{ what: 'as it is', value }, ...damagesOf(value, isLong)]) {
        const said = await code(
          agentOf({ store: holding(session, key, one.value) }).invoke('deploy', {}, call),
        )
        expect(String(said), one.what).toMatch(/^APPROVAL_(DENIED|UNAVAILABLE)$/)
      }
  })

  it('counts under no other key, and not in a file that was damaged', async () => {
    const folder = temporary()
    const agent = agentOf({ store: fileStore(folder) })
    await agent.authorize('deploy', {}, call)
    await agent.answer('call-1', 'allow-once')
    const isRequest = (name: string): boolean =>
      name.endsWith('.json') && readFileSync(join(folder, name), 'utf8').includes('[\\"approval\\"')
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    const [path = ''] = files.filter(isRequest)
    const kept = JSON.parse(readFileSync(join(folder, path), 'utf8')) as JsonValue
    const withFile = async (value: JsonValue): Promise<unknown> => {
      const other = temporary()
      cpSync(folder, other, { recursive: true })
      writeFileSync(join(other, path), JSON.stringify(value))
      return code(agentOf({ store: fileStore(other) }).invoke('deploy', {}, call))
    }
    expect(await withFile(kept)).toMatchObject({ content: 'x' })
    for (const { what, value } of damagesOf(kept, isLong)) {
      // The names of versions are the store's own, and say nothing of an answer.
      if (what.startsWith('ids')) continue
      expect(String(await withFile(value)), what).toMatch(/^APPROVAL_UNAVAILABLE$|^STATE_/)
    }
    const { key: own, value, session } = await keptAnswer('allow-once')
    for (const more of [{ sessionId: 't' }, { userId: 'v' }, { agentId: 'b' }]) {
      const [kind, , generation] = JSON.parse(own)
      const { sessionId, userId, agentId } = { ...ids, ...more }
      const key = JSON.stringify([kind, sessionId, generation, userId, agentId, 'call-1'])
      const [, record] = session
      const theirs: typeof session = [JSON.stringify(['session', sessionId]), record]
      const said = agentOf({ store: holding(theirs, key, value) }).invoke('deploy', {}, { ...call, ...more })
      expect(await code(said)).toBe('APPROVAL_UNAVAILABLE')
    }
  })
})

/** A file of the user's own with these lines, which are whole or not. */
function writeLines(name: string, lines: (JsonValue | string)[]): void {
  mkdirSync(join(state, 'agent-apps'), { recursive: true })
  const text = lines.map(line => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join('')
  writeFileSync(join(state, 'agent-apps', name), text, { mode: 0o600 })
}

function linesOf(name: string): JsonValue[] {
  const text = readFileSync(join(state, 'agent-apps', name), 'utf8')
  return text
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as JsonValue)
}

describe('a line of approvals.jsonl', () => {
  it('counts as it was written alone, whether it approves or revokes', async () => {
    const { interact } = answering(['allow-project'])
    const agent = agentOf({ interact, ...REMEMBER })
    await agent.invoke('deploy')
    const [{ id } = { id: '' }] = await agent.approvals.list()
    expect(await agent.approvals.revoke(id)).toBe(true)
    const [approval, revocation] = linesOf('approvals.jsonl') as [JsonValue, JsonValue]
    const invoke = (): Promise<unknown> => code(agentOf(REMEMBER).invoke('deploy'))
    writeLines('approvals.jsonl', [approval])
    expect(await invoke()).not.toBe('APPROVAL_UNAVAILABLE')
    writeLines('approvals.jsonl', [approval, revocation])
    expect(await invoke()).toBe('APPROVAL_UNAVAILABLE')
    for (const { what, value } of damagesOf(approval, isLong)) {
      writeLines('approvals.jsonl', [value])
      expect(await invoke(), what).toBe('APPROVAL_UNAVAILABLE')
      expect(await agentOf(REMEMBER).approvals.list()).toEqual([])
    }
    for (const { what, value } of damagesOf(revocation, isLong)) {
      writeLines('approvals.jsonl', [approval, value])
      expect(await invoke(), what).toBe('APPROVAL_UNAVAILABLE')
    }
    for (const text of ['{', '[]', '"revoked"', JSON.stringify(revocation).slice(0, -9)]) {
      writeLines('approvals.jsonl', [approval, text])
      expect(await invoke(), text).toBe('APPROVAL_UNAVAILABLE')
      // What is approved after it counts.
      writeLines('approvals.jsonl', [text, approval])
      expect(await invoke(), text).not.toBe('APPROVAL_UNAVAILABLE')
    }
  })
})

describe('a line of trust.jsonl', () => {
  it('counts as it was written alone, whether it trusts or revokes', async () => {
    const project = projectWith({})
    expect(await askingProject(project, ['allow-project'], REMEMBER).agent.invoke('build')).toBe('build ran')
    const { revokeTrusted } = await import('agent-apps')
    expect(await revokeTrusted(project)).toHaveLength(1)
    const [trusted, revocation] = linesOf('trust.jsonl') as [JsonValue, JsonValue]
    ran()
    const invoke = (): Promise<unknown> => code(createRuntime({ project }).forAgent().invoke('build'))
    for (const [lines, what] of [
      [[trusted, revocation], 'revoked'] as const,
      ...damagesOf(trusted, isLong).map(({ what, value }) => [[value], what] as const),
      ...damagesOf(revocation, isLong).map(({ what, value }) => [[trusted, value], what] as const),
    ]) {
      writeLines('trust.jsonl', [...lines])
      expect(await invoke(), what).toBe('TOOL_NOT_FOUND')
    }
    expect(ran()).toEqual([])
    writeLines('trust.jsonl', [trusted])
    expect(await invoke()).toBe('build ran')
  })
})

describe('an approval in messages', () => {
  it.each([
    ['a store', () => ({ store: fileStore(mkdtempSync(join(tmpdir(), 'agent-apps-ai-'))) }), {}],
    ['a secret', () => ({}), { secret: 'a secret of at least 32 characters' }],
  ])('counts as it was given alone, with %s', async (_, made, signed) => {
    const options = { policy: { sessionId: 's' }, approval: 'sdk', ...signed } as const
    const deploying = deployRuntime(made())
    const skills = await skillTools(deploying.runtime, options)
    const user = { role: 'user', content: 'Deploy.' } as const
    const model = scriptedModel(calling('deploy', { to: 'staging' }))
    const { response } = await generateText({ ...skills, model, messages: [user] })
    const [assistant] = response.messages
    const parts = assistant?.content as { type: string; approvalId?: string }[]
    const request = parts.find(({ type }) => type === 'tool-approval-request')
    const answer = { type: 'tool-approval-response', approvalId: request?.approvalId, approved: true }
    const run = async (asked: unknown, said: unknown): Promise<unknown> => {
      const content = parts.map(part => (part === request ? asked : part))
      const tool = { role: 'tool', content: [said] }
      const messages = [user, { ...assistant, content }, tool] as unknown as ModelMessage[]
      const { tools } = await skillTools(deploying.runtime, options)
      const call = { toolCallId: 'call-deploy', messages } as never
      const running = tools.deploy?.execute?.({ to: 'staging' }, call) as AsyncIterable<unknown>
      return running[Symbol.asyncIterator]().next()
    }
    const damages = [
      ...damagesOf(request as JsonValue, isLong).map(({ what, value }) => [what, value, answer] as const),
      ...damagesOf(answer as JsonValue, isLong).map(({ what, value }) => [what, request, value] as const),
    ]
    for (const [what, asked, said] of damages) {
      // What the SDK says of a request besides its ids and its signature is shown, or nothing.
      const isRead = /^(type|approvalId|toolCallId|approved|signature)/.test(what)
      if (isRead) await expect(run(asked, said), what).rejects.toThrow('APPROVAL_UNAVAILABLE')
    }
    expect(deploying.deployed).toEqual([])
    await run(request, answer)
    expect(deploying.deployed).toEqual(['staging'])
  })

  it('that LangChain resumes with is a decision of a closed list', () => {
    const asked = [{}] as unknown as Parameters<typeof answersOf>[1]
    for (const given of [{ decisions: [{ type: 'approve' }] }, { answer: 'allow-once' }, 'allow-session']) {
      expect(answersOf(given, asked)).not.toBeNull()
      for (const { what, value } of damagesOf({ given } as JsonValue, isLong)) {
        const [answer = null] = answersOf((value as { given?: unknown }).given, asked) ?? []
        // An answer alone is one as well, and the last of the damages is one in a list.
        const isWord = /is \["allow-once"\]$/.test(what)
        if (!isWord) expect(answer, what).toBeNull()
      }
    }
    expect(answersOf({ decisions: [{ type: 'approve', answer: 'deny' }] }, asked)).toBeNull()
  })
})
