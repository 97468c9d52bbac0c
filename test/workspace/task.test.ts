import { AgentAppsError } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { agentSkill } from '../support/agent-project.js'
import { calling, scriptedModel, seenPrompt, seenResults } from '../support/ai-model.js'
import { agentApps } from '../support/commands.js'
import { temporary } from '../support/temporary.js'
import { writeTree } from '../support/tree.js'
import { call, codeOf, workspaceRuntime } from '../support/workspace-tools.js'

const TASK = { description: 'Find the fault', prompt: 'Why does the build fail?' }
const NEEDS_HOST = {
  title: 'Find the fault',
  metadata: { error: 'LLM_ASSIST_REQUIRED', ...TASK },
  output: 'No model is configured for the task. The host may do it, or do it yourself.',
}

describe('task', () => {
  it('asks the host where there is no model', async () => {
    const runtime = workspaceRuntime(temporary())
    expect(await call(runtime, 'task', TASK)).toEqual(NEEDS_HOST)
    expect((await call(runtime, 'task', { ...TASK, agent: 'review' })).metadata).toEqual({
      ...NEEDS_HOST.metadata,
      agent: 'review',
    })
    runtime.register({
      name: 'agent',
      params: { type: 'object' },
      execute: () => {
        throw new AgentAppsError('MODEL_MISSING' as never, 'No model.', { hint: 'Give one.', tool: 'agent' })
      },
    })
    expect(await call(runtime, 'task', TASK)).toEqual(NEEDS_HOST)
  })

  it('gives what the agent answers', async () => {
    const runtime = workspaceRuntime(temporary())
    const given: unknown[] = []
    const answers: unknown[] = [
      'The lock file.',
      { title: 'Done', metadata: { steps: 2 }, output: 'All of it.' },
    ]
    runtime.register({
      name: 'agent',
      params: { type: 'object' },
      execute: args => {
        given.push(args)
        return answers.shift()
      },
    })
    expect(await call(runtime, 'task', TASK)).toEqual({
      title: 'Find the fault',
      metadata: {},
      output: 'The lock file.',
    })
    expect(await call(runtime, 'task', { ...TASK, agent: 'review' })).toEqual({
      title: 'Find the fault',
      metadata: { steps: 2 },
      output: 'All of it.',
    })
    expect(given).toEqual([{ prompt: TASK.prompt }, { prompt: TASK.prompt, skill: 'review' }])
  })

  it('is worked on by a model where the host has one, within the policy of the caller', async () => {
    const root = temporary()
    writeTree(root, { 'a.txt': 'The lock file is old.\n' })
    const model = scriptedModel(
      calling('read', { path: 'a.txt' }, 'reading'),
      calling('write', { path: 'b.txt', content: 'x' }, 'writing'),
      { text: 'The lock file.' },
    )
    const runtime = workspaceRuntime(root, {
      models: { default: model },
      policy: { permissions: ['read', 'execute'], approval: { mode: 'yolo' } },
    })
    expect(await runtime.forAgent().invoke('task', TASK)).toEqual({
      ...{ title: 'Find the fault', metadata: {}, output: 'The lock file.' },
    })
    expect(seenPrompt(model)).toBe(TASK.prompt)
    expect(seenResults(model)).toMatchObject({
      reading: { type: 'text', value: expect.stringContaining('The lock file is old.') },
      writing: { type: 'error-text' },
    })
  })

  it('fails where its agent does, and tells that a model of its skill is missing', async () => {
    const model = scriptedModel(calling('context-manager', { op: 'fail', reason: 'Too hard.' }))
    const root = temporary()
    writeTree(root, { 'skills/review.skill.md': agentSkill('review', 'agent: { model: other }') })
    const runtime = workspaceRuntime(root, { cwd: root, paths: ['skills'], models: { default: model } })
    expect(await codeOf(call(runtime, 'task', TASK))).toBe('AGENT_FAILED')
    expect((await call(runtime, 'task', { ...TASK, agent: 'review' })).metadata.error).toBe(
      'LLM_ASSIST_REQUIRED',
    )
  })

  it('fails where the agent fails', async () => {
    const runtime = workspaceRuntime(temporary())
    runtime.register({
      name: 'agent',
      params: { type: 'object' },
      execute: async (_, { invoke }) => invoke('nothing-of-this-name'),
    })
    expect(await codeOf(call(runtime, 'task', TASK))).toBe('TOOL_NOT_FOUND')
  })

  it('is for agents that were granted `execute`, and for people', async () => {
    const runtime = workspaceRuntime(temporary())
    expect(await codeOf(runtime.forAgent({ permissions: ['read'] }).invoke('task', TASK))).toBe(
      'PERMISSION_MISSING',
    )
    const keys: unknown[] = []
    const asking = workspaceRuntime(temporary(), {
      policy: { permissions: ['execute'] },
      interact: request => {
        keys.push('key' in request && request.key)
        return 'allow-once'
      },
    })
    expect(await asking.forAgent().invoke('task', TASK)).toEqual(NEEDS_HOST)
    expect(keys).toEqual([TASK.prompt])
    const args = ['run', 'task', '--workspace', '.', '--args', JSON.stringify(TASK)]
    expect(JSON.parse((await agentApps(temporary(), args)).stdout)).toEqual(NEEDS_HOST)
  })
})
