import { type Context, ctxTarget } from 'agent-apps'
import { configFault } from './faults.js'

export const frontmatter = {
  name: 'state',
  description: 'Gives a tool a slot, `ctx.locals.state`, that lasts over the calls of one session.',
  metadata: {
    role: 'middleware',
    tags: ['meta-middleware', 'meta-metadata'],
    params: {
      description: 'What a session begins with; false for no slot.',
      type: ['boolean', 'object', 'null'],
    },
  },
}

/** The most sessions of each runtime; the least recently used one is dropped first. */
const SESSIONS = 1000

type Slots = Map<string, Record<string, unknown>>

const sessions = new WeakMap<object, Map<string, Slots>>()

/**
 * `state: true`, or `state: { …initial values }`; `false` for none. Calls with the same `options.sessionId`
 * share the state; a call without one has a state of its own.
 */
export default function state(ctx: Context, config: unknown): undefined {
  if (config === false) return undefined
  if (config !== true && config !== null && (typeof config !== 'object' || Array.isArray(config)))
    throw configFault('state', '`true` or an object', '`state: true`, `state: { count: 0 }`')
  const served = ctxTarget(ctx)
  const { name } = served.run.tool
  const { sessionId } = served.envelope
  const initial = typeof config === 'object' && config !== null ? (config as Record<string, unknown>) : {}
  const slots: Slots = sessionId === undefined ? new Map() : slotsOf(served.globals, sessionId)
  let slot = slots.get(name)
  if (!slot) {
    slot = structuredClone(initial)
    slots.set(name, slot)
  }
  served.locals.state = slot
  return undefined
}

function slotsOf(globals: object, sessionId: string): Slots {
  const kept = sessions.get(globals) ?? new Map<string, Slots>()
  sessions.set(globals, kept)
  const slots = kept.get(sessionId) ?? new Map()
  // The most recently used one comes last.
  kept.delete(sessionId)
  kept.set(sessionId, slots)
  for (const oldest of kept.keys()) {
    if (kept.size <= SESSIONS) break
    kept.delete(oldest)
  }
  return slots
}
