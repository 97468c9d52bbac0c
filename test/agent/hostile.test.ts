import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill, saying } from '../support/agent-project.js'
import { calling, scriptedModel, seenResults } from '../support/ai-model.js'
import { skill } from '../support/tree.js'

const TREE = {
  'skills/long/SKILL.md': skill('long', 'Many words.\n'),
  'skills/look.skill.js': saying('look', 'looked'),
  'skills/review.skill.md': agentSkill('review'),
  'skills/few.skill.md': agentSkill('few', 'agent: { maxTokens: 2000 }'),
}

describe('a model that calls', () => {
  it.each(['constructor', '__proto__', 'toString'])('"%s" is told that there is no such tool', async name => {
    const model = scriptedModel(calling(name, {}, 'call'), { text: 'Done.' })
    expect(await agentRuntime(TREE, model).invoke('review')).toBe('Done.')
    expect(seenResults(model)).toMatchObject({
      call: { type: 'error-text', value: expect.stringContaining('unavailable tool') },
    })
  })

  it('a tool of the agent above, which it was not given, runs nothing', async () => {
    const start = { prompt: 'Go.', allowedTools: ['*', 'look'] }
    const model = scriptedModel(
      ...[calling('agent', start, 'a'), calling('look', {}, 'b'), calling('tool', { name: 'look' }, 'c')],
      ...[{ text: 'Inner.' }, { text: 'Done.' }],
    )
    const more = 'allowed-tools: agent tool long\n'
    const tree = { ...TREE, 'skills/work.skill.md': agentSkill('work', 'agent: true', undefined, more) }
    expect(await agentRuntime(tree, model).forAgent().invoke('work')).toBe('Done.')
    expect(JSON.stringify(model.doGenerateCalls)).not.toContain('looked')
  })

  it('everything by one id drops what it opened, and nothing else', async () => {
    const model = scriptedModel(
      ...[calling('load-skill', { name: 'long' }, 'x'), calling('look', {}, 'x')],
      ...[calling('context-manager', { op: 'drop', skill: 'long' }, 'x')],
      ...[calling('load-skill', { name: 'long' }, 'x'), { text: 'Done.' }],
    )
    await agentRuntime(TREE, model).invoke('review')
    expect(shownLast(model)).toEqual([
      expect.stringContaining('You dropped this text'),
      'looked',
      expect.stringContaining('It is gone'),
      expect.stringContaining('Many words'),
    ])
  })

  it('everything of one answer by one id drops what it opened, and nothing else', async () => {
    const calls = [
      { id: 'x', name: 'load-skill', input: { name: 'long' } },
      { id: 'x', name: 'look', input: {} },
    ]
    const model = scriptedModel({ calls }, calling('context-manager', { op: 'drop', skill: 'long' }, 'x'), {
      text: 'Done.',
    })
    await agentRuntime(TREE, model).invoke('review')
    expect(shownLast(model)).toContain('looked')
    expect(shownLast(model).join()).not.toContain('Many words')
  })

  it('the same again by the same id is asked about again', async () => {
    const asked: string[] = []
    const model = scriptedModel(calling('save', {}, 'x'), calling('save', {}, 'x'), { text: 'Done.' })
    const save = saying('save', 'saved', { permissions: { required: ['write'] } })
    const runtime = agentRuntime({ ...TREE, 'skills/save.skill.js': save }, model, {
      policy: { permissions: ['write'] },
      interact: request => {
        asked.push(request.kind)
        return asked.length === 1 ? 'allow-once' : 'deny'
      },
    })
    expect(await runtime.forAgent().invoke('review')).toBe('Done.')
    expect(asked).toEqual(['approval', 'approval'])
    expect(shownLast(model)).toEqual(['saved', expect.stringContaining('APPROVAL_DENIED')])
  })

  it('for the end of its run ends no other run of the same session', async () => {
    const ending = scriptedModel(calling('context-manager', { op: 'finish', result: 'Mine.' }, 'x'))
    const dropping = scriptedModel(
      ...[calling('load-skill', { name: 'long' }, 'x'), calling('start', {}, 'y'), { text: 'Whole.' }],
    )
    const tree = { ...TREE, 'skills/end.skill.md': agentSkill('end', 'agent: { model: ending }') }
    const runtime = agentRuntime(tree, dropping, { models: { default: dropping, ending } })
    const agent = runtime.forAgent({ sessionId: 's' })
    runtime.register({
      name: 'start',
      description: 'Starts another run of the session.',
      execute: () => agent.invoke('end'),
    })
    expect(await agent.invoke('review')).toBe('Whole.')
    expect(shownLast(dropping)).toEqual([expect.stringContaining('Many words'), 'Mine.'])
  })
})

it.each([Number.NaN, -100])('%s tokens, as a provider may count them, lead around no limit', async tokens => {
  const steps = Array.from({ length: 19 }, (_, at) => ({ ...calling('look', {}, `${at}`), tokens }))
  const work = agentRuntime(TREE, scriptedModel(...steps, { text: 'Done.' })).invoke('few')
  await expect(work).rejects.toMatchObject({ code: 'AGENT_LIMIT' })
})

/** The texts that the model was shown as results at its last step, one after the other. */
function shownLast(model: ReturnType<typeof scriptedModel>): string[] {
  const parts = model.doGenerateCalls.at(-1)?.prompt.flatMap(({ role, content }) => {
    return role === 'tool' ? content : []
  })
  return (parts ?? []).map(part => {
    return part.type === 'tool-result' && 'value' in part.output ? String(part.output.value) : ''
  })
}
