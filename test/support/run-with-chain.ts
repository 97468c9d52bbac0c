import { emptyGlobals, type Globals, type ToolDef, type ToolFunction } from 'agent-apps'
import { invokeFor } from '../../runtime/call/call-tool.js'
import { runChain } from '../../runtime/call/run-chain.js'
import { RunContext } from '../../runtime/call/run-context.js'
import { makeChain } from '../../runtime/cascade/make-chain.js'
import type { ChainStep } from '../../runtime/state/chain.js'
import type { Context, InvokeOptions } from '../../runtime/state/context.js'

/** What a tool or a middleware of a test does. */
export type Body = (ctx: Context, args: unknown) => unknown

/** A tool without a file. */
export function toolOf(name: string, body: Body): ToolDef {
  return {
    name,
    label: name,
    kind: 'code',
    runs: true,
    frontmatter: { name, tags: [], metadata: {}, extra: {} },
    fn: body as ToolFunction,
    src: null,
    origin: { layer: 'programmatic', entry: '', file: '', via: 'programmatic', shadows: [] },
  }
}

/** A step of a chain, static where nothing else is said. */
export function stepOf(name: string, body: Body, more: Partial<ChainStep> = {}): ChainStep {
  return { name, def: toolOf(name, body), args: undefined, static: true, ...more }
}

export interface RunOptions {
  globals?: Globals
  caller?: RunContext
  options?: InvokeOptions
  args?: unknown
}

/** A tool's context, and the function that runs a chain around it. */
export function runOf(
  steps: readonly ChainStep[],
  body: Body,
  { globals = emptyGlobals(), caller, options, args }: RunOptions = {},
): {
  ctx: RunContext
  run: () => unknown
} {
  const ctx = new RunContext(globals, toolOf('tool', body), invokeFor, caller, options)
  ctx.takeArguments(args)
  return { ctx, run: () => runChain(ctx, makeChain(steps), () => body(ctx, args)) }
}

/** Runs a chain around a tool; what throws at once rejects, too. */
export async function runWith(
  steps: readonly ChainStep[],
  body: Body,
  options: RunOptions = {},
): Promise<unknown> {
  return runOf(steps, body, options).run()
}
