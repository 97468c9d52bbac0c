import { type Awaitable, whenThere } from '../host/later.js'
import { cloneArguments } from '../schema/clone-arguments.js'
import type { InvokeOptions } from '../state/context.js'
import { ownOptions } from './own-options.js'

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
    (first, second, options) => {
      const given = [cloneArguments(first), cloneArguments(second, isAgents)] as [never, never]
      const own = ownOptions(options)
      return Promise.resolve(whenThere(load(), later => later[name](self, ...given, own)))
    }
  return Object.fromEntries(names.map(name => [name, method(name)])) as Record<Names, Method>
}
