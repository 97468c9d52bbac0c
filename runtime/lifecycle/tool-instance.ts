import { disk } from '#disk'
import { thrownText } from '../../src/base/attempt.js'
import { type AgentAppsError, isAgentAppsError, runtimeClosed } from '../../src/base/error.js'
import type { HookContext, ToolHooks } from '../../src/hooks/tool-hooks.js'
import type { OwnParts } from '../../src/own/own-parts.js'
import { unmetVersion } from '../cascade/cascade-faults.js'
import { lazy } from '../host/later.js'
import { configOf, environmentOf } from '../own/tool-config.js'
import type { Globals, ManagedCall } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import type { AsyncStorage } from './async-storage.js'
import {
  HOOK_LIMIT,
  INIT_LIMIT,
  initFailed,
  noteHookFails,
  noteInitFails,
  toolInactive,
} from './lifecycle-faults.js'
import { type RunningCall, RunningCalls } from './running-calls.js'
import { Clock, orAborted, withinTime } from './time-limit.js'

/** `idle`: not initialised, or disposed of. `failed`: `init` or `activate` failed. */
export type InstanceState = 'idle' | 'initialising' | 'active' | 'inactive' | 'failed'

/** The runtime of a tool with hooks. */
export interface InstanceHost {
  readonly globals: Globals
  readonly calls: AsyncStorage<RunningCall> | null
  /** The tools with hooks that must be initialised first. Throws INIT_FAILED if they require each other. */
  requirementsOf: (tool: ToolDef) => Promise<ToolInstance[]>
  /** Called once a tool was initialised or disposed of. */
  changed: (instance: ToolInstance) => void
}

/**
 * A tool with hooks in one runtime: its state, the result of its `init`, and its running calls. Its phases run one
 * after the other, in the order in which they are requested.
 */
export class ToolInstance {
  state: InstanceState = 'idle'
  /** The error of a failed initialisation. */
  problem: AgentAppsError | undefined
  /** True while no call of it may begin. */
  private isOff = false
  /** True once its code was replaced. */
  isRetired = false
  private made: unknown
  /** The own parts for its hooks, set by its first initialisation. */
  private parts: HookParts = { config: {}, env: {} }
  private phases: Promise<unknown> = Promise.resolve()
  private ready: Promise<void> | undefined
  private starting: AbortController | undefined
  /** The disposal after an `init` that ignored its signal and still runs. */
  private abandoned: Promise<void> | undefined
  private readonly running: RunningCalls

  constructor(
    readonly fn: object,
    readonly hooks: ToolHooks,
    public tool: ToolDef,
    private readonly host: InstanceHost,
  ) {
    this.running = new RunningCalls(host.calls)
  }

  /** Initialises the tool if needed, and runs a call. */
  async run(call: ManagedCall, work: (instance: unknown) => Promise<unknown>): Promise<unknown> {
    this.mustBeOn()
    while (this.state !== 'active') {
      const { signal } = call.run
      // Another phase may follow, such as an activation.
      const ready = this.initialised().then(() => this.phases)
      await orAborted(ready, signal).catch(error => {
        call.throwIfAborted()
        throw error
      })
      this.mustBeOn()
    }
    call.throwIfAborted()
    try {
      return await this.running.run(call, () => work(this.made))
    } finally {
      if (this.isRetired && this.running.size === 0) void this.retire()
    }
  }

  /** Throws if no call may begin. */
  mustBeOn(): void {
    if (this.host.globals.closed) throw runtimeClosed()
    if (this.isOff) throw toolInactive(this.tool.name)
    if (this.state === 'failed' && this.problem) throw this.problem
  }

  /** Initialises it, once. */
  initialised(): Promise<void> {
    this.ready ??= this.next(() => this.initialise())
    return this.ready
  }

  /** Makes it available, and initialises it if it is not or if that failed. */
  async activate(): Promise<void> {
    this.isOff = false
    if (this.state === 'failed') this.ready = undefined
    if (this.state !== 'inactive') return this.initialised()
    await this.next(async () => {
      if (this.state !== 'inactive') return
      const controller = new AbortController()
      try {
        await this.callHook('activate', this.made, controller)
        this.state = 'active'
      } catch (error) {
        await this.fail(error, Promise.resolve(this.made), controller)
      }
    })
  }

  /** Refuses new calls, waits for running ones, and calls the hook `deactivate`. */
  async deactivate(): Promise<void> {
    this.isOff = true
    await this.next(async () => {
      if (this.state !== 'active') return
      await this.running.drain(() => toolInactive(this.tool.name))
      await this.leave()
    })
  }

  /** Refuses new calls, and waits for running ones. */
  async drain(reason: () => AgentAppsError): Promise<void> {
    this.isOff = true
    await this.running.drain(reason)
  }

  /** Waits until no phase is in progress. */
  async settled(): Promise<void> {
    await this.phases
  }

  /** Disposes of it. A later call initialises it again. */
  async dispose(): Promise<void> {
    await this.next(() => this.end())
    if (this.abandoned) await withinTime(this.abandoned, HOOK_LIMIT, () => {})
  }

  abortInit(reason: AgentAppsError): void {
    this.isOff = true
    this.starting?.abort(reason)
  }

  /** Disposes of it, since its code was replaced, once no call runs. */
  async retire(): Promise<void> {
    this.isRetired = true
    await this.next(async () => {
      // The last of them calls this again.
      if (this.running.size > 0) return
      // A later call from an older turn waits, and initialises it again.
      this.ready = undefined
      if (this.state === 'active') await this.leave()
      await this.end()
    })
  }

  private async initialise(): Promise<void> {
    const { globals } = this.host
    const { name } = this.tool
    const controller = new AbortController()
    const late = (): void =>
      controller.abort(initFailed(name, `\`init\` took longer than ${INIT_LIMIT / 1000} s`))
    const clock = new Clock(late, INIT_LIMIT)
    this.starting = controller
    this.state = 'initialising'
    let begun: Promise<unknown> | undefined
    try {
      if (globals.closed) throw runtimeClosed()
      const unmet = unmetVersion(this.tool)
      if (unmet) throw unmet
      await orAborted(this.requireOthers(), controller.signal)
      this.parts = await orAborted(hookParts(this.tool, globals), controller.signal)
      begun = this.begin(controller.signal, clock)
      this.made = await orAborted(begun, controller.signal)
      await this.callHook('activate', this.made, controller, INIT_LIMIT)
      this.state = 'active'
      this.problem = undefined
      this.host.changed(this)
    } catch (error) {
      await this.fail(error, begun, controller)
    } finally {
      clock.stop()
      this.starting = undefined
    }
  }

  private async begin(signal: AbortSignal, clock: Clock): Promise<unknown> {
    const ask = hookAsk(this.tool, this.host.globals, signal, work => clock.pausedFor(work))
    return this.hooks.init?.({ ...this.contextOf(signal, undefined), ask })
  }

  private async requireOthers(): Promise<void> {
    const { name } = this.tool
    for (const other of await this.host.requirementsOf(this.tool)) {
      if (other.isOff) continue
      await other.initialised().catch(error => {
        throw initFailed(name, `"${other.tool.name}", which it requires, is not initialised`, error)
      })
    }
  }

  private async fail(
    thrown: unknown,
    begun: Promise<unknown> | undefined,
    { signal }: AbortController,
  ): Promise<never> {
    const { globals } = this.host
    const { name } = this.tool
    const error = globals.redact?.(thrown) ?? thrown
    this.state = 'failed'
    this.problem = isFinal(error) ? error : initFailed(name, thrownText(error), error)
    if (this.problem.code === 'INIT_FAILED') noteInitFails(this.file, this.problem, globals)
    if (begun) {
      const disposed = begun.then(
        made => this.release(made),
        () => this.release(undefined),
      )
      // Do not wait for an `init` that ignores its signal.
      if (signal.aborted) this.abandoned = disposed
      else await disposed
    }
    throw this.problem
  }

  private async leave(): Promise<void> {
    this.state = 'inactive'
    await this.callHook('deactivate', this.made).catch(error => this.note('deactivate', error))
  }

  private async end(): Promise<void> {
    if (this.state !== 'active' && this.state !== 'inactive') return
    const { made } = this
    this.state = 'idle'
    this.ready = undefined
    this.made = undefined
    await this.release(made)
    this.host.changed(this)
  }

  private release(made: unknown): Promise<void> {
    return this.callHook('dispose', made).catch(error => this.note('dispose', error))
  }

  private note(hook: string, error: unknown): void {
    noteHookFails(this.tool.name, this.file, hook, error, this.host.globals)
  }

  private async callHook(
    hook: keyof ToolHooks,
    made: unknown,
    controller = new AbortController(),
    limit = HOOK_LIMIT,
  ): Promise<void> {
    const run = this.hooks[hook]
    if (!run) return
    const late = (): void =>
      controller.abort(initFailed(this.tool.name, `\`${hook}\` took longer than ${limit / 1000} s`))
    const timer = setTimeout(late, limit)
    try {
      const begun = async (): Promise<unknown> =>
        run.call(this.hooks, this.contextOf(controller.signal, made))
      await orAborted(begun(), controller.signal)
    } finally {
      clearTimeout(timer)
    }
  }

  private contextOf(signal: AbortSignal, instance: unknown): HookContext {
    const { tool, parts, host } = this
    return { name: tool.name, signal, instance, ...parts, ask: hookAsk(tool, host.globals, signal) }
  }

  private get file(): string {
    const { origin, name, src } = this.tool
    if (origin.file === '') return `(hooks of ${name})`
    return disk.resolve(origin.entry, origin.file) + (/#.*$/.exec(src ?? '')?.[0] ?? '')
  }

  /** Runs a phase after the previous ones, whether or not they failed. */
  private next<Result>(phase: () => Promise<Result>): Promise<Result> {
    const done = this.phases.then(phase)
    this.phases = done.catch(() => {})
    return done
  }
}

function isFinal(error: unknown): error is AgentAppsError {
  return isAgentAppsError(error) && (error.code === 'INIT_FAILED' || error.code === 'RUNTIME_CLOSED')
}

const asking = lazy(() => import('../own/ask-for-tool.js'))

/** The own parts that hooks get. */
type HookParts = Pick<HookContext, 'config' | 'env'>

/**
 * Prepares the own parts for the hooks of a tool.
 *
 * @throws TOOL_CONFIG
 */
async function hookParts(tool: ToolDef, globals: Globals): Promise<HookParts> {
  return { config: await configOf(tool, globals), env: environmentOf(tool, globals) }
}

/** The `ask` of a hook, which has no call and so no ids. `around` wraps the wait for the answer. */
function hookAsk(
  tool: ToolDef,
  globals: Globals,
  signal: AbortSignal,
  around: <Answer>(work: () => Promise<Answer>) => Promise<Answer> = work => work(),
): OwnParts['ask'] {
  const asker = { globals, envelope: {}, throwIfAborted: () => signal.throwIfAborted() }
  const ask = async (question: never): Promise<unknown> => {
    const { askFor } = await asking()
    return around(() => askFor(tool, asker, () => signal)(question))
  }
  return ask as OwnParts['ask']
}
