import type { Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { Outcome } from './outcome.js'

/** An answer that holds for more than one call. */
export interface Approval {
  id: string
  /** For how long it holds: until the session ends, or in this project from now on. */
  scope: 'session' | 'project'
  tool: string
  /** The key of the calls that it is for, as a person was shown it. */
  key: string
  /** The digest of the tool when the approval was given. */
  digest: string
  /** When it was given, in milliseconds since 1970. */
  time: number
  userId: string | undefined
  agentId: string | undefined
}

interface Granted extends Approval {
  sessionId: string
}

/** Single calls that may be tried again: more than wait for that at a time. */
const ONCE_MAX = 10_000

/** The answers of a runtime's sessions, as long as the runtime lives. */
export class SessionApprovals {
  /** The approvals for the rest of the session, by the identity of the calls. */
  readonly #granted = new Map<string, Granted>()
  /** Single calls that may be tried again, with the session that each belongs to. */
  readonly #once = new Map<string, string | undefined>()
  /** The number of times that anything was granted. */
  grants = 0
  /** Questions that wait for an answer: a call of the same identity waits for it too. */
  readonly waiting = new Map<string, Promise<Outcome>>()

  /** Calls that somebody is asked about. */
  readonly #asked = new Set<{ sessionId: string | undefined; hasEnded: boolean }>()

  /** Waits for an answer, and says whether its session ended meanwhile. */
  async during<Answer>(
    sessionId: string | undefined,
    answer: Promise<Answer>,
  ): Promise<{ answer: Answer; hasEnded: boolean }> {
    const asked = { sessionId, hasEnded: false }
    this.#asked.add(asked)
    try {
      return { answer: await answer, hasEnded: asked.hasEnded }
    } finally {
      this.#asked.delete(asked)
    }
  }

  has(identity: string): boolean {
    return this.#granted.has(identity)
  }

  grant(identity: string, approval: Granted): void {
    this.#granted.set(identity, approval)
    this.grants++
  }

  hasCall(call: string): boolean {
    return this.#once.has(call)
  }

  grantCall(call: string, sessionId: string | undefined): void {
    const [oldest] = this.#once.keys()
    if (this.#once.size >= ONCE_MAX && oldest !== undefined) this.#once.delete(oldest)
    this.#once.set(call, sessionId)
    this.grants++
  }

  /** Those of one session. */
  of(sessionId: string): Approval[] {
    return [...this.#granted.values()].flatMap(({ sessionId: session, ...approval }) =>
      session === sessionId ? [approval] : [],
    )
  }

  /** False where none of them has this id. */
  revoke(id: string): boolean {
    const found = [...this.#granted].find(([, approval]) => approval.id === id)
    return found !== undefined && this.#granted.delete(found[0])
  }

  end(sessionId: string): void {
    for (const asked of this.#asked) asked.hasEnded ||= asked.sessionId === sessionId
    for (const [identity, approval] of this.#granted)
      if (approval.sessionId === sessionId) this.#granted.delete(identity)
    for (const [call, session] of this.#once) if (session === sessionId) this.#once.delete(call)
  }
}

export const sessionApprovals = perRuntime(() => new SessionApprovals())

/** Ends what was approved for a session. */
export function endApprovals(sessionId: string, globals: Globals): void {
  sessionApprovals(globals).end(sessionId)
}
