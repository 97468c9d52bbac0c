/** The methods of `Runtime` that are loaded on demand: each takes the globals, then the caller's arguments. */

import type { ToolDetails } from '../src/index/index-format.js'
import type { Explanation } from './cascade/explain.js'
import type { RenderOptions } from './content/render-tool.js'
import { lazy } from './host/later.js'
import { UncopiedArguments } from './schema/clone-arguments.js'
import type { Globals } from './state/context.js'
import type { ToolDef } from './state/tool-def.js'

export { activate, deactivate, reload, start } from './lifecycle/start-tools.js'
export { tools } from './lifecycle/tool-states.js'
export { close, endSession, turn } from './lifetime.js'

const rendering = lazy(() => import('./content/render-tool.js'))
const details = lazy(() => import('./find/read-details.js'))
const cascades = lazy(() => import('./cascade/explain.js'))

export async function render(
  globals: Globals,
  ref: string,
  options: RenderOptions | UncopiedArguments | undefined,
): Promise<string> {
  const own = options instanceof UncopiedArguments ? { args: options } : options
  return (await rendering()).render(ref, own, globals)
}

export async function describe(
  globals: Globals,
  ref: string,
): Promise<{ tool: ToolDef } & Required<ToolDetails>> {
  return (await details()).describe(ref, globals)
}

export async function explain(globals: Globals, ref: string): Promise<Explanation> {
  return (await cascades()).explain(ref, globals)
}
