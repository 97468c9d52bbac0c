import { describe, expect, it } from 'vitest'
import { agentProject, agentRuntime, agentSkill, saying } from '../support/agent-project.js'
import {
  calling,
  scriptedModel,
  seenPrompt,
  seenResults,
  seenSystem,
  seenTools,
} from '../support/ai-model.js'
import { ONE_WAY } from '../support/four-ways.js'
import { oneIn } from '../support/long.js'
import { skill } from '../support/tree.js'

const TOOLS = {
  'skills/look.skill.js': saying('look', 'a typo'),
  'skills/shout.skill.js': saying('shout', 'AH'),
}

/** The names of the tools that the model was offered at its last step. */
function names(model: ReturnType<typeof scriptedModel>): string[] {
  return seenTools(model)
    .map(tool => (tool as { name: string }).name)
    .sort()
}

describe('the tool agent', () => {
  it('has a model work on a task with what the caller may use', async () => {
    const model = scriptedModel(calling('look'), { text: 'There is a typo.' })
    const tree = { ...TOOLS, 'skills/manners/SKILL.md': skill('manners', 'Be kind.\n') }
    const runtime = agentRuntime(tree, model)
    expect(await runtime.invoke('agent', { prompt: 'Look!' })).toBe('There is a typo.')
    expect(seenPrompt(model)).toBe('Look!')
    expect(seenSystem(model)).toContain('What manners does')
    expect(names(model)).toEqual([
      ...['agent', 'context-manager', 'load-skill', 'look', 'read-skill-resource', 'shout'],
    ])
    expect(seenResults(model)).toMatchObject({ 'call-look': { value: 'a typo' } })
  })

  it.each(oneIn(3, ONE_WAY))(
    'follows a skill, with its `returns`, its settings and its files, %s',
    async way => {
      const model = scriptedModel(
        calling('read-skill-resource', { name: 'review', path: 'style.txt' }, 'file'),
        calling('give-result', { result: 'fine' }),
      )
      const runtime = await agentProject(
        way,
        {
          'skills/review/SKILL.md': agentSkill(
            'review',
            'agent: { maxSteps: 2 }, returns: { type: string }',
            'Look.\n',
          ),
          'skills/review/style.txt': 'Short.',
        },
        model,
      )
      expect(await runtime.invoke('agent', { prompt: 'Go.', skill: 'review' })).toBe('fine')
      expect(seenSystem(model)).toContain('Look.')
      expect(seenResults(model)).toMatchObject({ file: { value: 'Short.' } })
      expect(names(model)).not.toContain('review')
    },
  )

  it('follows a skill that is only text', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const runtime = agentRuntime({ 'skills/manners/SKILL.md': skill('manners', 'Be kind.\n') }, model)
    expect(await runtime.invoke('agent', { prompt: 'Go.', skill: 'manners' })).toBe('Fine.')
    expect(seenSystem(model)).toContain('Be kind.')
  })

  it('follows no skill whose text is made of arguments', async () => {
    const model = scriptedModel()
    const params = 'params: { type: object, properties: { topic: {} }, required: [topic] }'
    const runtime = agentRuntime(
      {
        'skills/guide.skill.md': agentSkill('guide', `agent: true, ${params}`),
        'skills/text.skill.md': skill('text', 'Text.', `metadata: { ${params} }\n`),
      },
      model,
    )
    for (const name of ['guide', 'text'])
      await expect(runtime.invoke('agent', { prompt: 'Go.', skill: name })).rejects.toMatchObject({
        code: 'ARGS_INVALID',
        message: `The skill "${name}" needs arguments: topic.`,
      })
    expect(model.doGenerateCalls).toEqual([])
  })

  it('gets the tools that the skill permits, as far as the call does', async () => {
    const more = 'allowed-tools: look shout\n'
    const tree = { ...TOOLS, 'skills/manners/SKILL.md': skill('manners', 'Be kind.\n', more) }
    const offered = async (given: object): Promise<string[]> => {
      const model = scriptedModel({ text: 'Fine.' })
      await agentRuntime(tree, model).invoke('agent', { prompt: 'Go.', skill: 'manners', ...given })
      return names(model)
    }
    expect(await offered({})).toEqual(['context-manager', 'look', 'shout'])
    expect(await offered({ allowedTools: ['look', 'skill-list'] })).toEqual(['context-manager', 'look'])
  })

  it.each([
    [['look'], ['context-manager', 'look']],
    ['look', ['context-manager', 'look']],
    [
      ['*ou*', 'lo*'],
      ['context-manager', 'look', 'shout'],
    ],
    [[], []],
  ])('gets the tools that it is given: %j', async (allowedTools, offered) => {
    const model = scriptedModel(calling('shout'), { text: 'Fine.' })
    await agentRuntime(TOOLS, model).invoke('agent', { prompt: 'Go.', allowedTools })
    expect(names(model)).toEqual(offered)
  })

  it.each(oneIn(2, ['look shout', '#api', '{look,shout}', '!(look)', 'look($deny)', '', '[ls]*', 'l?ok']))(
    'takes names and `*` alone: %j',
    async allowedTools => {
      const runtime = agentRuntime(TOOLS, scriptedModel())
      for (const given of [allowedTools, [allowedTools]])
        await expect(runtime.invoke('agent', { prompt: 'Go.', allowedTools: given })).rejects.toMatchObject({
          code: 'ARGS_INVALID',
        })
    },
  )

  it('knows of no skill that its caller does not, and opens none that is code', async () => {
    const tree = {
      ...TOOLS,
      'skills/secret.skill.md': skill('secret', 'Hush.\n', 'metadata: { visibility: hidden }\n'),
    }
    const runtime = agentRuntime(tree, scriptedModel())
    for (const [name, code] of [
      ['nothing', 'TOOL_NOT_FOUND'],
      ['secret', 'TOOL_NOT_FOUND'],
      ['look', 'CONTENT_MISSING'],
    ])
      await expect(runtime.invoke('agent', { prompt: 'Go.', skill: name })).rejects.toMatchObject({ code })
  })

  it('is offered where there are models, and its caller told that there are none', async () => {
    const listed = async (runtime: ReturnType<typeof agentRuntime>) =>
      (await runtime.forAgent().listTools()).map(({ name }) => name)
    expect(await listed(agentRuntime({}, scriptedModel()))).toContain('agent')
    expect(await listed(agentRuntime({}))).not.toContain('agent')
    await expect(agentRuntime({}).forAgent().invoke('agent', { prompt: 'Go.' })).rejects.toMatchObject({
      code: 'MODEL_MISSING',
    })
  })

  it('tells the library of itself where it was narrowed to that', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    await agentRuntime({}, model).invoke('agent', { prompt: 'Go.', allowedTools: 'skill-*' })
    expect(names(model)).toEqual(['context-manager', 'skill-describe', 'skill-list'])
  })

  it('asks a person by the runtime, for each run anew', async () => {
    const asked: string[] = []
    const model = scriptedModel(calling('save'), { text: 'Saved.' }, calling('save'), { text: 'Saved.' })
    const tree = { 'skills/save.skill.js': saying('save', 'saved', { gated: true }) }
    const runtime = agentRuntime(tree, model, {
      interact: request => {
        asked.push(request.kind === 'approval' ? request.tool : request.kind)
        return 'allow-once'
      },
    })
    for (const _ of [1, 2])
      await runtime.invoke('agent', { prompt: 'Save.' }, { sessionId: 'one', agentId: 'writer' })
    expect(asked).toEqual(['save', 'save'])
  })
})
