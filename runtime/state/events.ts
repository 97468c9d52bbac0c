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

/** How far a tool is, for people. */
export interface Progress {
  title?: string
  metadata?: Record<string, unknown>
  /** How much is done, of `total`. */
  progress?: number
  total?: number
}

/**
 * The events of a call: it began, reported progress, gave its result, failed, or was not allowed; and a person
 * was asked about it, and answered.
 */
export type RunEventType = (typeof TYPES)[number]

/** Something that happened to a call. `tool:end` has the last that the tool said of its progress. */
export interface RunEvent extends Progress {
  type: RunEventType
  /** The call's id. */
  run: string
  /** The id of the call that it was made by. */
  parent?: string
  /** The host's own name for the call: the `callId` that it was given. */
  callId?: string
  tool: string
  layer: Origin['layer']
  /** Milliseconds since the call began. */
  duration: number
  /** Why it failed. */
  error?: unknown
  /** True at the end of a call whose result is `{ error }`, a failure that the model is told. */
  failed?: true
  /** The decision that denied a call by a policy. */
  decision?: Decision | undefined
  /** The origin of the tool, for a denied call and for a question to a person. */
  origin?: Origin | undefined
  /** Whose call it is, as far as that is known. */
  agentId?: string | undefined
  sessionId?: string | undefined
  userId?: string | undefined
}

/** Called with an event. What it throws becomes a diagnostic of rule `listener-throws`. */
export type RunListener = (event: Readonly<RunEvent>) => void

/** The listeners to the events of calls. */
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
