import { runtime } from './dist/agent.mjs'

// Who asks from outside calls tools by their names alone, and none that are hidden.
const agent = runtime.forAgent()
/** What the caller can mend, as HTTP's status. */
const STATUS = new Map([
  ['REQUEST_INVALID', 400],
  ['ARGS_INVALID', 400],
  ['TOOL_DENIED', 403],
  ['TOOL_NOT_FOUND', 404],
])

/** The answer to `{ "tool": …, "args": … }`: `{ "result": … }` or `{ "error": { "code": …, "message": … } }`. */
export async function answer(request) {
  try {
    const { tool, args } = parse(request)
    return { status: 200, body: JSON.stringify({ result: await agent.invoke(tool, args) }) }
  } catch (error) {
    const code = error?.code ?? 'FAILED'
    const status = STATUS.get(code) ?? 500
    // What went wrong inside is for the log alone.
    if (status === 500) console.error(error)
    const message = status === 500 ? 'The tool failed.' : error.message
    return { status, body: JSON.stringify({ error: { code, message } }) }
  }
}

function parse(text) {
  let request
  try {
    request = JSON.parse(text)
  } catch ({ message }) {
    throw invalid(`The request is not JSON: ${message}`)
  }
  if (typeof request?.tool !== 'string') throw invalid('The request has no `tool`, which must be a string.')
  return request
}

function invalid(message) {
  return Object.assign(new Error(message), { code: 'REQUEST_INVALID' })
}
