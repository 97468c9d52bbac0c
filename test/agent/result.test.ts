import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill } from '../support/agent-project.js'
import {
  calling,
  scriptedModel,
  seenPrompt,
  seenResults,
  seenTools,
  toolChoices,
} from '../support/ai-model.js'

type Steps = Parameters<typeof scriptedModel>

function run(returns: object, more: string, ...steps: Steps) {
  const model = scriptedModel(...steps)
  const metadata = `agent: ${more}, returns: ${JSON.stringify(returns)}`
  const runtime = agentRuntime({ 'skills/review.skill.md': agentSkill('review', metadata) }, model)
  return { model, result: runtime.invoke('review') }
}

const OBJECT = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }
const GIVE = 'give-result'

describe('the result of an agent that `returns` something', () => {
  it('is given by a call that the model is made to make', async () => {
    const { model, result } = run(OBJECT, 'true', calling(GIVE, { ok: true, more: [1] }))
    expect(await result).toEqual({ ok: true, more: [1] })
    expect(toolChoices(model)).toEqual([{ type: 'required' }])
    expect(seenTools(model)).toContainEqual(expect.objectContaining({ name: GIVE, inputSchema: OBJECT }))
  })

  it('must be that call at the last step, and where there is no other tool', async () => {
    const last = run(OBJECT, '{ maxSteps: 2 }', { text: 'Fine.' }, calling(GIVE, { ok: true }))
    expect(await last.result).toEqual({ ok: true })
    expect(toolChoices(last.model)).toEqual([{ type: 'required' }, { type: 'tool', toolName: GIVE }])
    const model = scriptedModel(calling(GIVE, { ok: true }))
    const metadata = `agent: true, returns: ${JSON.stringify(OBJECT)}`
    const tree = {
      'skills/review.skill.md': agentSkill(
        'review',
        metadata,
        undefined,
        'allowed-tools: none context-manager($deny)\n',
      ),
    }
    expect(await agentRuntime(tree, model).invoke('review')).toEqual({ ok: true })
    expect(toolChoices(model)).toEqual([{ type: 'tool', toolName: GIVE }])
  })

  it('is asked for again where the model answers in words', async () => {
    const { model, result } = run(OBJECT, 'true', { text: 'It is fine.' }, calling(GIVE, { ok: true }))
    expect(await result).toEqual({ ok: true })
    expect(seenPrompt(model)).toContain('Give your result by calling give-result')
  })

  it('is sent back with what is wrong where it does not fit, also a failure or a structured result', async () => {
    const wrong = [{ ok: 'yes' }, { error: 'NONE' }, { title: '', metadata: {}, output: { ok: true } }]
    const calls = wrong.map((input, at) => calling(GIVE, input, `${at}`))
    const { model, result } = run(OBJECT, 'true', ...calls, calling(GIVE, { ok: false }))
    expect(await result).toEqual({ ok: false })
    expect(Object.values(seenResults(model))).toEqual(
      wrong.map(() => ({
        type: 'error-text',
        value: expect.stringMatching(/RESULT_INVALID.*Call give-result again/s),
      })),
    )
  })

  it.each([
    [{ type: 'string' }, 'fine', { properties: { result: { type: 'string' } } }],
    [
      { type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
      [1, 2],
      { $defs: { n: {} } },
    ],
    [{ type: ['object', 'null'] }, null, { required: ['result'] }],
    [{ enum: ['a', 'b'] }, 'b', { properties: { result: { enum: ['a', 'b'] } } }],
  ])('is any value: %j', async (returns, value, schema) => {
    const { model, result } = run(
      returns,
      'true',
      calling(GIVE, {}, 'none'),
      calling(GIVE, { result: value }),
    )
    expect(await result).toEqual(value)
    const tool = seenTools(model).find(one => (one as { name: string }).name === GIVE)
    expect(tool).toMatchObject({ inputSchema: { type: 'object', ...schema } })
    expect(seenResults(model)).toEqual({ none: expect.objectContaining({ type: 'error-text' }) })
  })

  it('that never comes is an error once the steps are used up', async () => {
    const words = run(OBJECT, '{ maxSteps: 3 }', { text: 'a' }, { text: 'b' }, { text: 'c' })
    await expect(words.result).rejects.toMatchObject({
      code: 'AGENT_NO_RESULT',
      message: 'The agent of "review" gave no result that fits `returns` within 3 steps.',
      tool: 'review',
    })
    expect(words.model.doGenerateCalls).toHaveLength(3)
    const wrong = run(OBJECT, '{ maxSteps: 1 }', calling(GIVE, {}))
    await expect(wrong.result).rejects.toMatchObject({ code: 'AGENT_NO_RESULT' })
  })

  it('is the first that fits', async () => {
    const calls = [true, false].map((ok, at) => ({ id: `${at}`, name: GIVE, input: { ok } }))
    expect(await run(OBJECT, 'true', { calls }).result).toEqual({ ok: true })
  })

  it('is what the skill inherits as `returns`, too', async () => {
    const model = scriptedModel(calling(GIVE, {}, 'none'), calling(GIVE, { ok: true }))
    const tree = {
      'skills/base.skill.md': agentSkill('base', `$public: [returns], returns: ${JSON.stringify(OBJECT)}`),
      'skills/review.skill.md': agentSkill('review', 'agent: true, $inherit: base'),
    }
    expect(await agentRuntime(tree, model).invoke('review')).toEqual({ ok: true })
  })
})

describe('the words of an agent', () => {
  const says = (finish: 'length' | 'content-filter') =>
    agentRuntime(
      { 'skills/review.skill.md': agentSkill('review') },
      scriptedModel({ text: 'Half', finish }),
    ).invoke('review')

  it('are no result where they are cut off or refused', async () => {
    await expect(says('length')).rejects.toMatchObject({ code: 'AGENT_LIMIT' })
    await expect(says('content-filter')).rejects.toMatchObject({ code: 'AGENT_NO_RESULT' })
  })
})
