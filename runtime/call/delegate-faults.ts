import { AgentAppsError, type ErrorCode, isAgentAppsError } from '../../src/base/error.js'
import { isToolName } from '../../src/skill/names.js'

/** What is wrong with a call before it is one. */
const BEFORE_CALL: ReadonlySet<ErrorCode> = new Set(['ARGS_INVALID', 'TOOL_BROKEN', 'TOOL_NOT_FOUND'])

/** Of an error that was told of a delegate, whose delegate that was: its own `tool` stays the one that it speaks of. */
const delegating = new WeakMap<AgentAppsError, string>()

/** What a call of a tool's delegate threw. Where that was no call yet, the caller never named what it speaks of: so it names the tool, too. */
export function delegateFailed(tool: string, delegate: string, error: unknown): unknown {
  if (!isAgentAppsError(error) || !BEFORE_CALL.has(error.code)) return error
  const speaksOf = delegating.get(error) ?? error.tool
  const isOfDelegate = speaksOf === delegate || (error.code === 'ARGS_INVALID' && !isToolName(delegate))
  return isOfDelegate ? named(tool, error) : error
}

/** What kept the code of a tool's delegate from being imported. */
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
