import { createHash } from 'node:crypto'
import { isAgentAppsError, type ToolDef } from 'agent-apps'
import { promptsAmong } from './prompts.js'
import type { ServedTools } from './served-tools.js'

/** The lists that changed. */
export interface McpChanges {
  tools: boolean
  prompts: boolean
  skills: boolean
}

/** Milliseconds between two checks; more if a check takes long. */
const INTERVAL = 1000
/** The share of time that checks may take, except the first, which loads and compiles. */
const SHARE = 1 / 20
const INTERVAL_MAX = 10_000

/**
 * Polls the lists for changes while there are listeners: a runtime notices changed files, compiles, registrations and
 * reloads by itself, but emits no events for them.
 */
export function watchLists(served: ServedTools): {
  on: (handler: (changes: McpChanges) => void) => () => void
} {
  const handlers = new Set<{ handler: (changes: McpChanges) => void }>()
  let poll: Poll | null = null
  return {
    on(handler) {
      const entry = { handler }
      handlers.add(entry)
      poll ??= new Poll(served, changes => {
        for (const one of handlers) one.handler(changes)
      })
      return () => {
        handlers.delete(entry)
        if (handlers.size > 0) return
        poll?.stop()
        poll = null
      }
    },
  }
}

class Poll {
  #timer: ReturnType<typeof setTimeout> | undefined
  #isStopped = false
  #last: Record<keyof McpChanges, string> | null = null

  constructor(
    private readonly served: ServedTools,
    private readonly report: (changes: McpChanges) => void,
  ) {
    void this.#check()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  async #check(): Promise<void> {
    const started = performance.now()
    const isFirst = this.#last === null
    try {
      const tools = await this.served.visible()
      if (this.#isStopped) return
      this.#compare({
        tools: digestOf(await this.served.list(tools).then(list => list.map(({ tool }) => tool))),
        prompts: digestOf(promptsAmong(tools)),
        skills: digestOf(tools.filter(({ kind }) => kind === 'folder')),
      })
    } catch (error) {
      if (isAgentAppsError(error) && error.code === 'RUNTIME_CLOSED') return this.stop()
      // Clients that list the tools get the error; the next check may succeed.
    }
    if (this.#isStopped) return
    const wait = isFirst ? INTERVAL : Math.max(INTERVAL, (performance.now() - started) / SHARE)
    this.#timer = setTimeout(() => void this.#check(), Math.min(wait, INTERVAL_MAX))
    this.#timer.unref()
  }

  #compare(now: Record<keyof McpChanges, string>): void {
    const last = this.#last
    this.#last = now
    if (last === null) return
    const changes = {
      tools: now.tools !== last.tools,
      prompts: now.prompts !== last.prompts,
      skills: now.skills !== last.skills,
    }
    if (changes.tools || changes.prompts || changes.skills) this.report(changes)
  }
}

/** A digest of all that a list shows of the tools, in any order. */
function digestOf(tools: readonly ToolDef[]): string {
  const shown = tools.map(({ name, frontmatter }) => JSON.stringify([name, frontmatter])).sort()
  return createHash('sha256').update(shown.join('\n')).digest('hex')
}
