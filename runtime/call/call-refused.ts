import { AgentAppsError } from '../../src/base/error.js'
import { NAMES_SHOWN } from '../find/call-faults.js'
import type { UncopiedArguments } from '../schema/clone-arguments.js'
import type { ToolDef } from '../state/tool-def.js'
import type { RunContext } from './run-context.js'

/** The error for a call that stands in too many others, with the names of all of them. */
export function depthExceeded(ctx: RunContext, maxDepth: number): AgentAppsError {
  const names: string[] = []
  for (let one: RunContext | undefined = ctx; one; one = one.caller) names.unshift(one.tool.name)
  if (names.length > 2 * NAMES_SHOWN) names.splice(NAMES_SHOWN, names.length - 2 * NAMES_SHOWN, '…')
  return new AgentAppsError(
    'DEPTH_EXCEEDED',
    `Tools call each other more than ${maxDepth} deep: ${names.join(' → ')}.`,
    {
      hint: isCircleOfDelegates(ctx)
        ? 'They delegate to each other in a circle: let one of them do the work itself.'
        : 'Let one of them end without calling another, or raise `maxDepth`.',
      tool: ctx.tool.name,
    },
  )
}

/** True where the last tools called only hand on the call, and came round to the same one. */
function isCircleOfDelegates({ tool, caller }: RunContext): boolean {
  for (let one = caller; one; one = one.caller) {
    if (typeof one.tool.frontmatter.metadata.delegate !== 'string') return false
    if (one.tool.name === tool.name) return true
  }
  return false
}

/** The error for arguments that cannot be copied. */
export function argumentsRefused({ name }: ToolDef, { why, cause }: UncopiedArguments): AgentAppsError {
  return new AgentAppsError('ARGS_INVALID', `The arguments of "${name}" ${why}.`, {
    hint: 'Give plain data, as JSON has it, and less of it where it is much.',
    tool: name,
    cause,
  })
}
