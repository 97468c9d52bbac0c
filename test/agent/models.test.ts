import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill } from '../support/agent-project.js'
import { scriptedModel } from '../support/ai-model.js'
import { agentApps } from '../support/commands.js'
import { makeTree, skill } from '../support/tree.js'

const REVIEW = { 'skills/review.skill.md': agentSkill('review', 'agent: { model: fast }') }

describe('the models of a runtime', () => {
  it('are chosen by their names', async () => {
    const [usual, fast] = [scriptedModel({ text: 'Usual.' }), scriptedModel({ text: 'Fast.' })]
    const runtime = agentRuntime({ ...REVIEW, 'skills/a.skill.md': skill('a') }, undefined, {
      models: { default: usual, fast },
    })
    expect(await runtime.invoke('review')).toBe('Fast.')
    expect(await runtime.invoke('agent', { prompt: 'Go.', skill: 'a' })).toBe('Usual.')
  })

  it.each([
    [undefined, 'agent', 'default: …'],
    [{}, 'agent', 'default: …'],
    [{ default: scriptedModel() }, 'review', '"fast": …'],
    [{ default: scriptedModel() }, 'constructed', '"constructor": …'],
  ])('that are missing are named, before anything runs: %#', async (models, tool, named) => {
    const tree = {
      ...REVIEW,
      'skills/constructed.skill.md': agentSkill('constructed', 'agent: { model: constructor }'),
    }
    const runtime = agentRuntime(tree, undefined, models && { models })
    const args = tool === 'agent' ? { prompt: 'Go.' } : {}
    await expect(runtime.invoke(tool, args)).rejects.toMatchObject({
      ...{ code: 'MODEL_MISSING', tool },
      hint: expect.stringContaining(`createRuntime({ models: { ${named} } })`),
    })
  })

  it.each([42, {}])('must be models of the AI SDK: %j', async model => {
    const runtime = agentRuntime(REVIEW, undefined, { models: { fast: model as never } })
    await expect(runtime.invoke('review')).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    await expect(runtime.invoke('agent', { prompt: 'Go.' })).rejects.toMatchObject({
      hint: expect.stringContaining('The models are fast.'),
    })
  })

  it('must be an object', () => {
    expect(() => agentRuntime({}, undefined, { models: [] as never })).toThrow(
      expect.objectContaining({ code: 'OPTIONS_INVALID' }),
    )
  })

  it('are not among what skills can put into their texts', async () => {
    const text = 'See: ${config.models}.\n'
    const tree = { 'skills/a.skill.md': skill('a', text, 'metadata: { interpolate: true }\n') }
    expect(await agentRuntime(tree, scriptedModel()).invoke('a')).toBe('See: .\n')
  })

  it('are none of the command', async () => {
    const cwd = makeTree({ ...REVIEW, 'package.json': '{}' })
    const { status, stderr } = await agentApps(cwd, ['run', 'review'])
    expect([status, stderr]).toEqual([1, expect.stringMatching(/MODEL_MISSING[\s\S]*models/)])
  })
})
