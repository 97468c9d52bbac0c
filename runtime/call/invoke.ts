import { type Awaitable, lazy } from '../host/later.js'
import { cloneArguments, ownOptions } from '../schema/clone-arguments.js'
import type { Globals, InvokeOptions } from '../state/context.js'
import { defaultGlobals } from '../state/globals.js'

const calling = lazy(() => import('./call-tool.js'))

/**
 * Runs a tool. A Markdown skill gives its content.
 *
 * @throws OPTIONS_INVALID; TOOL_NOT_FOUND, TOOL_BROKEN; TOOL_DENIED where it is called as an agent;
 *   ARGS_INVALID; DEPTH_EXCEEDED; RUN_ABORTED once `signal` is aborted, or what it was aborted with where
 *   that is an error of ours; NEXT_TWICE for a faulty middleware; and what the tool throws
 */
export async function invoke(
  ref: string,
  args?: unknown,
  globals: Globals = defaultGlobals(),
  options?: InvokeOptions,
): Promise<unknown> {
  const own = ownOptions(options)
  const given = cloneArguments(args, own?.as === 'agent')
  return (await calling()).callTool(ref, given, globals, own, undefined)
}

/** Functions that implement methods: each takes the object of the method, and the caller's arguments. */
type Implementation<Self, Names extends string> = Readonly<
  Record<Names, (self: Self, first: never, second: never, options?: InvokeOptions) => unknown>
>

type Method = (first?: unknown, second?: unknown, options?: InvokeOptions) => Promise<unknown>

/**
 * The methods `names` of an object. Their code is loaded when one is called; what the caller gives is copied
 * before that.
 *
 * @param isAgents true where an agent's arguments are among it, which must be plain
 */
export function laterMethods<Self, Names extends string>(
  self: Self,
  names: readonly Names[],
  load: () => Awaitable<Implementation<NoInfer<Self>, NoInfer<Names>>>,
  isAgents = false,
): Record<Names, Method> {
  const method =
    (name: Names): Method =>
    async (first, second, options) => {
      const given = [cloneArguments(first), cloneArguments(second, isAgents)] as [never, never]
      const own = ownOptions(options)
      return (await load())[name](self, ...given, own)
    }
  return Object.fromEntries(names.map(name => [name, method(name)])) as Record<Names, Method>
}
