import { AgentAppsError } from '../../src/base/error.js'
import type { Decision } from '../../src/policy/decide.js'
import type { Origin } from './tool-def.js'

const TYPES = [
  'tool:start',
  'tool:update',
  'tool:end',
  'tool:error',
  'tool:denied',
  'approval:asked',
  'approval:answered',
  'trust:asked',
  'trust:answered',
] as const

/** The progress of a tool, for people. */
export interface Progress {
  /** One line for people. */
  title?: string
  /** Data for the host. */
  metadata?: Record<string, unknown>
  /** The amount done, of `total`. */
  progress?: number
  /** The whole amount, in the unit of `progress`. */
  total?: number
}

/**
 * The events of a call: it started, reported progress, ended, failed, or was denied; and a person was asked about
 * it, and answered.
 */
export type RunEventType = (typeof TYPES)[number]

/** An event of a call. `tool:end` carries the last reported progress. */
export interface RunEvent extends Progress {
  type: RunEventType
  /** The call's id. */
  run: string
  /** The id of the calling call. */
  parent?: string
  /** The host's name for the call: its `callId`. */
  callId?: string
  /** The tool's name. */
  tool: string
  layer: Origin['layer']
  /** Milliseconds since the call began. */
  duration: number
  /** The error of a failed call. */
  error?: unknown
  /** True if the result is `{ error }`, a failure for the model. */
  failed?: true
  /** The decision that denied a call by a policy. */
  decision?: Decision | undefined
  /** The origin of the tool, for a denied call or a question to a person. */
  origin?: Origin | undefined
  /** The ids of the call, where known. */
  agentId?: string | undefined
  sessionId?: string | undefined
  userId?: string | undefined
}

/** Called with an event. What it throws becomes a diagnostic of rule `listener-throws`. */
export type RunListener = (event: Readonly<RunEvent>) => void

/** The listeners of a runtime's events. */
export class RunEvents {
  /** Keyed by type. A type without listeners has no set. */
  readonly listeners = new Map<RunEventType, Set<{ listener: RunListener }>>()

  /**
   * Calls a listener at each event of a type, until the returned function is called.
   *
   * @throws OPTIONS_INVALID for an unknown type
   */
  on(type: RunEventType, listener: RunListener): () => void {
    if (!TYPES.includes(type)) {
      throw new AgentAppsError('OPTIONS_INVALID', `There is no event "${type}".`, {
        hint: `There are ${TYPES.join(', ')}.`,
      })
    }
    const listeners = this.listeners.get(type) ?? new Set()
    const entry = { listener }
    this.listeners.set(type, listeners.add(entry))
    return () => {
      listeners.delete(entry)
      if (listeners.size === 0 && this.listeners.get(type) === listeners) this.listeners.delete(type)
    }
  }
}
