import type { OwnParts } from '../../src/own/own-parts.js'
import { lazy } from '../host/later.js'
import type { CallContext } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

const asking = lazy(() => import('./ask-for-tool.js'))

const NOTHING = Object.freeze({})

/** The own parts of a tool that declares nothing: a way to ask. */
export function bareParts(tool: ToolDef, ctx: CallContext, abort: () => AbortSignal | undefined): OwnParts {
  const ask = async (question: never): Promise<unknown> => (await asking()).askFor(tool, ctx, abort)(question)
  return { config: NOTHING, env: NOTHING, state: undefined, ask: ask as OwnParts['ask'] }
}

/** True for a tool that declares something of its own, which must be made ready before it runs. */
export function declaresOwn({ frontmatter: { metadata } }: ToolDef): boolean {
  return (metadata.config ?? metadata.env ?? metadata['state-slot'] ?? undefined) !== undefined
}
