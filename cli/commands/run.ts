import { inspect } from 'node:util'
import { AgentAppsError, isAgentAppsError } from 'agent-apps'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { ARGUMENT_OPTIONS, readArguments } from '../read-arguments.js'

export const run: Command = {
  name: 'run',
  summary: 'call a tool and print what it gives',
  positionals: { shown: '<ref>', min: 1, max: 1 },
  options: { ...LOOK_UP_OPTIONS, ...ARGUMENT_OPTIONS },
  example: 'agent-apps run word-count --arg text="one two three"',
  run: runTool,
}

async function runTool(invocation: Invocation): Promise<number> {
  const { output, positionals } = invocation
  const runtime = await openRuntime(invocation, true)
  const ref = positionals[0] ?? ''
  const args = readArguments(invocation, await runtime.findTool(ref))
  const result = await runtime.invoke(ref, args)
  if (output.json) output.result(asJson(result ?? null, positionals[0]))
  else if (typeof result === 'string') output.exact(result.endsWith('\n') ? result : `${result}\n`)
  else if (result !== undefined) output.result(shown(result))
  noteDiagnostics(runtime, invocation)
  return 0
}

/** Formats a result for a person: as JSON, or, for values that JSON does not have, as Node shows them. */
function shown(result: unknown): string {
  try {
    return asJson(result)
  } catch (error) {
    if (isAgentAppsError(error)) return inspect(result, { depth: 8 })
    throw error
  }
}

/** @throws RESULT_NOT_JSON */
function asJson(result: unknown, tool = ''): string {
  let problem = `it is a ${typeof result}`
  try {
    const text = JSON.stringify(result, null, 2)
    if (text !== undefined) return text
  } catch (error) {
    // For a cycle, the message contains a drawing; its first line is enough.
    problem = (error as Error).message.split('\n')[0] ?? ''
  }
  throw new AgentAppsError(
    'RESULT_NOT_JSON',
    `The result of "${tool}" cannot be printed as JSON: ${problem}.`,
    {
      hint: 'Return plain data: texts, numbers, true, false, null, lists and objects of these.',
      tool,
    },
  )
}
