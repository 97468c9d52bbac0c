import { type ErrorCode, isAgentAppsError } from './error.js'

/** A failed call as a model sees it, so that it can continue. */
export interface ModelFailure {
  /** The error's code; `TOOL_FAILED` without one. */
  error: string
  message: string
  /** Advice for the model, where the error has some. Advice for people is left out. */
  hint?: string
}

const UNKNOWN: ModelFailure = { error: 'TOOL_FAILED', message: 'The tool failed and did not say why.' }

/** Returns an error for a model: the cause and the remedy, without any place in code. */
export function failureForModel(error: unknown): ModelFailure {
  try {
    if (typeof error !== 'object' || error === null) return { ...UNKNOWN, ...textOf(error) }
    const { code, message } = error as Record<string, unknown>
    const hint = hintOf(error)
    return {
      error: isCode(code) ? code : UNKNOWN.error,
      message: textOf(message)?.message ?? UNKNOWN.message,
      ...(typeof hint === 'string' && { hint }),
    }
  } catch {
    // Reading a tool's error must never end the model's turn.
    return { ...UNKNOWN }
  }
}

/** The codes whose hints are about the next call, and so are useful to a model too. */
const FOR_MODELS: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'AGENT_FAILED',
  'APPROVAL_DENIED',
  'ARGS_INVALID',
  'EDIT_FAILED',
  'FETCH_FAILED',
  'FETCH_REFUSED',
  'FILE_CHANGED',
  'FILE_NOT_FOUND',
  'FILE_NOT_READ',
  'FILE_PROTECTED',
  'FILE_UNUSABLE',
  'PATH_OUTSIDE',
  'PATTERN_REFUSED',
  'STATE_CONFLICT',
])

/** The hint for a model. Errors of other classes are written for it; of ours, `modelHint` and those in `FOR_MODELS` are. */
function hintOf(error: object): unknown {
  if (!isAgentAppsError(error)) return (error as { hint?: unknown }).hint
  return error.modelHint ?? (FOR_MODELS.has(error.code) ? error.hint : undefined)
}

/** True for a code like ours and Node's: `ARGS_INVALID`, `ENOENT`. */
function isCode(code: unknown): code is string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)
}

function textOf(value: unknown): { message: string } | null {
  return value === undefined || value === null || value === '' ? null : { message: String(value) }
}
