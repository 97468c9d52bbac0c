import { AgentAppsError } from '../base/error.js'
import type { JsonObject } from '../base/json.js'
import type { Permission } from '../base/permissions.js'
import { OWN, type OwnParts } from '../own/own-parts.js'
import type { Ask } from '../own/question.js'
import type { ToolFrontmatter, ToolKind } from './frontmatter.js'

/** The limits of a spawned agent. They only narrow: rules may ask or deny. */
export interface SpawnPolicy {
  /** The id of a named agent, whose limits it has as well. */
  agent?: string | undefined
  /** If it is not empty, the only tools that it may call. */
  allow?: string | readonly string[] | undefined
  /** Tools that it may not call. */
  deny?: string | readonly string[] | undefined
  /** The permissions of the tools that it calls, as far as they have them anyway. */
  permissions?: readonly Permission[] | undefined
  /** Rules over calls that ask or deny. */
  rules?: string | readonly string[] | undefined
}

/** A tool as an agent that was spawned sees it. */
export interface SpawnedTool {
  name: string
  label: string
  kind: ToolKind
  frontmatter: ToolFrontmatter
}

/** An agent that a tool spawned, as the tool's author knows it: `AgentRuntime` has all of it. */
export interface SpawnedAgent {
  /** Finds a tool; null where the agent may not know of it. */
  findTool: (ref: string) => Promise<SpawnedTool | null>
  /** Lists the tools that the agent may call. */
  listTools: () => Promise<SpawnedTool[]>
  /** Calls a tool as the agent. */
  invoke: (ref: string, args?: unknown) => Promise<unknown>
  /** Starts an agent below this one, limited by both. */
  spawn: (policy: SpawnPolicy | string) => SpawnedAgent
}

/**
 * The second argument of `execute`, with the types of the tool's `config` and `state`. If the tool is called
 * without a runtime, everything except `signal`, `config`, `env` and the functions is undefined.
 */
export interface ToolContext<Config = JsonObject, State = unknown> {
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal
  /** Reports progress to the host. */
  readonly update: (progress: {
    title?: string
    metadata?: Record<string, unknown>
    /** How much is done, of `total`. */
    progress?: number
    total?: number
  }) => void
  /** Calls another tool. */
  readonly invoke: (ref: string, args?: unknown) => Promise<unknown>
  /**
   * Starts an agent below this call. All that limits the agents above limits it too, and it shares their
   * session. A string is the id of a named agent, whose limits it has as well.
   */
  readonly spawn: (policy: SpawnPolicy | string) => SpawnedAgent
  /** The optional permissions of the tool that it has for this call. */
  readonly granted: readonly Permission[] | undefined
  /** The result of the tool's `init`, if it has one. */
  readonly instance: unknown
  /** The host's name for this call, or a generated one. */
  readonly callId: string | undefined
  /** The id that the host passed with the call, if any. */
  readonly sessionId: string | undefined
  /** The message that the call belongs to. */
  readonly messageId: string | undefined
  /** The agent that calls. */
  readonly agentId: string | undefined
  /** The user for whom it calls. */
  readonly userId: string | undefined
  /** The workspace that the call belongs to. */
  readonly workspaceId: string | undefined
  /** The tool's configuration, checked against its `config`, with defaults. */
  readonly config: Config
  /** The variables of the environment that it declares under `env` and the host lets through. */
  readonly env: Readonly<Record<string, string>>
  /** Its state in this session, as one object that its calls share. It is kept when a call ends. */
  state: State
  /** Asks a person, who sees which tool asks. */
  readonly ask: Ask
  /** Other names of `signal`, `update`, `sessionId`, `messageId`, `callId` and `agentId`. */
  readonly abort: AbortSignal
  /** Reports progress, as `update` does. */
  readonly metadata: ToolContext['update']
  readonly sessionID: string | undefined
  readonly messageID: string | undefined
  readonly callID: string | undefined
  readonly agent: string | undefined
}

/** The part of a runtime's context that is passed on. */
export interface CallContext {
  [OWN]?: OwnParts
  /** Throws if the call is over, so that nothing more of it starts. */
  throwIfAborted?: () => void
  run?: Pick<ToolContext, 'signal' | 'update' | 'granted'> & { id: string }
  envelope?: Partial<
    Record<'callId' | 'sessionId' | 'messageId' | 'agentId' | 'userId' | 'workspaceId', string>
  >
  manager?: Pick<ToolContext, 'invoke' | 'spawn'>
  /** Runs the tool of a function with hooks, once it is initialised. `run` gets what `init` returned. */
  withHooks?: (fn: object, run: (instance: unknown) => Promise<unknown>) => Promise<unknown>
}

/** The key under which a tool's context keeps the runtime's, for the library's own tools. */
export const RUNTIME_CONTEXT: unique symbol = /* @__PURE__ */ Symbol.for('agent-apps.context')

/** The context that `execute` gets, for the context that a runtime calls with. */
export function toolContextOf(context: unknown, instance?: unknown): ToolContext {
  return new Proxy(new ContextOf((context ?? {}) as CallContext, instance), AS_OWN)
}

/** Shows getters as fields of their object, so that tools can spread it: defining them on each would take far longer. */
const AS_OWN: ProxyHandler<ContextOf> = {
  // The getters read a private field, which only the object itself has.
  get: (context, key) => Reflect.get(context, key),
  set: (context, key, value) => Reflect.set(context, key, value),
  ownKeys: fieldsOf,
  getOwnPropertyDescriptor: (context, key) =>
    fieldsOf(context).includes(key)
      ? { get: () => Reflect.get(context, key), enumerable: true, configurable: true }
      : undefined,
}

function fieldsOf(context: ContextOf): (string | symbol)[] {
  const getters = Reflect.ownKeys(ContextOf.prototype).filter(key => key !== 'constructor')
  return [...Reflect.ownKeys(context), ...getters]
}

/**
 * Each field is read from the runtime's context when it is accessed: most tools access one of them, or none.
 */
class ContextOf implements ToolContext {
  readonly #ctx: CallContext
  #signal: AbortSignal | undefined

  constructor(
    ctx: CallContext,
    readonly instance: unknown,
  ) {
    this.#ctx = ctx
  }

  get [RUNTIME_CONTEXT](): CallContext {
    return this.#ctx
  }

  get signal(): AbortSignal {
    this.#signal ??= this.#ctx.run?.signal ?? new AbortController().signal
    return this.#signal
  }

  get abort(): AbortSignal {
    return this.signal
  }

  get update(): ToolContext['update'] {
    return this.#ctx.run?.update ?? (() => {})
  }

  get metadata(): ToolContext['update'] {
    return this.#ctx.run?.update ?? (() => {})
  }

  get invoke(): ToolContext['invoke'] {
    return this.#ctx.manager?.invoke ?? unavailable
  }

  get spawn(): ToolContext['spawn'] {
    return this.#ctx.manager?.spawn ?? unavailable
  }

  get granted(): ToolContext['granted'] {
    return this.#ctx.run?.granted
  }

  get config(): JsonObject {
    return this.#ctx[OWN]?.config ?? {}
  }

  get env(): ToolContext['env'] {
    return this.#ctx[OWN]?.env ?? {}
  }

  get state(): unknown {
    return this.#ctx[OWN]?.state
  }

  set state(value: unknown) {
    const own = this.#ctx[OWN]
    if (!own) unavailable()
    own.state = value as JsonObject
  }

  get ask(): Ask {
    return this.#ctx[OWN]?.ask ?? unavailable
  }

  get callId(): string | undefined {
    return this.#ctx.envelope?.callId ?? this.#ctx.run?.id
  }

  get callID(): string | undefined {
    return this.#ctx.envelope?.callId ?? this.#ctx.run?.id
  }

  get sessionId(): string | undefined {
    return this.#ctx.envelope?.sessionId
  }

  get sessionID(): string | undefined {
    return this.#ctx.envelope?.sessionId
  }

  get messageId(): string | undefined {
    return this.#ctx.envelope?.messageId
  }

  get messageID(): string | undefined {
    return this.#ctx.envelope?.messageId
  }

  get agentId(): string | undefined {
    return this.#ctx.envelope?.agentId
  }

  get agent(): string | undefined {
    return this.#ctx.envelope?.agentId
  }

  get userId(): string | undefined {
    return this.#ctx.envelope?.userId
  }

  get workspaceId(): string | undefined {
    return this.#ctx.envelope?.workspaceId
  }
}

function unavailable(): never {
  throw new AgentAppsError(
    'CONTEXT_MISSING',
    'This tool was called without a runtime, so it cannot call tools, ask questions or keep state.',
    { hint: 'Call it through `invoke`.' },
  )
}
