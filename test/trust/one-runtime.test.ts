import { defineTool } from 'agent-apps'
import { afterEach, expect, it } from 'vitest'
import { asking, code, projectWith } from '../support/trust-project.js'

/** Agents see a runtime without its project's code, and it is the same runtime: what it keeps is kept once. */

const SECRETS = ['AGENT_APPS_TEST_ONE', 'AGENT_APPS_TEST_TWO']

afterEach(() => {
  for (const name of SECRETS) delete process.env[name]
})

const telling = (name: string, variable: string) =>
  defineTool({
    name,
    description: 'Tells a variable.',
    env: [variable],
    execute: (_, { env }) => `it is ${env[variable]}`,
  })

it('what agents see of an untrusted project leaves out all secrets that the runtime knows', async () => {
  for (const name of SECRETS) process.env[name] = `value of ${name}`
  const { runtime, agent } = asking(projectWith({}), [], { env: SECRETS })
  const [one = '', two = ''] = SECRETS
  runtime.register(telling('tells-one', one))
  runtime.register(telling('tells-two', two))
  expect(await runtime.invoke('tells-one')).toBe('it is value of AGENT_APPS_TEST_ONE')
  expect(await agent.invoke('tells-two')).toBe('it is [redacted]')
  expect(await agent.invoke('tells-one')).toBe('it is [redacted]')
})

it('state is that of the session, whether or not its project is trusted, and ends with the session', async () => {
  const { runtime, agent } = asking(projectWith({}), ['allow-session'])
  runtime.register({
    name: 'counts',
    description: 'Counts its calls.',
    state: { schema: { type: 'number' }, initial: 0 },
    execute: (_, ctx) => {
      ctx.state = Number(ctx.state) + 1
      return ctx.state
    },
  })
  const session = { sessionId: 'one' }
  expect(await runtime.invoke('counts', {}, session)).toBe(1)
  expect(await agent.invoke('counts', {}, session)).toBe(2)
  await runtime.endSession('one')
  expect(await agent.invoke('counts', {}, session)).toBe(1)
  expect(await code(agent.invoke('build'))).toBe('build ran')
  expect(await agent.invoke('counts', {}, session)).toBe(2)
})
