import type { ToolDef } from 'agent-apps'
import type { AgentAppsError } from '../src/base/error.js'
import { isJsonObject } from '../src/base/json.js'
import type { Command, Invocation } from './command.js'
import { usageError } from './usage-error.js'

/** The options of commands that pass arguments to a tool. */
export const ARGUMENT_OPTIONS: Command['options'] = {
  arg: {
    type: 'string',
    multiple: true,
    value: 'KEY=VALUE',
    describes: `set one argument (repeatable); JSON values are parsed, except for string params: list='["a"]'`,
  },
  args: {
    type: 'string',
    value: 'JSON',
    describes: 'all arguments as a JSON object; - reads them from stdin',
  },
}

/**
 * Reads the arguments of `--args`, overridden by each `--arg`; undefined if neither is given.
 *
 * @param tool the called tool, whose schema says which arguments are strings
 * @param anyJson whether `--args` alone may be JSON other than an object
 * @throws USAGE
 */
export function readArguments(
  { options: { arg, args }, readInput }: Invocation,
  tool: ToolDef | null,
  anyJson = false,
): unknown {
  const texts = textsOf(tool)
  const pairs = Array.isArray(arg) ? arg.map(pair => readPair(pair, texts)) : []
  refuseDoubles(pairs.map(([key]) => key))
  const json = typeof args === 'string' ? readJson(args === '-' ? readInput() : args) : undefined
  if (pairs.length === 0 && (json === undefined || anyJson)) return json
  if (json !== undefined && !isJsonObject(json)) throw usage('--args must be a JSON object')
  return { ...json, ...Object.fromEntries(pairs) }
}

/** The arguments that can only be strings. */
function textsOf(tool: ToolDef | null): Set<string> {
  const properties = tool?.frontmatter.params?.properties ?? {}
  const isText = (schema: unknown): boolean => (schema as { type?: unknown } | null)?.type === 'string'
  return new Set(
    Object.entries(properties)
      .filter(([, schema]) => isText(schema))
      .map(([name]) => name),
  )
}

/** Throws USAGE for a repeated argument, of which only the last value would count. */
function refuseDoubles(keys: string[]): void {
  const double = keys.find((key, number) => keys.indexOf(key) < number)
  if (double === undefined) return
  throw usageError(
    `--arg ${JSON.stringify(double)} is given more than once.`,
    `Write a list as JSON: --arg ${double}='["a", "b"]'.`,
  )
}

/** Reads an option's value as JSON. Throws USAGE. */
export function readJson(json: string, option = '--args'): unknown {
  try {
    return JSON.parse(json)
  } catch (error) {
    throw usage(`${option} is not JSON: ${(error as Error).message}`, option)
  }
}

function readPair(pair: string, texts: ReadonlySet<string>): [string, unknown] {
  const equals = pair.indexOf('=')
  if (equals === 0) throw usage(`--arg ${JSON.stringify(pair)} has no name before the "="`)
  if (equals === -1) throw usage(`--arg ${JSON.stringify(pair)} has no "=" and no value after it`)
  const key = pair.slice(0, equals)
  return [key, readValue(pair.slice(equals + 1), texts.has(key))]
}

/** Parses `3`, `true` and `["a"]` as JSON unless the argument can only be a string; anything else is a string. */
function readValue(text: string, isText: boolean): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isText && typeof value !== 'string' ? text : value
  } catch {
    return text
  }
}

function usage(problem: string, option = '--args'): AgentAppsError {
  const others = option === '--args' ? '--arg key=value, or ' : ''
  return usageError(`${problem}.`, `Write ${others}${option} '{"key": "value"}'.`)
}
