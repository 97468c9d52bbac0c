import { createRuntime, type Runtime, type RuntimeOptions } from 'agent-apps'
import { afterEach } from 'vitest'

/** A function that makes runtimes without the library, which are closed after each test. */
export function ownRuntimes(): (options?: RuntimeOptions) => Runtime {
  const open: Runtime[] = []
  afterEach(async () => void (await Promise.all(open.splice(0).map(one => one.close()))))
  return options => {
    const made = createRuntime({ paths: [], library: false, ...options })
    open.push(made)
    return made
  }
}
