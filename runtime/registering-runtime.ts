import { withLine } from '../src/base/diagnostic.js'
import {
  createRuntime as createSlimRuntime,
  type RuntimeOptions,
  type Runtime as SlimRuntime,
} from './create-runtime.js'
import { checkAgent, checkLimits, checkSpawned } from './options/check-limits.js'
import { type RegisterFunction, register } from './registry/register.js'
import type { RegisteredTools } from './typed-tools.js'

/** A runtime of the main entry, with `register`. */
export interface Runtime<Tools = RegisteredTools> extends SlimRuntime<Tools> {
  /**
   * Registers a tool with this runtime: a definition, a result of `defineTool`, or a function `(ctx, args)` with
   * options. Returns a function that unregisters it.
   */
  readonly register: RegisterFunction
}

/**
 * Creates a runtime over path entries, or without `paths` over a compiled project. Does no I/O before its first use, when
 * it reads the project's file.
 *
 * @throws OPTIONS_INVALID
 */
export function createRuntime<Tools = RegisteredTools>(options: RuntimeOptions = {}): Runtime<Tools> {
  const runtime = createSlimRuntime<Tools>(options)
  const { globals } = runtime
  checkLimits(globals)
  globals.checkSpawned = given => checkSpawned(given, globals)
  return {
    ...runtime,
    forAgent: agent => {
      checkAgent(agent ?? {}, globals)
      return runtime.forAgent(agent)
    },
    diagnostics: () => runtime.diagnostics().map(withLine),
    register: (tool: Parameters<typeof register>[1], more = {}) => register(globals, tool, more),
  }
}
