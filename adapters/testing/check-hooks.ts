import { createRuntime, defineTool, type HookContext } from 'agent-apps'
import { runningSince, within } from './check-abort.js'
import { messageOf, type Subject } from './subject.js'

/**
 * Calls `init` and `dispose` as a runtime may: `init` again, `dispose` twice, and `dispose` without a successful `init`. They
 * must leave nothing running.
 */
export async function checkHooks(subject: Subject): Promise<void> {
  const { definition, fault } = subject
  if (!definition?.init && !definition?.dispose) return
  const context = await attempt(subject, 'Creating the context of hooks', () => contextFor(subject))
  if (!context) return
  const init = (signal = context.signal): Promise<unknown> =>
    (async () => definition.init?.({ ...context, signal }))()
  const dispose = async (instance: unknown): Promise<void> => {
    await definition.dispose?.({ ...context, instance })
  }
  const running = runningSince()
  await attempt(subject, '`dispose` without the result of `init`', () => dispose(undefined))
  for (const round of ['`init`', '`init` after `dispose`']) {
    const made = await attempt(subject, round, () => init())
    const again = await attempt(subject, `${round}, called again`, () => init())
    for (const one of [made, again]) {
      await attempt(subject, '`dispose`', () => dispose(one))
      await attempt(subject, '`dispose`, called again', () => dispose(one))
    }
  }
  await checkAbortedInit(subject, init, dispose)
  const left = await running(subject.abortMs)
  if (left.length > 0) fault('hooks', `Something is running after \`dispose\`: ${left.join(', ')}.`)
}

async function checkAbortedInit(
  subject: Subject,
  init: (signal: AbortSignal) => Promise<unknown>,
  dispose: (instance: unknown) => Promise<void>,
): Promise<void> {
  const { abortMs, fault } = subject
  const controller = new AbortController()
  const begun = init(controller.signal).catch(() => undefined)
  controller.abort()
  if (!(await within(begun, abortMs)))
    fault('hooks', `\`init\` continues for more than ${abortMs} ms after it was aborted.`)
  const disposed = begun.then(made => dispose(made))
  await attempt(subject, '`dispose` after an `init` that was aborted', async () => {
    await within(disposed, abortMs)
  })
}

async function attempt<Result>(
  { fault }: Subject,
  what: string,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    fault('hooks', `${what} throws: ${messageOf(error)}`)
    return undefined
  }
}

/** The context of the tool's hooks, obtained by a tool with the same name and declarations. */
async function contextFor({ tool: { name }, definition, runtime }: Subject): Promise<HookContext> {
  const { globals } = runtime
  const { env = [], interact } = globals.config
  const tools = globals.toolConfig?.[name] ? { [name]: globals.toolConfig[name] } : {}
  const alike = createRuntime({
    ...{ paths: [], library: false, freshness: 'check', env, config: { tools } },
    ...(interact && { interact }),
  })
  let given: HookContext | undefined
  const init = (context: HookContext): void => {
    given = context
  }
  const { config, env: declared = [] } = definition ?? {}
  alike.register(defineTool({ name, init, env: declared, ...(config && { config }), execute: () => null }))
  try {
    await alike.activate(name)
  } finally {
    await alike.close()
  }
  if (!given) throw new Error(`The hooks of "${name}" got no context.`)
  return { ...given, signal: new AbortController().signal }
}
