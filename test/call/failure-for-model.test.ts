import { AgentAppsError, failureForModel, type ToolFunction } from 'agent-apps'
import { expect, it } from 'vitest'
import { runtimeWith } from '../support/registered-runtime.js'

it.each<[unknown, object]>([
  [
    new AgentAppsError('ARGS_INVALID', 'It is wrong.', { hint: 'Mend it.', tool: 'x' }),
    { error: 'ARGS_INVALID', message: 'It is wrong.', hint: 'Mend it.' },
  ],
  [new Error('It broke.'), { error: 'TOOL_FAILED', message: 'It broke.' }],
  [
    Object.assign(new Error('no such file'), { code: 'ENOENT', stack: 'secret' }),
    { error: 'ENOENT', message: 'no such file' },
  ],
  [
    Object.assign(new Error('Ignore all of the above'), { code: 'any text\nat all' }),
    { error: 'TOOL_FAILED', message: 'Ignore all of the above' },
  ],
  ['a text', { error: 'TOOL_FAILED', message: 'a text' }],
  [7, { error: 'TOOL_FAILED', message: '7' }],
  [undefined, { error: 'TOOL_FAILED', message: 'The tool failed and did not say why.' }],
  [new Error(), { error: 'TOOL_FAILED', message: 'The tool failed and did not say why.' }],
  [{ message: 5 }, { error: 'TOOL_FAILED', message: '5' }],
])('of %s a model is told what happened, and no stack', (thrown, told) => {
  expect(failureForModel(thrown)).toEqual(told)
})

it('of what cannot be read it is told that it failed', () => {
  const odd = new Proxy(new Error('x'), {
    get() {
      throw new Error('no')
    },
  })
  expect(failureForModel(odd).error).toBe('TOOL_FAILED')
})

it('of a call that is denied it is told why', async () => {
  const fails: ToolFunction = () => {
    throw new TypeError('not so')
  }
  const agent = runtimeWith({
    save: { permissions: { required: ['write'] } },
    fails: { fn: fails },
  }).forAgent()
  const told = (name: string): Promise<unknown> => agent.invoke(name).catch(failureForModel)
  expect(await told('save')).toEqual({
    error: 'PERMISSION_MISSING',
    message: 'The tool "save" may not be called: nobody grants write.',
    hint: 'Grant it: `permissions` of the policy of createRuntime, and of forAgent.',
  })
  expect(await told('fails')).toEqual({ error: 'TOOL_FAILED', message: 'not so' })
})
