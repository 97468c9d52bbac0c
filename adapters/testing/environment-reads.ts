import { AsyncLocalStorage } from 'node:async_hooks'

/** The environment variables that code reads while it is watched. */
export interface EnvironmentReads {
  readonly names: ReadonlySet<string>
  /** True if it listed all of them. */
  readonly isListed: boolean
  /** Runs work and records its reads. */
  noting: <Result>(work: () => Promise<Result>) => Promise<Result>
  end: () => void
}

interface Noted {
  names: Set<string>
  isListed: boolean
}

// The environment belongs to the whole process, and so does its proxy.
const noted = new AsyncLocalStorage<Noted>()
let watchers = 0
let own: NodeJS.ProcessEnv | undefined

/** Records the reads of `process.env` by watched code. */
export function watchEnvironment(): EnvironmentReads {
  const reads: Noted = { names: new Set(), isListed: false }
  if (watchers++ === 0) {
    own = process.env
    process.env = watched(own)
  }
  return {
    names: reads.names,
    get isListed() {
      return reads.isListed
    },
    noting: work => noted.run(reads, work),
    end() {
      if (--watchers > 0 || !own) return
      process.env = own
      own = undefined
    },
  }
}

function watched(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const note = (name: string | symbol): void => {
    const reads = noted.getStore()
    if (reads && typeof name === 'string' && !isNodesOwn()) reads.names.add(name)
  }
  return new Proxy(env, {
    get(target, name) {
      note(name)
      return Reflect.get(target, name)
    },
    has(target, name) {
      note(name)
      return Reflect.has(target, name)
    },
    ownKeys(target) {
      const reads = noted.getStore()
      if (reads) reads.isListed = true
      return Reflect.ownKeys(target)
    },
  })
}

/** True if Node's own code reads a variable: it calls the trap, which calls `note`, which calls this. */
function isNodesOwn(): boolean {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 5
  const [, , , , caller = ''] = new Error('where').stack?.split('\n') ?? []
  Error.stackTraceLimit = limit
  return /\(?node:/.test(caller)
}
