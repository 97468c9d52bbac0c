import { type Context, createRuntime, isAgentAppsError, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { times } from '../support/long.js'
import { goodSkills, makeTree } from '../support/tree.js'

const FINDS = 1_000
const CALLS = 200
const ROUNDS = times(2, 100)
/** Long enough for any machine; what is not over by then hangs. */
const SOON = 20_000

/** One in ten fails, one in ten goes on until it is aborted, the others give back what they were given. */
const fateOf = (number: number): 'fails' | 'hangs' | 'answers' =>
  number % 10 === 3 ? 'fails' : number % 10 === 7 ? 'hangs' : 'answers'

it(`1,000 finds and 200 calls at once, a tenth failing and a tenth hanging, ${ROUNDS} times`, async () => {
  const dir = makeTree(goodSkills(300))
  await compile({ paths: [dir] })
  for (let round = 0; round < ROUNDS; round++) {
    const runtime = createRuntime({ paths: [dir], freshness: round % 2 === 0 ? 'trust' : 'check' })
    let waiting = 0
    registerTool(runtime.globals, {
      name: 'meet',
      params: { type: 'object' },
      fn: async (ctx, args) => {
        const { number } = args as { number: number }
        await new Promise(done => setTimeout(done, number % 5))
        if (fateOf(number) === 'fails') throw new Error(`failed ${number}`)
        if (fateOf(number) === 'answers') return { number }
        waiting++
        // A tool that runs is not stopped: it listens.
        const { signal } = (ctx as Context).run
        return new Promise((_, fail) => signal.addEventListener('abort', () => fail(signal.reason)))
      },
    })
    const controllers = Array.from({ length: CALLS }, () => new AbortController())
    const finds = Array.from({ length: FINDS }, (_, number) =>
      runtime.findTool(number % 10 === 3 ? `none-${number}` : `good-${number % 300}`),
    )
    const calls = controllers.map(({ signal }, number) =>
      runtime.invoke('meet', { number }, { signal }).then(
        value => ({ value }),
        (error: unknown) => ({ error }),
      ),
    )
    const found = await Promise.all(finds)
    expect(found.map(tool => tool?.name)).toEqual(
      found.map((_, number) => (number % 10 === 3 ? undefined : `good-${number % 300}`)),
    )
    while (waiting < CALLS / 10) await new Promise(done => setTimeout(done, 1))
    for (const [number, controller] of controllers.entries()) controller.abort(new Error(`stopped ${number}`))
    const settled = await Promise.race([
      Promise.all(calls),
      new Promise<null>(done => setTimeout(done, SOON, null).unref()),
    ])
    // Each has its own result, its own error or its own end.
    expect(
      settled?.map(outcome =>
        'value' in outcome
          ? outcome.value
          : isAgentAppsError(outcome.error)
            ? outcome.error.code
            : (outcome.error as Error).message,
      ),
    ).toEqual(
      calls.map((_, number) => {
        const fate = fateOf(number)
        return fate === 'answers' ? { number } : `${fate === 'fails' ? 'failed' : 'stopped'} ${number}`
      }),
    )
  }
})
