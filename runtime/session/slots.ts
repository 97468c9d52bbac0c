import { disk } from '#disk'
import { orNull } from '../../src/base/attempt.js'
import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isStringArray, type JsonObject, type JsonValue } from '../../src/base/json.js'
import type { StateSlot } from '../../src/own/declared.js'
import { notJsonIn } from '../../src/values/not-json.js'
import { compareWith } from '../schema/validate-schema.js'
import type { Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import { isConflict, type Store, type StoredValue } from '../state/store.js'
import type { ToolDef } from '../state/tool-def.js'

/** The slots that calls of this process have opened, by key, and those of each session. */
interface Slots {
  byKey: Map<string, Slot>
  bySession: Map<string, Set<string>>
}

const slotsOf = perRuntime((): Slots => ({ byKey: new Map(), bySession: new Map() }))

/**
 * Opens a tool's slot for a call. Calls of one session share its object; what they leave in it is kept when
 * they end. A slot without a session is kept in memory alone.
 *
 * @throws STATE_INVALID where what is kept, or the initial value, does not match the tool's schema
 */
export async function openSlot(
  tool: ToolDef,
  declared: StateSlot,
  sessionId: string | undefined,
  globals: Globals,
): Promise<Slot> {
  const slots = slotsOf(globals)
  const key = keyOf(tool, sessionId, globals)
  const slot = slots.byKey.get(key) ?? new Slot(key, tool, declared, sessionId, globals)
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

/** Removes the slots of a session, from memory and from the store. Calls that run keep nothing any more. */
export async function endSlots(sessionId: string, globals: Globals): Promise<void> {
  const { byKey, bySession } = slotsOf(globals)
  for (const key of bySession.get(sessionId) ?? []) {
    byKey.get(key)?.end()
    byKey.delete(key)
  }
  bySession.delete(sessionId)
  await forgetKeys(sessionId, globals)
}

const LEFT = 'What was left in the state'

/** A tool's own state in one session. */
export class Slot {
  value: JsonValue
  /** The last kept state, as text; null before any was kept. */
  #kept: string | null = null
  #keptValue: JsonValue = null
  #version: string | null = null
  #users = 0
  #hasEnded = false
  /** Why what calls leave in it cannot be kept any more. */
  #failure: unknown
  #loading: Promise<void> | undefined
  #saving: Promise<void> = Promise.resolve()

  constructor(
    readonly key: string,
    readonly tool: ToolDef,
    readonly declared: StateSlot,
    readonly sessionId: string | undefined,
    readonly globals: Globals,
  ) {
    this.value = structuredClone(declared.initial)
  }

  /** Reads what another process may have kept, where no call of this one has the object. */
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
   * Keeps what a call has left.
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
    const stored = await this.#stored()
    if (stored === null ? this.#kept !== null && !this.#isStored : stored.version === this.#version) return
    this.#version = stored?.version ?? null
    const value = stored ? stored.value : structuredClone(this.declared.initial)
    this.value = await this.#checked(value, stored ? 'What is kept as the state' : 'The initial state')
    this.#note(canonicalText(this.value))
  }

  get #isStored(): boolean {
    return this.sessionId !== undefined && this.globals.config.store !== undefined
  }

  async #stored(): Promise<StoredValue | null> {
    return this.#isStored ? ((await this.globals.config.store?.get(this.key)) ?? null) : null
  }

  async #save(): Promise<void> {
    if (this.#hasEnded) return
    // What this call left is lost with what the call before it left.
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
    const { store } = this.globals.config
    if (store && this.sessionId !== undefined) {
      await rememberKey(this.sessionId, this.key, store)
      this.#version = await store.set(this.key, value, this.#version)
    }
    this.#note(text)
  }

  #note(text: string): void {
    this.#kept = text
    this.#keptValue = structuredClone(this.value)
  }

  /** Has the next call begin with what is kept. */
  #leave(): void {
    const { byKey } = slotsOf(this.globals)
    if (byKey.get(this.key) !== this) return
    byKey.delete(this.key)
    if (this.#isStored) return
    const next = new Slot(this.key, this.tool, this.declared, this.sessionId, this.globals)
    next.value = this.#keptValue
    next.#note(canonicalText(next.value))
    byKey.set(this.key, next)
  }

  /** Before anything walks through it: it may hold itself. */
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
      const said = fault.message.replace('"params"', '"state"')
      throw new AgentAppsError('SCHEMA_INVALID', said, { hint: fault.hint, tool: name })
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

/** A tool of the same name from elsewhere has a slot of its own. */
function keyOf(tool: ToolDef, sessionId: string | undefined, { config }: Globals): string {
  const { layer, entry, file } = tool.origin
  const cwd = config.cwd ?? disk.cwd()
  const place = entry === '' ? '' : (disk.inside(cwd, entry) ?? entry)
  return JSON.stringify(['state', sessionId ?? null, layer, place, file, tool.name])
}

/** A store cannot list its keys, so those of a session are kept in it too. */
function listKey(sessionId: string): string {
  return JSON.stringify(['session', sessionId])
}

/** Tries at a list that other processes add to at the same time. */
const TRIES_MAX = 50

/** Notes that a session has a key in a store, before the key is set. */
async function rememberKey(sessionId: string, key: string, store: Store): Promise<void> {
  const list = listKey(sessionId)
  for (let tries = 1; ; tries++) {
    const kept = await store.get(list)
    const keys = isStringArray(kept?.value) ? kept.value : []
    if (keys.includes(key)) return
    try {
      await store.set(list, [...keys, key], kept?.version ?? null)
      return
    } catch (error) {
      if (!isConflict(error) || tries === TRIES_MAX) throw error
    }
  }
}

/** Removes the keys of a session from the runtime's store, whichever process set them. */
async function forgetKeys(sessionId: string, { config: { store } }: Globals): Promise<void> {
  if (!store) return
  const list = listKey(sessionId)
  const kept = await store.get(list)
  for (const key of isStringArray(kept?.value) ? kept.value : []) await store.delete(key)
  await store.delete(list)
}
