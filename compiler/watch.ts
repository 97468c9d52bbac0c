import { relative, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isAgentAppsError } from '../src/base/error.js'
import type { OptionTable } from '../src/base/options.js'
import { COMPILE_OPTIONS, type CompileOptions, type CompileResult, compileProject } from './compile.js'
import { fromMessage } from './diagnostics/diagnostics.js'
import { FileWatches } from './file-watches.js'
import { checkProjectOptions } from './project/option-checks.js'
import type { ProjectOptions } from './project/project.js'

/** The project that `watch` compiles, and its callbacks. */
export interface WatchOptions extends Omit<CompileOptions, 'check'> {
  /**
   * Called after the first compile, and after each one with a different result. `changed` has the paths,
   * relative to `cwd`, that changed since then, sorted; it is empty for the first compile, and if the system
   * reports no paths.
   */
  onCompile?: ((result: CompileResult, changed: string[]) => void) | undefined
  /**
   * Called with the error of a compile that failed, such as for a missing directory; the next change may
   * resolve it.
   */
  onError?: ((error: unknown) => void) | undefined
  /** Milliseconds without a change after which it compiles. Default: 50. */
  delay?: number | undefined
  /**
   * Milliseconds between compiles, for file systems that do not report changes. Default: the system reports
   * them.
   */
  poll?: number | undefined
}

/** A project that is compiled whenever it changes. */
export interface Watcher {
  /**
   * True where it compiles at intervals: because of `poll`, or because the system watches no more
   * directories.
   */
  readonly polls: boolean
  /** Fulfilled once it is closed, also by `signal`; a compile that was running has ended then. */
  readonly closed: Promise<void>
  /** Ends watching. Fulfilled as `closed` is. */
  close: () => Promise<void>
}

const { check: _, ...shared } = COMPILE_OPTIONS
const OPTIONS: OptionTable<Exclude<keyof WatchOptions, keyof ProjectOptions>> = {
  ...shared,
  onCompile: 'function',
  onError: 'function',
  delay: 'number',
  poll: 'number',
}

const DELAY = 50
/** While files never stop changing, it compiles after so many delays. */
const DELAYS_MAX = 20
/** Milliseconds between compiles where the system watches no more directories. */
const POLL = 1_000

/**
 * Compiles a project, and compiles it again whenever a file changes on which the result depends. One
 * compile runs at a time; changes that come meanwhile lead to one more.
 *
 * @returns once it is compiled for the first time
 * @throws the errors of `compile`, if the first compile fails
 */
export async function watch(options: WatchOptions = {}): Promise<Watcher> {
  checkProjectOptions('watch', options, OPTIONS)
  const watching = new Watching(options)
  await watching.start()
  const closed = watching.run()
  return {
    get polls() {
      return watching.polls
    },
    closed,
    close() {
      watching.end()
      return closed
    },
  }
}

class Watching {
  private readonly ending = new AbortController()
  private readonly watches = new FileWatches(
    path => this.changed(path),
    () => this.fallBack(),
  )
  /** The number of changes so far, and the number when the last compile began. */
  private changes = 0
  private compiled = 0
  /** The paths that changed since the last reported compile, absolute. */
  private readonly changedPaths = new Set<string>()
  /** The diagnostics, or the error, of the last compile, as a string. */
  private outcome: string | null = null
  private poll: number | undefined
  private wake: () => void = () => {}

  constructor(private readonly options: WatchOptions) {
    this.poll = options.poll
    options.signal?.addEventListener('abort', this.end)
  }

  get polls(): boolean {
    return this.poll !== undefined
  }

  async start(): Promise<void> {
    try {
      if (this.options.signal?.aborted) this.end()
      await this.compile(this.options.force)
    } catch (error) {
      this.release()
      throw error
    }
  }

  async run(): Promise<void> {
    try {
      for (;;) {
        await this.change()
        if (this.ending.signal.aborted) return
        await this.compile().catch(error => this.failed(error))
      }
    } finally {
      this.release()
    }
  }

  readonly end = (): void => {
    this.ending.abort(this.options.signal?.reason)
    this.wake()
  }

  private changed(path: string): void {
    this.changes++
    this.changedPaths.add(path)
    this.wake()
  }

  /** Waits for a change, and until there was none for a while. */
  private async change(): Promise<void> {
    const { delay = DELAY } = this.options
    const { signal } = this.ending
    if (this.polls) return pause(this.poll, signal)
    while (this.changes === this.compiled && !signal.aborted && !this.polls)
      await new Promise<void>(wake => {
        this.wake = wake
      })
    for (let seen = -1, delays = 0; seen !== this.changes && delays < DELAYS_MAX; delays++) {
      seen = this.changes
      await pause(delay, signal)
    }
  }

  private async compile(force = false): Promise<void> {
    const { onCompile, onError: __, delay: ___, poll: ____, ...options } = this.options
    this.compiled = this.changes
    const changed = [...this.changedPaths]
    this.watches.begin()
    const watchSink = this.polls ? undefined : this.watches
    const result = await compileProject({ ...options, force, signal: this.ending.signal }, watchSink)
    this.watches.end()
    const outcome = JSON.stringify(result.diagnostics.map(fromMessage))
    const isNew = outcome !== this.outcome || result.written.length > 0 || result.bundled.length > 0
    this.outcome = outcome
    if (!isNew) return
    for (const path of changed) this.changedPaths.delete(path)
    const { cwd = '.' } = this.options
    onCompile?.(result, changed.map(path => relative(resolve(cwd), path).replaceAll('\\', '/')).sort())
  }

  private failed(error: unknown): void {
    if (this.ending.signal.aborted && isAgentAppsError(error) && error.code === 'COMPILE_ABORTED') return
    const outcome = String(error)
    if (outcome !== this.outcome) this.options.onError?.(error)
    this.outcome = outcome
  }

  private fallBack(): void {
    this.poll ??= POLL
    this.watches.close()
    this.wake()
  }

  private release(): void {
    this.options.signal?.removeEventListener('abort', this.end)
    this.watches.close()
  }
}

/** Waits for a delay, or until `signal` is aborted. */
async function pause(delay: number | undefined, signal: AbortSignal): Promise<void> {
  await sleep(delay, undefined, { signal }).catch(() => {})
}
