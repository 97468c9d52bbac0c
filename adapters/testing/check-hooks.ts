import type { HookContext } from 'agent-apps'
import { within } from './check-abort.js'
import { runningSince } from './running-since.js'
import { messageOf, type Subject } from './subject.js'

/**
 * Calls `init` and `dispose` as a runtime may: `init` again, `dispose` twice, and without an `init` that
 * worked. What they made is gone afterwards.
 */
export async function checkHooks(subject: Subject): Promise<void> {
  const { definition, fault } = subject
  if (!definition?.init && !definition?.dispose) return
  const running = runningSince()
  await attempt(subject, '`dispose` without what `init` returns', () => dispose(subject, undefined))
  for (const round of ['`init`', '`init` after `dispose`']) {
    const made = await attempt(subject, round, () => init(subject))
    const again = await attempt(subject, `${round}, called again`, () => init(subject))
    for (const one of [made, again]) {
      await attempt(subject, '`dispose`', () => dispose(subject, one))
      await attempt(subject, '`dispose`, called again', () => dispose(subject, one))
    }
  }
  await checkAbortedInit(subject)
  const left = await running(subject.abortMs)
  if (left.length > 0) fault('hooks', `Something is running after \`dispose\`: ${left.join(', ')}.`)
}

async function checkAbortedInit(subject: Subject): Promise<void> {
  const { abortMs, fault } = subject
  const controller = new AbortController()
  const begun = init(subject, controller.signal).catch(() => undefined)
  controller.abort()
  if (!(await within(begun, abortMs)))
    fault('hooks', `\`init\` goes on for more than ${abortMs} ms after it was aborted.`)
  const disposed = begun.then(made => dispose(subject, made))
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

async function init(subject: Subject, signal?: AbortSignal): Promise<unknown> {
  return subject.definition?.init?.(contextOf(subject, undefined, signal))
}

async function dispose(subject: Subject, instance: unknown): Promise<void> {
  await subject.definition?.dispose?.(contextOf(subject, instance))
}

function contextOf(
  { tool }: Subject,
  instance: unknown,
  signal: AbortSignal = new AbortController().signal,
): HookContext {
  return { name: tool.name, signal, instance }
}
