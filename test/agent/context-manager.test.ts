import { describe, expect, it } from 'vitest'
import { agentRuntime, agentSkill } from '../support/agent-project.js'
import { calling, scriptedModel, seenResults } from '../support/ai-model.js'
import { skill } from '../support/tree.js'

const TREE = {
  'skills/long/SKILL.md': skill('long', 'Many words.\n'),
  'skills/long/a.txt': 'File A.',
  'skills/long/b.txt': 'File B.',
  'skills/review.skill.md': agentSkill('review', 'agent: true'),
  'skills/verdict.skill.md': agentSkill('verdict', 'agent: true, returns: { type: number }'),
}

const manage = (op: string, more: object = {}) => calling('context-manager', { op, ...more }, op)
const load = (id: string) => calling('load-skill', { name: 'long' }, id)
const file = (path: string) => calling('read-skill-resource', { name: 'long', path }, path)

type Steps = Parameters<typeof scriptedModel>

async function run(tool: string, ...steps: Steps) {
  const model = scriptedModel(...steps)
  const result = await agentRuntime(TREE, model).invoke(tool)
  return { result, results: seenResults(model) as Record<string, { value: string }> }
}

describe('context-manager', () => {
  it('drops the text of a skill with its files, until it is opened again', async () => {
    const { results } = await run(
      'review',
      ...[load('first'), file('a.txt'), manage('drop', { skill: 'long' }), load('second'), { text: 'Done.' }],
    )
    expect(results.first?.value).not.toContain('Many words')
    expect(results.first?.value).toContain('You dropped this text')
    expect(results['a.txt']?.value).not.toContain('File A')
    expect(results.second?.value).toContain('Many words')
    expect(results.drop?.value).toContain('Nothing is open.')
  })

  it('drops one file of a skill', async () => {
    const { results } = await run(
      'review',
      ...[load('text'), file('a.txt'), file('b.txt'), manage('drop', { skill: 'long', path: 'a.txt' })],
      { text: 'Done.' },
    )
    expect(results.text?.value).toContain('Many words')
    expect(results['a.txt']?.value).toContain('You dropped this text')
    expect(results['b.txt']?.value).toBe('File B.')
    expect(results.drop?.value).toContain('Open: long.')
  })

  it('puts a summary in the place of what it summarizes', async () => {
    const { results } = await run(
      'review',
      ...[load('text'), file('a.txt'), manage('summarize', { skill: 'long', text: 'Be brief.' })],
      { text: 'Done.' },
    )
    expect(results.text?.value).toBe('Be brief.')
    expect(results['a.txt']?.value).not.toContain('File A')
  })

  it('sends the model nothing of what was dropped', async () => {
    const model = scriptedModel(load('text'), manage('drop', { skill: 'long' }), { text: 'Done.' })
    await agentRuntime(TREE, model).invoke('review')
    const sent = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt).includes('Many words'))
    expect(sent).toEqual([false, true, false])
  })

  it('finishes with a result', async () => {
    expect((await run('review', manage('finish', { result: 'Early.' }))).result).toBe('Early.')
    expect((await run('review', manage('finish', { result: { a: 1 } }))).result).toBe('{"a":1}')
    expect((await run('verdict', manage('finish', { result: 3 }))).result).toBe(3)
  })

  it('takes no result that does not fit `returns`', async () => {
    const { result, results } = await run(
      'verdict',
      manage('finish', { result: 'three' }),
      calling('give-result', { result: 4 }),
    )
    expect(result).toBe(4)
    expect(results.finish).toMatchObject({
      type: 'error-text',
      value: expect.stringMatching(/RESULT_INVALID[\s\S]*Finish again, with a `result` that fits/),
    })
  })

  it('gives up', async () => {
    await expect(run('review', manage('fail', { reason: 'There is no change.' }))).rejects.toMatchObject({
      code: 'AGENT_FAILED',
      message: 'The agent of "review" gave up: There is no change.',
      tool: 'review',
    })
  })

  it.each([
    [manage('drop', { skill: 'long' }), 'NOT_OPEN'],
    [manage('drop'), 'ARGS_INVALID'],
    [manage('summarize', { skill: 'long' }), 'ARGS_INVALID'],
    [manage('fail'), 'ARGS_INVALID'],
    [manage('forget', { skill: 'long' }), 'ARGS_INVALID'],
  ])('tells the model what it lacks: %j', async (step, error) => {
    const { result, results } = await run('review', step, { text: 'Done.' })
    expect(result).toBe('Done.')
    expect(Object.values(results)).toEqual([
      { type: 'error-text', value: expect.stringContaining(`"error":"${error}"`) },
    ])
  })

  it('is for the agent of the run itself, and listed nowhere else', async () => {
    const model = scriptedModel(calling('meddle'), { text: 'Not ended.' })
    const runtime = agentRuntime(TREE, model)
    runtime.register({
      name: 'meddle',
      description: 'Ends the work of who calls it.',
      execute: (_args: unknown, { invoke }: { invoke: (ref: string, args: unknown) => Promise<unknown> }) =>
        invoke('context-manager', { op: 'finish', result: 'Ended.' }),
    })
    expect(await runtime.invoke('review')).toBe('Not ended.')
    const failure = { error: 'NO_AGENT', message: expect.stringContaining('agent') }
    expect(await runtime.invoke('context-manager', { op: 'finish' })).toEqual(failure)
    expect(await runtime.forAgent().invoke('context-manager', { op: 'finish' })).toEqual(failure)
    const listed = (await runtime.forAgent().listTools()).map(({ name }) => name)
    expect(listed).not.toContain('context-manager')
  })

  it('ends the inner agent alone', async () => {
    const model = scriptedModel(
      calling('agent', { prompt: 'In.' }, 'start'),
      manage('finish', { result: 'Inner.' }),
      { text: 'Outer.' },
    )
    const runtime = agentRuntime(TREE, model)
    expect(await runtime.invoke('review')).toBe('Outer.')
    expect(seenResults(model)).toMatchObject({ start: { value: 'Inner.' } })
  })
})
