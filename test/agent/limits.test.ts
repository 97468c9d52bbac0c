import { createRuntime, type Runtime } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill, saying } from '../support/agent-project.js'
import { calling, scriptedModel } from '../support/ai-model.js'

const LOOK = { 'skills/look.skill.js': saying('look', 'a typo') }

/** A model that answers nothing, and heeds no signal. It tells when it is asked. */
function silentModel() {
  let asked = (): void => undefined
  const isAsked = new Promise<void>(resolve => {
    asked = resolve
  })
  const model = scriptedModel()
  model.doGenerate = () => {
    asked()
    return new Promise(() => undefined)
  }
  return { model, isAsked }
}

describe('an agent ends', () => {
  it('after its steps', async () => {
    const model = scriptedModel(...['a', 'b', 'c'].map(id => calling('look', {}, id)))
    const tree = { ...LOOK, 'skills/review.skill.md': agentSkill('review', 'agent: { maxSteps: 3 }') }
    await expect(agentRuntime(tree, model).invoke('review')).rejects.toMatchObject({
      code: 'AGENT_LIMIT',
      message: 'The agent of "review" was not done after 3 steps.',
      hint: expect.stringContaining('`maxSteps`'),
    })
    expect(model.doGenerateCalls).toHaveLength(3)
  })

  it('after 20 steps, if its skill says nothing', async () => {
    const model = scriptedModel(...Array.from({ length: 30 }, (_, at) => calling('look', {}, `${at}`)))
    await expect(agentRuntime(LOOK, model).invoke('agent', { prompt: 'Go.' })).rejects.toMatchObject({
      code: 'AGENT_LIMIT',
    })
    expect(model.doGenerateCalls).toHaveLength(20)
  })

  it('once it used its tokens, and is told how many are left when they are few', async () => {
    const model = scriptedModel(
      { ...calling('look', {}, 'a'), tokens: 900 },
      { ...calling('look', {}, 'b'), tokens: 200 },
      { text: 'Fine.' },
    )
    const tree = { ...LOOK, 'skills/review.skill.md': agentSkill('review', 'agent: { maxTokens: 1000 }') }
    await expect(agentRuntime(tree, model).invoke('review')).rejects.toMatchObject({
      code: 'AGENT_LIMIT',
      message: 'The agent of "review" used 1100 of 1000 tokens.',
    })
    expect(model.doGenerateCalls.map(({ maxOutputTokens }) => maxOutputTokens)).toEqual([1000, 100])
  })

  it('once it used its tokens as they are estimated where no provider counts them', async () => {
    const model = scriptedModel({ ...calling('look'), tokens: null }, { text: 'Fine.' })
    const metadata = 'agent: { maxTokens: 1000 }'
    const tree = {
      ...LOOK,
      'skills/review.skill.md': agentSkill('review', metadata, 'Look here. '.repeat(1000)),
    }
    await expect(agentRuntime(tree, model).invoke('review')).rejects.toMatchObject({ code: 'AGENT_LIMIT' })
  })

  it('once those that it started used its tokens, and so do they', async () => {
    const model = scriptedModel(
      { ...calling('agent', { prompt: 'Look.' }, 'start'), tokens: 10 },
      { ...calling('look', {}, 'inner'), tokens: 1000 },
      { text: 'Never asked.' },
    )
    const tree = { ...LOOK, 'skills/review.skill.md': agentSkill('review', 'agent: { maxTokens: 1000 }') }
    await expect(agentRuntime(tree, model).invoke('review')).rejects.toMatchObject({
      code: 'AGENT_LIMIT',
      message: 'The agent of "review" used 1010 of 1000 tokens.',
    })
    expect(model.doGenerateCalls).toHaveLength(2)
  })

  it('after its time, whatever the model does', async () => {
    const { model } = silentModel()
    const tree = { 'skills/review.skill.md': agentSkill('review', 'agent: { timeoutMs: 20 }') }
    await expect(agentRuntime(tree, model).invoke('review')).rejects.toMatchObject({
      code: 'AGENT_LIMIT',
      message: 'The agent of "review" took longer than 20 ms.',
    })
  })

  it('with its result, though that used more than it may', async () => {
    const model = scriptedModel({ text: 'Fine.', tokens: 5000 })
    const tree = { 'skills/review.skill.md': agentSkill('review', 'agent: { maxTokens: 1000 }') }
    expect(await agentRuntime(tree, model).invoke('review')).toBe('Fine.')
  })
})

describe('an abort', () => {
  it('ends a model that does not heed it', async () => {
    const { model, isAsked } = silentModel()
    const controller = new AbortController()
    const tree = { 'skills/review.skill.md': agentSkill('review') }
    const call = agentRuntime(tree, model).invoke('review', {}, { signal: controller.signal })
    await isAsked
    controller.abort()
    await expect(call).rejects.toMatchObject({ code: 'RUN_ABORTED' })
    expect(model.doGenerateCalls).toEqual([])
  })

  it('ends the agents below, with the tools that they call, and asks no model again', async () => {
    const controller = new AbortController()
    const model = scriptedModel(calling('agent', { prompt: 'In.' }), calling('wait'), {
      text: 'Never asked.',
    })
    const { runtime, ended } = waitingRuntime(model, () => controller.abort())
    const call = runtime.invoke('agent', { prompt: 'Out.' }, { signal: controller.signal })
    await expect(call).rejects.toMatchObject({ code: 'RUN_ABORTED' })
    await ended
    expect(model.doGenerateCalls).toHaveLength(2)
  })

  it('before the call asks no model', async () => {
    const model = scriptedModel({ text: 'Never asked.' })
    const call = agentRuntime({}, model).invoke('agent', { prompt: 'Go.' }, { signal: AbortSignal.abort() })
    await expect(call).rejects.toMatchObject({ code: 'RUN_ABORTED' })
    expect(model.doGenerateCalls).toEqual([])
  })
})

/** A runtime with a tool that waits until it is aborted. */
function waitingRuntime(
  model: ReturnType<typeof scriptedModel>,
  begins: () => void,
): { runtime: Runtime; ended: Promise<void> } {
  const runtime = createRuntime({ paths: [], models: { default: model } })
  const ended = new Promise<void>(resolve => {
    runtime.register({
      name: 'wait',
      description: 'Waits.',
      execute: (_args: unknown, { signal }: { signal: AbortSignal | undefined }) =>
        new Promise((_, reject) => {
          signal?.addEventListener('abort', () => {
            resolve()
            reject(signal.reason)
          })
          begins()
        }),
    })
  })
  return { runtime, ended }
}

describe('what an agent reports', () => {
  it('is a step each time, and what its tools report beside it', async () => {
    const model = scriptedModel({ ...calling('look'), tokens: 7 }, { text: 'Fine.', tokens: 8 })
    const runtime = agentRuntime({}, model)
    runtime.register({
      name: 'look',
      description: 'Looks.',
      execute: (_args: unknown, { update }: { update: (progress: { title: string }) => void }) => {
        update({ title: 'Half of it' })
        return 'a typo'
      },
    })
    const told: unknown[] = []
    runtime.globals.events.on('tool:update', ({ tool, title, progress, total, metadata }) => {
      told.push([tool, title, progress, total, metadata?.tokens])
    })
    await runtime.invoke('agent', { prompt: 'Look.' })
    expect(told).toEqual([
      ['look', 'Half of it', undefined, undefined, undefined],
      ['agent', 'Step 1: look', 1, 20, 7],
      ['agent', 'Step 2', 2, 20, 15],
    ])
  })
})
