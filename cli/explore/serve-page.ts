import { type FSWatcher, watch } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { thrownText } from '../../src/base/attempt.js'
import { isAgentAppsError } from '../../src/base/error.js'
import type { Invocation } from '../command.js'
import { printable } from '../output.js'
import { collectPage } from './collect-page.js'
import { type PageBlocks, packed } from './encode-page.js'
import type { PageRows } from './page-data.js'
import { openPageServer } from './page-server.js'

/** Milliseconds without a change after which the data is collected again. */
const DELAY = 60
/** The files that a compile writes, and folders that have no skills. */
const IGNORED = /(?:^|[\\/])(?:\.agent-apps(?:\.json)?|\.git|node_modules)(?:[\\/]|$)/

/** Serves the page until Ctrl-C, and follows the files that it is made of. */
export async function servePage(invocation: Invocation): Promise<void> {
  const { output, signal } = invocation
  const first = await collectPage(invocation)
  const { directories } = first.get('rows') as PageRows
  let blocks = pack(first)
  const server = await openPageServer(name => blocks.get(name))
  if (output.json) output.jsonLine({ url: server.url })
  else output.result(server.url)
  output.note('Open this address in a browser. Press Ctrl-C to stop.')
  const changes = new Changes(signal)
  try {
    changes.follow(directories, invocation.cwd)
    while (await changes.next()) {
      try {
        blocks = pack(await collectPage(invocation))
        server.changed()
      } catch (error) {
        // A configuration that is being written; the next change may mend it.
        if (!isAgentAppsError(error)) throw error
        output.note(printable(thrownText(error)))
      }
    }
  } finally {
    changes.close()
    await server.close()
  }
}

function pack(blocks: PageBlocks): ReadonlyMap<string, Uint8Array> {
  return new Map([...blocks].map(([name, value]) => [name, packed(value)]))
}

/** The changes below some directories. */
class Changes {
  readonly #watchers: FSWatcher[] = []
  #isChanged = false
  #wake = (): void => {}

  constructor(readonly signal: AbortSignal) {
    signal.addEventListener('abort', () => this.#wake())
  }

  follow(directories: readonly string[], cwd: string): void {
    for (const directory of directories) {
      const watcher = watch(resolve(cwd, directory), { recursive: true }, (_, file) => {
        if (file !== null && IGNORED.test(file)) return
        this.#isChanged = true
        this.#wake()
      })
      // A directory that goes away is no longer followed.
      watcher.on('error', () => watcher.close())
      this.#watchers.push(watcher)
    }
  }

  /** Resolves once something has changed, and nothing for a while; false once the command ends. */
  async next(): Promise<boolean> {
    while (!this.#isChanged && !this.signal.aborted)
      await new Promise<void>(wake => {
        this.#wake = wake
      })
    while (this.#isChanged && !this.signal.aborted) {
      this.#isChanged = false
      await sleep(DELAY)
    }
    return !this.signal.aborted
  }

  close(): void {
    for (const watcher of this.#watchers) watcher.close()
  }
}
