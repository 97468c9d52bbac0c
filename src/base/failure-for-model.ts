/** What a model is told of a call that failed, so that it can go on. */
export interface ModelFailure {
  /** The error's code; `TOOL_FAILED` where it has none. */
  error: string
  message: string
  /** What to do about it, where the error says. */
  hint?: string
}

const UNKNOWN: ModelFailure = { error: 'TOOL_FAILED', message: 'The tool failed and did not say why.' }

/** What a model is told of an error: what happened and what to do, and nothing of where in the code. */
export function failureForModel(error: unknown): ModelFailure {
  try {
    if (typeof error !== 'object' || error === null) return { ...UNKNOWN, ...textOf(error) }
    const { code, message, hint } = error as Record<string, unknown>
    return {
      error: isCode(code) ? code : UNKNOWN.error,
      message: textOf(message)?.message ?? UNKNOWN.message,
      ...(typeof hint === 'string' && { hint }),
    }
  } catch {
    // Whatever a tool throws, reading it must not end the model's turn.
    return { ...UNKNOWN }
  }
}

/** True for a code as ours and those of Node are written: `ARGS_INVALID`, `ENOENT`. */
function isCode(code: unknown): code is string {
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code)
}

function textOf(value: unknown): { message: string } | null {
  return value === undefined || value === null || value === '' ? null : { message: String(value) }
}
