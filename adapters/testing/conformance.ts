import {
  AgentAppsError,
  createRuntime,
  type DefinedTool,
  defineTool,
  definitionOf,
  isDefinedTool,
  type Runtime,
  type ToolDef,
  type ToolDefinition,
  type ToolSchema,
} from 'agent-apps'
import { checkAbort } from './check-abort.js'
import { checkCalls } from './check-calls.js'
import { checkDefinition } from './check-definition.js'
import { checkHooks } from './check-hooks.js'
import { checkKey } from './check-key.js'
import { type EnvironmentReads, watchEnvironment } from './environment-reads.js'
import type { ConformanceProblem, Subject } from './subject.js'

/** A tool that is looked at: made with `defineTool`, its definition, or the name of a tool of `runtime`. */
export type TestedTool = DefinedTool | ToolDefinition<ToolSchema | undefined, ToolSchema | undefined> | string

export interface ConformanceOptions {
  /** Arguments that the tool takes; it is called with each of them. Default: `[{}]`. */
  args?: readonly unknown[]
  /** Arguments that it must refuse. */
  refused?: readonly unknown[]
  /** The arguments of a call that takes long, to be aborted. Default: the first of `args`. */
  slow?: unknown
  /** How long a call may take to end once it was aborted, in milliseconds. Default: 1,000. */
  abortMs?: number
  /** The runtime that the tool is called in, with the tools that it calls. Default: one with the library alone. */
  runtime?: Runtime
}

export interface ConformanceReport {
  /** The tool's name. */
  tool: string
  /** Nothing, where it keeps its contract. */
  problems: ConformanceProblem[]
}

const OPTIONS = ['args', 'refused', 'slow', 'abortMs', 'runtime']

/**
 * Runs a tool against its contract: it takes and gives what its schemas say, its approval keys are the same
 * for the same arguments, it ends when it is aborted, `init` and `dispose` can be called again, and it reads
 * no environment variables that it does not name in `env`.
 *
 * @throws CONFORMANCE_FAILED with all `issues`; OPTIONS_INVALID; TOOL_NOT_FOUND for a name; what `defineTool`
 *   throws
 */
export async function conformance(
  tool: TestedTool,
  options: ConformanceOptions = {},
): Promise<ConformanceReport> {
  const unknown = Object.keys(options).find(name => !OPTIONS.includes(name))
  if (unknown !== undefined || options.args?.length === 0) throw optionsInvalid(unknown)
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
  for (const name of reads.names) if (!named.includes(name)) subject.fault('env', readOf(name))
  if (reads.isListed)
    subject.fault('env', 'It reads all environment variables at once, where it may read those that it names.')
}

function readOf(name: string): string {
  return `It reads the environment variable ${name}, which it does not name in \`env\`.`
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
  // Its definition could not be made: asking for it says why.
  await defined.frontmatter()
  throw new AgentAppsError('TOOL_NOT_FOUND', `The tool "${defined.name}" cannot be registered.`, {
    hint: '`runtime.diagnostics()` says why.',
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
      hint: 'Correct the tool, or what it declares of itself.',
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

function optionsInvalid(unknown: string | undefined): AgentAppsError {
  return new AgentAppsError(
    'OPTIONS_INVALID',
    unknown === undefined
      ? '"args" of conformance must hold arguments that the tool takes.'
      : `conformance has no option "${unknown}".`,
    { hint: `It takes ${OPTIONS.join(', ')}.` },
  )
}
