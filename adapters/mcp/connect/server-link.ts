import type { Client } from '@modelcontextprotocol/client'
import { AgentAppsError } from 'agent-apps'
import { type McpServerPlace, openClient } from './open-client.js'

/** Milliseconds before a server is tried again: the first time, and at most. */
const BACK_OFF = { first: 500, max: 30_000 }

export interface LinkOptions {
  server: string
  timeoutMs: number
}

type Place = Client | (() => Promise<Client>) | McpServerPlace

/** The way to a server, which is found again where it was lost. */
export class ServerLink {
  state: 'connected' | 'lost' | 'closed' = 'lost'
  /** Why it was lost last, or what its lists could not be read for. */
  problem: string | null = null
  /** Takes over what the server has. Called with each new client, and when the server says that it changed. */
  refresh: (client: Client) => Promise<void> = async () => {}
  #client: Client | null = null
  #connecting: Promise<Client> | null = null
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  /** The client whose server said that it changed, until that is looked at. */
  #changed: Client | null = null
  #following: Promise<void> | null = null

  constructor(
    readonly place: Place,
    readonly options: LinkOptions,
    private readonly changed: () => void,
  ) {}

  /** Throws MCP_UNAVAILABLE where there is no server, and MCP_FAILED where it does not say what it has. */
  async open(): Promise<void> {
    await this.client()
  }

  /** The client; connects first where the server was lost, and does not wait for the next try of its own. */
  async client(): Promise<Client> {
    if (this.state === 'closed') throw this.#unavailable('the connection is closed')
    if (this.#client) return this.#client
    clearTimeout(this.#timer)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  /** A call failed in a way that says that the server is gone. */
  noteFailure(client: Client, why: string): void {
    this.#lost(client, why)
  }

  /** A call went well: the next loss is the first again. */
  noteSuccess(): void {
    this.#failures = 0
  }

  async close(): Promise<void> {
    this.state = 'closed'
    clearTimeout(this.#timer)
    await this.#connecting?.catch(() => {
      // Whoever asked for it is told.
    })
    const client = this.#client
    this.#client = null
    if (client && client !== this.place) await client.close()
    this.changed()
  }

  async #connect(): Promise<Client> {
    let client: Client | undefined
    try {
      client = await this.#made()
      this.#watch(client)
      await this.refresh(client)
      if ((this.state as string) === 'closed') throw this.#unavailable('the connection is closed')
      this.#client = client
      this.state = 'connected'
      this.problem = null
      this.changed()
      return client
    } catch (error) {
      if (client && client !== this.place) await client.close()
      const failed = error instanceof AgentAppsError ? error : this.#unavailable(textOf(error), error)
      this.problem = failed.message
      if (this.state !== 'closed') this.#tryLater()
      throw failed
    }
  }

  async #made(): Promise<Client> {
    const { place } = this
    if (typeof place === 'function') return place()
    if ('callTool' in place) return place
    return openClient(place)
  }

  #watch(client: Client): void {
    const before = client.onclose
    client.onclose = () => {
      before?.()
      this.#lost(client, 'the server closed the connection')
    }
    const again = (): void => this.#note(client)
    client.setNotificationHandler('notifications/tools/list_changed', again)
    client.setNotificationHandler('notifications/resources/list_changed', again)
    if (client.getProtocolEra() !== 'modern') return
    const { tools, resources } = client.getServerCapabilities() ?? {}
    if (!tools?.listChanged && !resources?.listChanged) return
    const filter = {
      ...(tools?.listChanged && { toolsListChanged: true }),
      ...(resources?.listChanged && { resourcesListChanged: true }),
    }
    client.listen(filter).then(
      async ({ closed }) => {
        const why = await closed
        if (why !== 'local') this.#lost(client, 'the server ended the connection')
      },
      error => {
        this.problem = `The server "${this.options.server}" does not tell of changes: ${textOf(error)}`
        this.changed()
      },
    )
  }

  /** Takes over what changed, once at a time: what a server says meanwhile is taken over once more, afterwards. */
  #note(client: Client): void {
    this.#changed = client
    this.#following ??= this.#followAll().finally(() => {
      this.#following = null
    })
  }

  async #followAll(): Promise<void> {
    for (let client = this.#changed; client; client = this.#changed) {
      this.#changed = null
      await this.#follow(client)
    }
  }

  async #follow(client: Client): Promise<void> {
    if (this.state === 'closed' || (this.#client !== null && this.#client !== client)) return
    try {
      await this.refresh(client)
      this.problem = null
    } catch (error) {
      this.problem = textOf(error)
    }
    this.changed()
  }

  #lost(client: Client, why: string): void {
    if (this.#client !== client || this.state === 'closed') return
    this.#client = null
    this.problem = this.#unavailable(why).message
    // A process may still be there; what it answers is of no use any more.
    if (client !== this.place)
      client.close().catch(() => {
        // It is gone.
      })
    this.state = client === this.place ? 'closed' : 'lost'
    if (this.state === 'lost') this.#tryLater()
    this.changed()
  }

  #tryLater(): void {
    const wait = Math.min(BACK_OFF.max, BACK_OFF.first * 2 ** this.#failures++)
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.client().then(
        () => {},
        () => this.changed(),
      )
    }, wait)
    // A server that is away keeps no process alive.
    this.#timer.unref()
  }

  #unavailable(why: string, cause?: unknown): AgentAppsError {
    const { server } = this.options
    return new AgentAppsError('MCP_UNAVAILABLE', `The server "${server}" cannot be reached: ${why}.`, {
      hint: 'Check that it runs, and try again.',
      cause,
    })
  }
}

/** The message of an error, shortened, as a server may have written it. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\.$/, '').slice(0, 500)
}
