import { describe, expect, it } from 'vitest'
import { agentRuntime } from '../support/agent-project.js'
import { calling, scriptedModel, seenSystem } from '../support/ai-model.js'
import { skill } from '../support/tree.js'

describe('a skill with `agent`', () => {
  it('gives what its model says', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const runtime = agentRuntime(
      { 'skills/review.skill.md': skill('review', 'Look closely.\n', 'metadata: { agent: true }\n') },
      model,
    )
    expect(await runtime.invoke('review')).toBe('Fine.')
    expect(seenSystem(model)).toContain('Look closely.')
  })
  it('returns', async () => {
    const model = scriptedModel(calling('give-result', { ok: true }))
    const runtime = agentRuntime(
      {
        'skills/review.skill.md': skill(
          'review',
          'Look closely.\n',
          'metadata: { agent: true, returns: { type: object, properties: { ok: { type: boolean } } } }\n',
        ),
      },
      model,
    )
    expect(await runtime.invoke('review')).toEqual({ ok: true })
  })
  it('agent tool', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const runtime = agentRuntime({ 'skills/review.skill.md': skill('review', 'Look closely.\n') }, model)
    expect(await runtime.invoke('agent', { prompt: 'Go', skill: 'review' })).toBe('Fine.')
    expect(seenSystem(model)).toContain('Look closely.')
  })
})
