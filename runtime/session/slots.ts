import { disk } from '#disk'
import { orNull } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import type { JsonObject, JsonValue } from '../../src/base/json.js'
import type { StateSlot } from '../../src/own/declared.js'
import { notJsonIn } from '../../src/values/not-json.js'
import { compareWith } from '../schema/validate-schema.js'
import type { Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import { expiryOf, mustRenew, noteSessionKey, openSession } from '../state/session-record.js'
import { isConflict, type Store, type StoredValue } from '../state/store.js'
import type { ToolDef } from '../state/tool-def.js'

/** The slots that this process has opened, by key, and the keys of each session. */
interface Slots {
  byKey: Map<string, Slot>
  bySession: Map<string, Set<string>>
}

const slotsOf = perRuntime((): Slots => ({ byKey: new Map(), bySession: new Map() }))

/**
 * Opens a tool's slot for a call. Calls of one session share its object, which is saved when they end. A slot without
 * a session is kept in memory only.
 *
 * @throws STATE_INVALID if the stored or the initial state does not match the tool's schema
 */
export async function openSlot(
  tool: ToolDef,
  declared: StateSlot,
  sessionId: string | undefined,
  globals: Globals,
): Promise<Slot> {
  const slots = slotsOf(globals)
  const { store } = globals.config
  const generation = store && sessionId !== undefined ? await openSession(sessionId, store) : undefined
  const key = keyOf(tool, sessionId, generation, globals)
  const slot = slots.byKey.get(key) ?? new Slot(key, tool, declared, sessionId, generation, globals)
  slots.byKey.set(key, slot)
  if (sessionId !== undefined) {
    const keys = slots.bySession.get(sessionId) ?? new Set()
    slots.bySession.set(sessionId, keys.add(key))
  }
  try {
    await slot.open()
    return slot
  } catch (error) {
    if (slots.byKey.get(key) === slot) slots.byKey.delete(key)
    throw error
  }
}

/** Removes the slots of a session from memory. Running calls no longer save theirs. */
export function endSlots(sessionId: string, globals: Globals): void {
  const { byKey, bySession } = slotsOf(globals)
  for (const key of bySession.get(sessionId) ?? []) {
    byKey.get(key)?.end()
    byKey.delete(key)
  }
  bySession.delete(sessionId)
}

const LEFT = 'What was left in the state'

/** A tool's own state in one session. */
export class Slot {
  value: JsonValue
  /** The last saved state, as text; null before the first. */
  #kept: string | null = null
  #keptValue: JsonValue = null
  #version: string | null = null
  #users = 0
  #hasEnded = false
  /** The error after which no state of its calls can be saved. */
  #failure: unknown
  #loading: Promise<void> | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(
    readonly key: string,
    readonly tool: ToolDef,
    readonly declared: StateSlot,
    readonly sessionId: string | undefined,
    /** The session's generation in the store; undefined for a slot that is kept in memory only. */
    readonly generation: string | undefined,
    readonly globals: Globals,
  ) {
    this.value = structuredClone(declared.initial)
  }

  /** Reads the state that another process may have saved, unless a call of this one uses the object. */
  async open(): Promise<void> {
    this.#users++
    if (this.#users === 1) this.#loading = this.#load()
    try {
      await this.#loading
    } catch (error) {
      this.#users--
      throw error
    }
  }

  /**
   * Saves the state that a call has left.
   *
   * @throws STATE_CONFLICT, STATE_INVALID
   */
  async close(): Promise<void> {
    this.#users--
    const saving = this.#saving.then(() => this.#save())
    this.#saving = saving.catch(() => {})
    return saving
  }

  end(): void {
    this.#hasEnded = true
  }

  async #load(): Promise<void> {
    await this.#saving
    const stored = await this.#renewed()
    if (stored === null ? this.#kept !== null && !this.#isStored : stored.version === this.#version) return
    this.#version = stored?.version ?? null
    const value = stored ? stored.value : structuredClone(this.declared.initial)
    this.value = await this.#checked(value, stored ? 'What is kept as the state' : 'The initial state')
    this.#note(canonicalText(this.value))
  }

  /** The host's store; undefined for a slot that is kept in memory only. */
  get #store(): Store | undefined {
    return this.generation === undefined ? undefined : this.globals.config.store
  }

  get #isStored(): boolean {
    return this.#store !== undefined
  }

  /** Reads the stored state, and renews it if it would expire soon. */
  async #renewed(): Promise<StoredValue | null> {
    const store = this.#store
    const stored = (await store?.get(this.key)) ?? null
    if (!store || !stored || !mustRenew(stored.expires, store)) return stored
    try {
      const version = await store.set(this.key, stored.value, stored.version, expiryOf(store))
      return { ...stored, version }
    } catch (error) {
      // Another process has renewed or changed it.
      if (!isConflict(error)) throw error
      return store.get(this.key)
    }
  }

  async #save(): Promise<void> {
    if (this.#hasEnded) return
    // After a call whose state was lost, that of this call is lost as well.
    if (this.#failure !== undefined) throw this.#failure
    try {
      this.#mustBeJson()
      const text = canonicalText(this.value)
      if (text !== this.#kept) await this.#keep(text)
    } catch (error) {
      this.#failure = isConflict(error) ? conflict(this.tool, error) : error
      this.#leave()
      throw this.#failure
    }
    if (this.#users === 0 && this.#isStored) this.#leave()
  }

  async #keep(text: string): Promise<void> {
    const value = await this.#checked(this.value, LEFT)
    const { sessionId, generation, key } = this
    const store = this.#store
    if (store && sessionId !== undefined && generation !== undefined) {
      if (!(await noteSessionKey(sessionId, generation, key, store))) return this.end()
      this.#version = await store.set(key, value, this.#version, expiryOf(store))
    }
    this.#note(text)
  }

  #note(text: string): void {
    this.#kept = text
    this.#keptValue = structuredClone(this.value)
  }

  /** Makes the next call start with the saved state. */
  #leave(): void {
    const { byKey } = slotsOf(this.globals)
    if (byKey.get(this.key) !== this) return
    byKey.delete(this.key)
    if (this.#isStored) return this.#forgetKey()
    const next = new Slot(this.key, this.tool, this.declared, this.sessionId, undefined, this.globals)
    next.value = this.#keptValue
    next.#note(canonicalText(next.value))
    byKey.set(this.key, next)
  }

  /** Removes the key of a slot that is in the store from those of its session. */
  #forgetKey(): void {
    const { bySession } = slotsOf(this.globals)
    const keys = bySession.get(this.sessionId ?? '')
    keys?.delete(this.key)
    if (keys?.size === 0) bySession.delete(this.sessionId ?? '')
  }

  /** Runs before anything that walks through the value, which may be circular. */
  #mustBeJson(): void {
    const { what, path } = notJsonIn({ state: this.value } as JsonObject) ?? {}
    if (what !== undefined) throw invalid(this.tool, LEFT, `${what} at "${path}" is not a JSON`)
    if (orNull(() => JSON.stringify(this.value)) === null) throw invalid(this.tool, LEFT, 'it is circular')
  }

  async #checked(value: JsonValue, what: string): Promise<JsonValue> {
    const { name } = this.tool
    const { schema } = this.declared
    const { value: checked, fault } = await compareWith({ tool: name, part: 'params', schema, value }, null)
    if (!fault) return checked as JsonValue
    if (fault.code === 'SCHEMA_INVALID') {
      const message = fault.message.replace('"params"', '"state"')
      throw new AgentAppsError('SCHEMA_INVALID', message, { hint: fault.hint, tool: name })
    }
    const faults = fault.issues?.map(({ message }) => message).join('; ') ?? fault.message
    throw invalid(this.tool, what, faults, fault.issues)
  }
}

function invalid(
  { name }: ToolDef,
  what: string,
  faults: string,
  issues?: AgentAppsError['issues'],
): AgentAppsError {
  return new AgentAppsError('STATE_INVALID', `${what} of "${name}" is invalid: ${faults}.`, {
    hint: 'Correct the tool or its schema. `runtime.endSession(id)` removes what is kept.',
    tool: name,
    ...(issues && { issues }),
  })
}

function conflict({ name }: ToolDef, cause: unknown): AgentAppsError {
  return new AgentAppsError(
    'STATE_CONFLICT',
    `The state of "${name}" was changed by another process while the call ran. What the call left in it is lost.`,
    { hint: 'Call the tool again: it begins with what the other process kept.', tool: name, cause },
  )
}

/**
 * A tool of the same name from elsewhere has a slot of its own. Its place is relative to `cwd`, so that checkouts in
 * different folders share a session.
 */
function keyOf(
  tool: ToolDef,
  sessionId: string | undefined,
  generation: string | undefined,
  { config }: Globals,
): string {
  const { layer, entry, file } = tool.origin
  const place = entry === '' ? '' : relativePath(config.cwd ?? disk.cwd(), entry)
  return JSON.stringify(['state', sessionId ?? null, generation ?? null, layer, place, file, tool.name])
}

/** The way from one absolute directory to another, `/`-separated. */
function relativePath(from: string, to: string): string {
  const [up, down] = [from, to].map(path => disk.resolve(path).split(/[\\/]/)) as [string[], string[]]
  let shared = 0
  while (shared < up.length && up[shared] === down[shared]) shared++
  return [...up.slice(shared).map(() => '..'), ...down.slice(shared)].join('/')
}
