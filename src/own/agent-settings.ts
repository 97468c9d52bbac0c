import { isJsonObject, type JsonValue } from '../base/json.js'
import { nearest } from '../base/nearest.js'

/** How a model runs a skill: `metadata.agent` with its defaults. */
export interface AgentSettings {
  /** The model's name in the host's table of models. */
  readonly model: string
  /** The most answers of the model. */
  readonly maxSteps: number
  /** The most tokens that it may read and write, including the agents that it starts. */
  readonly maxTokens: number
  /** Milliseconds. */
  readonly timeoutMs: number
}

const DEFAULTS: AgentSettings = { model: 'default', maxSteps: 20, maxTokens: 200_000, timeoutMs: 600_000 }

/** The most that a timer can wait for. */
const TIMEOUT_MAX = 2 ** 31 - 1

/** Reads `metadata.agent` without faults. Absent, null and `false` count as `true`. */
export function agentSettings(value: JsonValue | undefined): AgentSettings {
  return isJsonObject(value) ? { ...DEFAULTS, ...value } : DEFAULTS
}

/** The fault of `metadata.agent`, as the end of a sentence about it; null without one. */
export function agentFault(value: JsonValue | undefined): string | null {
  if (value === undefined || value === null || typeof value === 'boolean') return null
  if (!isJsonObject(value))
    return 'must be `true`, or an object with `model`, `maxSteps`, `maxTokens` or `timeoutMs`'
  for (const [key, setting] of Object.entries(value)) {
    const fault = settingFault(key, setting)
    if (fault !== null) return fault
  }
  return null
}

function settingFault(key: string, value: JsonValue): string | null {
  if (!Object.hasOwn(DEFAULTS, key)) {
    const near = nearest(key, Object.keys(DEFAULTS))
    return `has no setting "${key}"${near === null ? '' : `: did you mean "${near}"?`}`
  }
  if (key === 'model')
    return typeof value === 'string' && value !== ''
      ? null
      : 'must name one of the models of the host as `model`'
  const max = key === 'timeoutMs' ? TIMEOUT_MAX : Number.MAX_SAFE_INTEGER
  const isFit = Number.isInteger(value) && Number(value) > 0 && Number(value) <= max
  return isFit ? null : `must have a whole number from 1 to ${max} as \`${key}\``
}
