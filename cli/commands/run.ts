import { readFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { AgentAppsError, isAgentAppsError } from 'agent-apps'
import type { Command, Invocation } from '../command.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'

export const run: Command = {
  name: 'run',
  summary: 'call a tool and print what it gives',
  positionals: { shown: '<ref>', min: 1, max: 1 },
  options: {
    arg: {
      type: 'string',
      multiple: true,
      value: 'KEY=VALUE',
      describes: 'one argument; a value that is JSON is read as such',
    },
    args: {
      type: 'string',
      value: 'JSON',
      describes: 'all arguments as a JSON object; - reads them from standard input',
    },
  },
  example: 'agent-apps run word-count --arg text="one two three"',
  run: runTool,
}

async function runTool(invocation: Invocation): Promise<number> {
  const { options, output, positionals } = invocation
  const args = readArguments(options)
  const runtime = await openRuntime(invocation)
  const result = await runtime.invoke(positionals[0] ?? '', args)
  if (output.json) output.result(asJson(result ?? null, positionals[0]))
  else if (typeof result === 'string') output.exact(result.endsWith('\n') ? result : `${result}\n`)
  else if (result !== undefined) output.result(shown(result))
  noteDiagnostics(runtime, invocation)
  return 0
}

/** A result for a person: as JSON, or as Node shows what JSON cannot say. */
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
    // Of a circle the message draws a picture; its first line says enough.
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

/** The arguments of `--args` and, over them, of each `--arg`; undefined where there are none. */
function readArguments({ arg, args }: Invocation['options']): Record<string, unknown> | undefined {
  const pairs = Array.isArray(arg) ? arg.map(readPair) : []
  if (args === undefined && pairs.length === 0) return undefined
  return { ...(typeof args === 'string' ? readObject(args) : {}), ...Object.fromEntries(pairs) }
}

function readObject(text: string): Record<string, unknown> {
  const json = text === '-' ? readFileSync(0, 'utf8') : text
  try {
    const value: unknown = JSON.parse(json)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>
  } catch (error) {
    throw usage(`--args is not JSON: ${(error as Error).message}`)
  }
  throw usage('--args must be a JSON object')
}

function readPair(pair: string): [string, unknown] {
  const equals = pair.indexOf('=')
  if (equals === 0) throw usage(`--arg ${JSON.stringify(pair)} has no name before the "="`)
  if (equals === -1) throw usage(`--arg ${JSON.stringify(pair)} has no "=" and no value after it`)
  return [pair.slice(0, equals), readValue(pair.slice(equals + 1))]
}

/** `3`, `true`, `["a"]` are what they are in JSON; anything else is a text. */
function readValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function usage(problem: string): AgentAppsError {
  return new AgentAppsError('USAGE', `${problem}.`, {
    hint: `Write --arg key=value, or --args '{"key": "value"}'.`,
  })
}
