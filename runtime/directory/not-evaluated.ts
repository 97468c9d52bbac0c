import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { Globals } from '../state/context.js'
import { isAsked } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'

const HINT =
  'Only `agent-apps compile`, `run`, `render` and `explain --call` run code of skills, and a runtime unless it is made with `evaluate: false`.'

/** True for a tool whose code must not run. The library's may always run. */
export function isNotEvaluated(
  { state }: Pick<ToolSource, 'state'>,
  { config, isUntrusted }: Globals,
): boolean {
  return (config.evaluate === false && !state.library) || (isUntrusted === true && isAsked(state, config))
}

/** False for a tool whose code must not run. Registered tools are the program's own. */
export function mayBeEvaluated(tool: ToolDef, globals: Globals): boolean {
  const source = sourceOf(tool)
  return !source || !isNotEvaluated(source, globals)
}

/** @throws NOT_EVALUATED for a tool whose code must not run */
export function expectEvaluated(source: ToolSource, globals: Globals): void {
  if (isNotEvaluated(source, globals)) throw notEvaluated(source.record.frontmatter.name)
}

export function notEvaluated(tool: string): AgentAppsError {
  return new AgentAppsError('NOT_EVALUATED', `The code of ${JSON.stringify(tool)} is not evaluated.`, {
    hint: HINT,
    tool,
  })
}

/** Notes that metadata which only a tool's code tells is missing. */
export function noteNotEvaluated({ state, record }: ToolSource, globals: Globals): void {
  addDiagnostic(globals, {
    file: disk.resolve(state.dir, record.file),
    rule: 'not-evaluated',
    severity: 'info',
    reason: `What the code of "${record.frontmatter.name}" says when it is run is not evaluated, because that would run the project's code`,
    note: '`agent-apps compile` runs it, and no command does that only looks.',
  })
}
