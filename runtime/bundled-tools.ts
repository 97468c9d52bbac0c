import type { Runtime } from './create-runtime.js'
import type { BundleRuntime, InvokeOptions } from './state/context.js'

type Call = (args?: unknown, options?: InvokeOptions) => Promise<unknown>

/** Lets a bundle's runtime answer for its globals when another copy of the package gets them. */
export function answering(runtime: Runtime): Runtime {
  // Accepts any name, unlike the runtime's types.
  runtime.globals.bundle = runtime as Runtime & BundleRuntime
  return runtime
}

/**
 * The functions of a bundle's tools, by name. All are made at the first access, since there may be thousands.
 */
export function bundledTools(
  runtime: Runtime,
  namesOf: () => readonly string[],
): Readonly<Record<string, Call>> {
  const tools: Record<string, Call> = {}
  const made = (): typeof tools => {
    if (Object.isFrozen(tools)) return tools
    for (const name of namesOf()) tools[name] = (args, options) => runtime.invoke(name, args, options)
    return Object.freeze(tools)
  }
  return new Proxy(tools, {
    get: (_, name) => Reflect.get(made(), name),
    has: (_, name) => Reflect.has(made(), name),
    ownKeys: () => Reflect.ownKeys(made()),
    getOwnPropertyDescriptor: (_, name) => Reflect.getOwnPropertyDescriptor(made(), name),
    isExtensible: () => Reflect.isExtensible(made()),
    set: () => false,
    defineProperty: () => false,
    deleteProperty: () => false,
  })
}
