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
import { skill } from '../support/tree.js'

const VERDICT = `returns: { type: object, properties: { ok: { type: boolean } }, required: [ok] }`

describe('a skill with an agent', () => {
  it.each(ONE_WAY)('is run by a model over its content and with its tools, %s', async way => {
    const model = scriptedModel(
      calling('look', {}, 'one'),
      calling('read-skill-resource', { name: 'review', path: 'style.txt' }, 'two'),
      calling('load-skill', { name: 'manners' }, 'three'),
      calling('give-result', { ok: true }),
    )
    const tree = {
      'skills/review/SKILL.md': agentSkill(
        'review',
        `agent: true, interpolate: true, params: { properties: { change: { type: string } } }, ${VERDICT}`,
        'Look at ${args.change}. :include[more.md]\n',
        'allowed-tools: look manners\n',
      ),
      'skills/review/more.md': 'Closely.',
      'skills/review/style.txt': 'Short.',
      'skills/manners/SKILL.md': skill('manners', 'Be kind.\n'),
      'skills/other/SKILL.md': skill('other', 'No.\n'),
      'skills/look.skill.js': saying('look', 'a typo'),
      'skills/shout.skill.js': saying('shout', 'no'),
    }
    const runtime = await agentProject(way, tree, model)
    expect(await runtime.invoke('review', { change: 'the first one' })).toEqual({ ok: true })
    expect(seenSystem(model)).toContain('Look at the first one. Closely.')
    expect(seenSystem(model)).toMatch(/What manners does/)
    expect(seenSystem(model)).not.toMatch(/What other does/)
    expect(seenSystem(model)).toContain('- style.txt (6 bytes)')
    expect(seenPrompt(model)).toContain('"change": "the first one"')
    expect(seenResults(model)).toMatchObject({
      one: { value: 'a typo' },
      two: { value: 'Short.' },
      three: { value: expect.stringContaining('Be kind.') },
    })
    const names = seenTools(model).map(tool => (tool as { name: string }).name)
    expect(names.sort()).toEqual([
      'context-manager',
      'give-result',
      'load-skill',
      'look',
      'read-skill-resource',
    ])
  })

  it('gives the text of the last answer without `returns`', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const runtime = agentRuntime({ 'skills/review.skill.md': agentSkill('review') }, model)
    expect(await runtime.invoke('review')).toBe('Fine.')
    expect(await runtime.forAgent().findTool('review')).toMatchObject({ runs: true })
  })

  it('is run for an agent, and its text is still there to read', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const runtime = agentRuntime(
      { 'skills/review.skill.md': agentSkill('review', 'agent: true', 'Look.\n') },
      model,
    )
    expect(await runtime.render('review')).toBe('Look.\n')
    expect(await runtime.forAgent().open('review')).toMatchObject({ content: 'Look.\n' })
    expect(model.doGenerateCalls).toEqual([])
    expect(await runtime.forAgent().invoke('review')).toBe('Fine.')
  })

  it('keeps the values of secret variables from its model', async () => {
    process.env.AGENT_TEST_KEY = 'a-secret-value'
    const model = scriptedModel({ text: 'Fine.' })
    const tree = {
      'skills/look.skill.js': saying('look', 'a typo', { env: ['AGENT_TEST_KEY'] }),
      'skills/review.skill.md': agentSkill(
        'review',
        'agent: true, interpolate: true',
        'By ${env.AGENT_TEST_KEY}.\n',
      ),
    }
    const runtime = agentRuntime(tree, model, { env: ['AGENT_TEST_KEY'] })
    await runtime.invoke('look')
    await runtime.invoke('review').finally(() => delete process.env.AGENT_TEST_KEY)
    expect(seenSystem(model)).toContain('By [redacted].')
  })

  it('is text where `agent` is false or null, and compared with nothing', async () => {
    const runtime = agentRuntime({
      'skills/one.skill.md': agentSkill('one', `agent: false, ${VERDICT}`, 'One.\n'),
      'skills/two.skill.md': agentSkill('two', `agent: null, ${VERDICT}`, 'Two.\n'),
    })
    expect(await runtime.invoke('one')).toBe('One.\n')
    expect(await runtime.invoke('two')).toBe('Two.\n')
    expect(await runtime.findTool('one')).toMatchObject({ runs: false })
  })

  it('is another tool where it delegates', async () => {
    const tree = {
      'skills/review.skill.md': agentSkill('review', 'agent: true, delegate: look'),
      'skills/look.skill.js': saying('look', 'a typo'),
    }
    expect(await agentRuntime(tree).invoke('review')).toBe('a typo')
  })

  it.each([
    ['agent: { maxStep: 3 }', 'has no setting "maxStep": did you mean "maxSteps"?'],
    ['agent: { maxSteps: 0 }', 'must have a whole number from 1'],
    ['agent: { model: "" }', 'must name one of the models'],
    ['agent: { timeoutMs: 3000000000 }', 'must have a whole number from 1 to 2147483647'],
    ['agent: yes please', 'must be `true`, or an object'],
  ])('fails by its faulty setting: %s', async (metadata, fault) => {
    const model = scriptedModel()
    const runtime = agentRuntime({ 'skills/review.skill.md': agentSkill('review', metadata) }, model)
    await expect(runtime.invoke('review')).rejects.toMatchObject({
      code: 'DEFINITION_INVALID',
      message: expect.stringContaining(`"agent" of "review" ${fault}`),
    })
  })

  it('needs the library', async () => {
    const model = scriptedModel()
    const tree = { 'skills/review.skill.md': agentSkill('review') }
    await expect(agentRuntime(tree, model, { library: false }).invoke('review')).rejects.toMatchObject({
      code: 'TOOL_NOT_FOUND',
      hint: expect.stringContaining('library: true'),
    })
  })

  it('is run by the tool of the library, whatever a project calls `agent`', async () => {
    const model = scriptedModel({ text: 'Fine.' })
    const tree = {
      'skills/review.skill.md': agentSkill('review'),
      'skills/agent.skill.js': saying('agent', 'ours'),
    }
    const runtime = agentRuntime(tree, model)
    expect(await runtime.invoke('agent')).toBe('ours')
    expect(await runtime.invoke('review')).toBe('Fine.')
  })
})
