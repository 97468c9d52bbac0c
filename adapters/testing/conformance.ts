import { setTimeout as sleep } from 'node:timers/promises'
import {
  AgentAppsError,
  createRuntime,
  type DefinedTool,
  defineTool,
  definitionOf,
  isAgentAppsError,
  isDefinedTool,
  type Runtime,
  type ToolDef,
  type ToolDefinition,
  type ToolSchema,
} from 'agent-apps'
import { checkOptionsOf } from '../check-options.js'
import { isObject } from '../is-object.js'
import { checkAbort } from './check-abort.js'
import { checkHooks } from './check-hooks.js'
import { type EnvironmentReads, watchEnvironment } from './environment-reads.js'
import { type ConformanceProblem, messageOf, type Subject } from './subject.js'

/** The tool to check: one made with `defineTool`, its definition, or the name of a tool of `runtime`. */
export type TestedTool = DefinedTool | ToolDefinition<ToolSchema | undefined, ToolSchema | undefined> | string

/** The options of `conformance`. */
export interface ConformanceOptions {
  /** Valid arguments, with each of which the tool is called. Default: `[{}]`. */
  args?: readonly unknown[]
  /** Arguments that the tool must refuse. */
  refused?: readonly unknown[]
  /** The arguments of a long call, which is aborted. Default: the first of `args`. */
  slow?: unknown
  /** The time that an aborted call may take to end, in milliseconds. Default: 1,000. */
  abortMs?: number
  /** A runtime with the tools that the tool calls. Default: one with only the library. */
  runtime?: Runtime
}

/** The result of `conformance`. */
export interface ConformanceReport {
  /** The tool's name. */
  tool: string
  /** Empty if it keeps its contract. */
  problems: ConformanceProblem[]
}

/**
 * Tests a tool against its contract: its arguments and results fit its schemas, its approval keys are deterministic, it
 * ends when it is aborted, `init` and `dispose` can be repeated, and it reads no environment variables besides those in
 * `env`.
 *
 * @throws CONFORMANCE_FAILED with all `issues`; OPTIONS_INVALID; TOOL_NOT_FOUND for a name; what `defineTool`
 *   throws
 */
export async function conformance(
  tool: TestedTool,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const { keys, invalid } = checkOptionsOf('conformance')
  keys(options, ['args', 'refused', 'slow', 'abortMs', 'runtime'])
  if (options.args?.length === 0)
    throw invalid('has empty `args`', 'Give at least one sample that the tool takes.')
  const runtime = options.runtime ?? createRuntime({ paths: [] })
  const problems: ConformanceProblem[] = []
  try {
    const { def, undo } = await toolIn(runtime, tool)
    try {
      await runChecks(await subjectOf(def, runtime, options, problems))
    } finally {
      undo()
    }
    if (problems.length > 0) throw conformanceFailed(def.name, problems)
    return { tool: def.name, problems }
  } finally {
    if (!options.runtime) await runtime.close()
  }
}

async function runChecks(subject: Subject): Promise<void> {
  const reads: EnvironmentReads = watchEnvironment()
  try {
    await reads.noting(async () => {
      if (!(await checkDefinition(subject))) return
      await checkCalls(subject)
      await checkKey(subject)
      await checkAbort(subject)
      await checkHooks(subject)
    })
  } finally {
    reads.end()
  }
  const named = subject.definition?.env ?? []
  for (const name of reads.names)
    if (!named.includes(name))
      subject.fault('env', `It reads the environment variable ${name}, which it does not name in \`env\`.`)
  if (reads.isListed)
    subject.fault('env', 'It reads all environment variables, not only those that it names in `env`.')
}

async function toolIn(runtime: Runtime, tool: TestedTool): Promise<{ def: ToolDef; undo: () => void }> {
  if (typeof tool === 'string') {
    const found = await runtime.findTool(tool)
    if (found) return { def: found, undo: () => {} }
    throw new AgentAppsError('TOOL_NOT_FOUND', `There is no tool ${JSON.stringify(tool)} in the runtime.`, {
      hint: 'Give the tool itself, or a `runtime` that finds it.',
      tool,
    })
  }
  const defined = isDefinedTool(tool) ? tool : defineTool(tool)
  const undo = runtime.register(defined)
  const def = await runtime.findTool(defined.name)
  if (def) return { def, undo }
  // Its definition failed: this throws the reason.
  await defined.frontmatter()
  throw new AgentAppsError('TOOL_NOT_FOUND', `The tool "${defined.name}" cannot be registered.`, {
    hint: 'See `runtime.diagnostics()`.',
    tool: defined.name,
  })
}

async function subjectOf(
  tool: ToolDef,
  runtime: Runtime,
  { args: samples = [{}], refused = [], slow = samples[0], abortMs = 1_000 }: ConformanceOptions,
  problems: ConformanceProblem[],
): Promise<Subject> {
  const fn = tool.load ? await tool.load() : tool.fn
  return {
    runtime,
    tool,
    definition: (await definitionOf(fn)) ?? null,
    samples,
    refused,
    slow,
    abortMs,
    call: (args, options) => runtime.invoke(tool.name, args, options) as Promise<unknown>,
    fault: (check, message, sample) =>
      void problems.push({ check, message, ...(sample !== undefined && { sample }) }),
  }
}

function conformanceFailed(tool: string, problems: readonly ConformanceProblem[]): AgentAppsError {
  const shown = problems.map(
    ({ check, message, sample }) => `${check}${sample === undefined ? '' : `, args[${sample}]`}: ${message}`,
  )
  return new AgentAppsError(
    'CONFORMANCE_FAILED',
    `The tool "${tool}" breaks its contract. ${shown.join(' ')}`,
    {
      hint: 'Correct the tool, or its declarations.',
      tool,
      issues: problems.map(({ check, message, sample }) => ({
        path: sample === undefined ? '' : `args[${sample}]`,
        expected: check,
        found: message,
        message,
      })),
    },
  )
}

async function checkCalls(subject: Subject): Promise<void> {
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

/** Checks that a result is JSON, and that the known forms of results have valid fields. */
function checkResult(result: unknown, { fault }: Subject, sample: number): void {
  // A tool may return nothing.
  if (result === undefined) return
  const problem = notJson(result)
  if (problem !== null) fault('result', `It returns a value that is not JSON: ${problem}.`, sample)
  if (!isObject(result)) return
  const { title, metadata, output, attachments, error, message } = result
  const isForm = title !== undefined && output !== undefined
  if (isForm && typeof title !== 'string') fault('result', '`title` must be a string.', sample)
  if (isForm && metadata !== undefined && !isObject(metadata))
    fault('result', '`metadata` must be an object.', sample)
  if (isForm && attachments !== undefined && !Array.isArray(attachments))
    fault('result', '`attachments` must be an array.', sample)
  if (typeof error === 'string' && message !== undefined && typeof message !== 'string')
    fault('result', '`message` of a failure must be a string.', sample)
}

/** Checks a tool's declarations. False if it cannot be called. */
async function checkDefinition({ tool, definition, fault }: Subject): Promise<boolean> {
  const { name, description, params } = tool.frontmatter
  if (description === undefined)
    fault('definition', `"${name}" has no description, so models see only its name.`)
  if (isObject(params?.properties)) {
    const silent = Object.entries(params.properties).filter(
      ([, schema]) => !isObject(schema) || typeof schema.description !== 'string',
    )
    if (silent.length > 0)
      fault('definition', `Parameters have no description: ${silent.map(([key]) => key).join(', ')}.`)
  }
  const named = definition?.env
  if (named !== undefined && (!Array.isArray(named) || named.some(one => typeof one !== 'string')))
    fault('definition', '`env` must be an array of names.')
  try {
    await tool.load?.()
    return true
  } catch (error) {
    fault('definition', `Its code cannot be loaded: ${messageOf(error)}`)
    return false
  }
}

/** Checks that approval keys are strings, and the same for the same arguments. */
async function checkKey({ definition, samples, fault }: Subject): Promise<void> {
  const derive = definition?.deriveApprovalKey
  if (!derive) return
  for (const [index, args] of samples.entries()) {
    try {
      const key = (given: unknown): unknown => derive(given as never)
      const first = key(structuredClone(args))
      if (typeof first !== 'string') {
        fault('key', 'The approval key must be a string, returned synchronously.', index)
        continue
      }
      // Longer than a clock tick, to detect a time in the key.
      await sleep(5)
      if (key(turned(args)) !== first)
        fault('key', 'The approval key differs between calls with the same arguments.', index)
    } catch (error) {
      fault('key', `Deriving the approval key throws: ${messageOf(error)}`, index)
    }
  }
}

/** A copy with the keys of each object in reverse order. */
function turned(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turned)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, item]) => [key, turned(item)]),
  )
}

/** The first part of a value that is not JSON, with its path; null if the whole value is. */
function notJson(value: unknown, path = 'result', above: readonly unknown[] = []): string | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return null
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path} is ${value}`
  if (typeof value !== 'object')
    return `${path} is ${typeof value === 'undefined' ? '' : 'a '}${typeof value}`
  if (above.includes(value)) return `${path} is circular`
  const prototype: unknown = Object.getPrototypeOf(value)
  if (!Array.isArray(value) && prototype !== Object.prototype && prototype !== null)
    return `${path} is an instance of ${value.constructor?.name ?? 'a class'}`
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined && !Array.isArray(value)) continue
    const inner = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`
    const found = notJson(item, inner, [...above, value])
    if (found !== null) return found
  }
  return null
}
