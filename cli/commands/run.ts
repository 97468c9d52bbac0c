import { inspect } from 'node:util'
import type { Runtime } from 'agent-apps/runtime'
import { AgentAppsError, isAgentAppsError } from '../../src/base/error.js'
import { visibleJson } from '../../src/policy/shown-text.js'
import {
  AGENT_OPTIONS,
  agentOf,
  noteAgentDiagnostics,
  openForAgents,
  refuseAgentOptions,
  withCommandHint,
} from '../agent-options.js'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { personAt } from '../person.js'
import { ARGUMENT_OPTIONS, readArguments } from '../read-arguments.js'

export const run: Command = {
  name: 'run',
  positionals: { min: 1, max: 1 },
  options: {
    ...LOOK_UP_OPTIONS,
    ...ARGUMENT_OPTIONS,
    'as-agent': { type: 'boolean', describes: 'call it as an agent: the policy decides, and may ask you' },
    ...AGENT_OPTIONS,
  },
  example: 'agent-apps run word-count --arg text="one two three"',
  run: runTool,
}

async function runTool(invocation: Invocation): Promise<number> {
  const { output, positionals } = invocation
  const { runtime, result } = await called(positionals[0] ?? '', invocation)
  if (output.json) output.result(asJson(result ?? null, positionals[0]))
  else if (typeof result === 'string') output.exact(result.endsWith('\n') ? result : `${result}\n`)
  else if (result !== undefined) output.result(shown(result))
  const note = invocation.options['as-agent'] === true ? noteAgentDiagnostics : noteDiagnostics
  note(runtime, invocation)
  return 0
}

async function called(ref: string, invocation: Invocation): Promise<{ runtime: Runtime; result: unknown }> {
  if (invocation.options['as-agent'] === true) return calledByAgent(ref, invocation)
  refuseAgentOptions(invocation, '--as-agent')
  const runtime = await openRuntime(invocation, true)
  const args = readArguments(invocation, await runtime.findTool(ref))
  return { runtime, result: await runtime.invoke(ref, args) }
}

async function calledByAgent(ref: string, invocation: Invocation) {
  const { output } = invocation
  // Questions are printed to standard error.
  const runtime = await openForAgents(invocation, true, personAt(invocation, output.stderr.isTTY === true))
  try {
    const agent = agentOf(runtime, invocation)
    const found = invocation.options.agent === undefined ? await agent.findTool(ref) : null
    return { runtime, result: await agent.invoke(ref, readArguments(invocation, found)) }
  } catch (error) {
    noteAgentDiagnostics(runtime, invocation)
    return withCommandHint(error)
  }
}

/** Formats a result for a person: as JSON, or as Node shows values that are not JSON. */
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
    if (text !== undefined) return visibleJson(text)
  } catch (error) {
    // For a cycle, the message contains a drawing after its first line.
    problem = (error as Error).message.split('\n')[0] ?? ''
  }
  throw new AgentAppsError(
    'RESULT_NOT_JSON',
    `The result of "${tool}" cannot be printed as JSON: ${problem}.`,
    { hint: 'Return plain data: strings, numbers, booleans, null, arrays and objects of these.', tool },
  )
}
