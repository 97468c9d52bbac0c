import {
  type Context,
  createRuntime,
  type RegisterToolOptions,
  type Runtime,
  type RuntimeOptions,
  registerTool,
} from 'agent-apps'

/** Tools to register, by name; what one leaves out is filled in. */
export type Tools = Record<
  string,
  Partial<Omit<RegisterToolOptions, 'fn'>> & { fn?: (ctx: Context, args: unknown) => unknown }
>

/** Makes a runtime that has these registered tools and no others. */
export function runtimeWith(tools: Tools, options: RuntimeOptions = {}): Runtime {
  const runtime = createRuntime({ paths: [], library: false, ...options })
  for (const [name, { fn = () => `${name} ran`, ...more }] of Object.entries(tools))
    registerTool(runtime.globals, {
      name,
      description: `The ${name}.`,
      params: { type: 'object' },
      ...more,
      fn,
    })
  return runtime
}
