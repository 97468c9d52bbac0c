import { definedFields } from './json.js'

/** Every code that an `AgentAppsError` can carry; `docs/errors.md` explains each. */
export type ErrorCode =
  | 'AGENT_FAILED'
  | 'AGENT_LIMIT'
  | 'AGENT_NO_RESULT'
  | 'AGENT_UNKNOWN'
  | 'APPROVAL_DENIED'
  | 'APPROVAL_INVALID'
  | 'APPROVAL_KEY_INVALID'
  | 'APPROVAL_UNAVAILABLE'
  | 'APPROVAL_UNSIGNED'
  | 'ARGS_INVALID'
  | 'BUNDLE_CODE'
  | 'BUNDLE_NOT_WRITABLE'
  | 'BUNDLE_PLACE'
  | 'BUNDLE_REPLACED'
  | 'BUNDLE_UNCOMPILED'
  | 'CASCADE_INVALID'
  | 'COMPILE_ABORTED'
  | 'CONFIG_INVALID'
  | 'CONFIG_NOT_FOUND'
  | 'CONFORMANCE_FAILED'
  | 'CONTENT_CYCLE'
  | 'CONTENT_INVALID'
  | 'CONTENT_MISSING'
  | 'CONTENT_NOT_COMPILED'
  | 'CONTENT_TOO_LARGE'
  | 'CONTEXT_MISSING'
  | 'DEFINITION_INVALID'
  | 'DEPTH_EXCEEDED'
  | 'DIRECTIVE_FAILED'
  | 'DIRECTORY_NOT_FOUND'
  | 'EDIT_FAILED'
  | 'EMBEDDER_FAILED'
  | 'EXPORT_CLASH'
  | 'EXPORT_EMPTY'
  | 'EXPORT_FAILED'
  | 'EXPORT_PLACE'
  | 'FETCH_FAILED'
  | 'FETCH_REFUSED'
  | 'FILE_CHANGED'
  | 'FILE_NOT_FOUND'
  | 'FILE_NOT_READ'
  | 'FILE_PROTECTED'
  | 'FILE_UNUSABLE'
  | 'FUNCTION_INVALID'
  | 'INDEX_LOCKED'
  | 'INDEX_NOT_WRITABLE'
  | 'INDEX_STALE'
  | 'INIT_FAILED'
  | 'INLINE_INVALID'
  | 'INTEGRITY_FAILED'
  | 'INTERACTION_UNAVAILABLE'
  | 'JSON_INVALID'
  | 'LIMIT_EXCEEDED'
  | 'MCP_FAILED'
  | 'MCP_UNAVAILABLE'
  | 'MIDDLEWARE_CONFIG'
  | 'MODEL_MISSING'
  | 'MODULE_MISSING'
  | 'NAME_INVALID'
  | 'NEXT_TWICE'
  | 'NOT_EVALUATED'
  | 'NO_SKILL_PATHS'
  | 'OPTIONS_INVALID'
  | 'PATH_INVALID'
  | 'PATH_OUTSIDE'
  | 'PATTERN_REFUSED'
  | 'PERMISSION_MISSING'
  | 'PUBLISH_REFUSED'
  | 'REMOTE_CODE'
  | 'REMOTE_FORMAT'
  | 'REMOTE_MISSING'
  | 'REMOTE_TOO_LARGE'
  | 'REMOTE_UNAVAILABLE'
  | 'RERANKER_FAILED'
  | 'RESOURCE_NOT_FOUND'
  | 'RESOURCE_UNREADABLE'
  | 'RESULT_INVALID'
  | 'RESULT_NOT_JSON'
  | 'REVOKE_FAILED'
  | 'RUNTIME_CLOSED'
  | 'RUN_ABORTED'
  | 'SCHEMA_INVALID'
  | 'SCHEMA_UNSUPPORTED'
  | 'STATE_CONFLICT'
  | 'STATE_INVALID'
  | 'TOOL_BROKEN'
  | 'TOOL_CONFIG'
  | 'TOOL_DENIED'
  | 'TOOL_INACTIVE'
  | 'TOOL_NOT_FOUND'
  | 'TOOL_TIMEOUT'
  | 'USAGE'
  | 'WORKSPACE_MISSING'

interface ErrorDetails {
  /** Advice for a person. */
  hint: string
  /** Advice for the model that made the call. */
  modelHint?: string
  /** The tool's name or reference. */
  tool?: string
  /** The file concerned. */
  file?: string
  /** The place in `file`, from 1. */
  position?: { line: number; column: number }
  /** All faults, one by one. */
  issues?: Issue[]
  cause?: unknown
}

const BRAND = Symbol.for('agent-apps.error')

/** The only error class of agent-apps. `isAgentAppsError` also recognizes errors of other copies of the package. */
export class AgentAppsError extends Error {
  override readonly name = 'AgentAppsError'
  /** The stable code, such as `TOOL_NOT_FOUND`. */
  declare readonly code: ErrorCode
  /** Advice for a person. */
  declare readonly hint: string
  /** Advice for the model that made the call. */
  declare readonly modelHint?: string
  /** The tool's name or reference. */
  declare readonly tool?: string
  /** The file concerned. */
  declare readonly file?: string
  /** The place in `file`, from 1. */
  declare readonly position?: { line: number; column: number }
  /** All faults, one by one. */
  declare readonly issues?: Issue[]

  constructor(code: ErrorCode, message: string, { cause, ...details }: ErrorDetails) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, definedFields({ code, ...details }))
  }

  get [BRAND](): true {
    return true
  }
}

/** True for an `AgentAppsError` of any copy of the package. */
export function isAgentAppsError(value: unknown): value is AgentAppsError {
  return typeof value === 'object' && value !== null && (value as Record<symbol, unknown>)[BRAND] === true
}

export function runtimeClosed(): AgentAppsError {
  return new AgentAppsError('RUNTIME_CLOSED', 'The runtime is closed.', { hint: 'Make another one.' })
}

/** One fault of the arguments or the result of a tool. */
export interface Issue {
  /** The path to the faulty value: `items[2].name`, `headers["x-id"]`; empty for the whole value. */
  path: string
  /** The value that the schema expects there. */
  expected: string
  /** The value there, in a few words. */
  found: string
  /** All of this in one sentence. */
  message: string
}
