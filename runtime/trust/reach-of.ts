import type { Globals } from '../state/context.js'
import { isAsked } from '../state/directory-state.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { agentView } from './agent-view.js'

/** The runtime as a tool's own needs reach it: those of others reach no code of an untrusted project. */
export async function reachOf(tool: ToolDef, own: Globals): Promise<Globals> {
  const source = sourceOf(tool)
  if (source && isAsked(source.state, own.config)) return own
  return (await agentView(own)).globals
}
