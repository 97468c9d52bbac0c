import { lazy, whenThere } from '../host/later.js'
import { cloneArguments } from '../schema/clone-arguments.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import { defaultGlobals } from '../state/globals.js'
import { ownOptions } from './own-options.js'

const calling = lazy(() => import('./call-tool.js'))

/**
 * Runs a tool. A Markdown skill gives its content.
 *
 * @throws OPTIONS_INVALID; TOOL_NOT_FOUND, TOOL_BROKEN; TOOL_DENIED where it is called as an agent;
 *   ARGS_INVALID; DEPTH_EXCEEDED; RUN_ABORTED once `signal` is aborted, or what it was aborted with where
 *   that is an error of ours; NEXT_TWICE for a faulty middleware; and what the tool throws
 */
export function invoke(
  ref: string,
  args?: unknown,
  globals: Globals = defaultGlobals(),
  options?: InvokeOptions,
): Promise<unknown> {
  const own = ownOptions(options)
  const given = cloneArguments(args, own?.as === 'agent')
  return Promise.resolve(
    whenThere(calling(), ({ callTool }) => callTool(ref, given, globals, own, undefined)),
  )
}
