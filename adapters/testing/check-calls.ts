import { isAgentAppsError } from 'agent-apps'
import { isJsonObjectLike, notJson } from './json-value.js'
import { messageOf, type Subject } from './subject.js'

/** Calls a tool with each of the samples, and looks at what it gives. */
export async function checkCalls(subject: Subject): Promise<void> {
  const { samples, refused, call, fault } = subject
  for (const [index, args] of samples.entries()) {
    try {
      checkResult(await call(args), subject, index)
    } catch (error) {
      fault('schemas', `The call fails: ${messageOf(error)}`, index)
    }
  }
  for (const args of refused) {
    const outcome = await call(args).then(
      () => 'it gives a result',
      error => (isRefusal(error) ? null : `it throws ${messageOf(error)}`),
    )
    if (outcome !== null)
      fault('schemas', `It does not refuse ${JSON.stringify(args)} with ARGS_INVALID: ${outcome}.`)
  }
}

function isRefusal(error: unknown): boolean {
  return isAgentAppsError(error) && error.code === 'ARGS_INVALID'
}

/** Adds what is wrong with a result: it is JSON, and one of the forms with a meaning has all of its fields. */
function checkResult(result: unknown, { fault }: Subject, sample: number): void {
  // A tool that has nothing to say returns nothing.
  if (result === undefined) return
  const problem = notJson(result)
  if (problem !== null) fault('result', `It returns what JSON does not have: ${problem}.`, sample)
  if (!isJsonObjectLike(result)) return
  const { title, metadata, output, attachments, error, message } = result
  const isForm = title !== undefined && output !== undefined
  if (isForm && typeof title !== 'string') fault('result', '`title` must be a string.', sample)
  if (isForm && metadata !== undefined && !isJsonObjectLike(metadata))
    fault('result', '`metadata` must be an object.', sample)
  if (isForm && attachments !== undefined && !Array.isArray(attachments))
    fault('result', '`attachments` must be an array.', sample)
  if (typeof error === 'string' && message !== undefined && typeof message !== 'string')
    fault('result', '`message` of a failure must be a string.', sample)
}
