import { AgentAppsError, type ErrorCode, isAgentAppsError } from '../../src/base/error.js'
import { isName } from '../../src/skill/names.js'

/** The errors that occur before a tool runs. */
const BEFORE_CALL: ReadonlySet<ErrorCode> = new Set(['ARGS_INVALID', 'TOOL_BROKEN', 'TOOL_NOT_FOUND'])

/** The tool whose delegate an error is about, by the error: its own `tool` stays the one that failed. */
const delegating = new WeakMap<AgentAppsError, string>()

/** A delegate's error. One from before it ran has a name that the caller never wrote, so ours is added. */
export function delegateFailed(tool: string, delegate: string, error: unknown): unknown {
  if (!isAgentAppsError(error) || !BEFORE_CALL.has(error.code)) return error
  const speaksOf = delegating.get(error) ?? error.tool
  const isOfDelegate = speaksOf === delegate || (error.code === 'ARGS_INVALID' && !isName(delegate))
  return isOfDelegate ? named(tool, error) : error
}

/** The error of importing a delegate's code, with the tool named. */
export function delegateUnready(tool: string, error: unknown): unknown {
  return isAgentAppsError(error) ? named(tool, error) : error
}

function named(name: string, error: AgentAppsError): AgentAppsError {
  const { code, message, hint, tool = name, file, position, issues } = error
  const told = new AgentAppsError(code, `The delegate of "${name}": ${message}`, {
    hint,
    tool,
    ...(file !== undefined && { file }),
    ...(position && { position }),
    ...(issues && { issues }),
    cause: error,
  })
  delegating.set(told, name)
  return told
}
