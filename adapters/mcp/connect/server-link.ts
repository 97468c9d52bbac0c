import type { Client } from '@modelcontextprotocol/client'
import { AgentAppsError } from 'agent-apps'
import { type McpServerPlace, openClient } from './open-client.js'

/** Milliseconds before a server is tried again: the first time, and at most. */
const BACK_OFF = { first: 500, max: 30_000 }

/** A connection to a server, which is made again if it is lost. */
export class ServerLink {
  state: 'connected' | 'lost' | 'closed' = 'lost'
  /** The last reason why it was lost, or its lists could not be read. */
  problem: string | null = null
  /** Registers the server's tools. Called with each new client, and when the server reports changes. */
  refresh: (client: Client) => Promise<void> = async () => {}
  #client: Client | null = null
  #connecting: Promise<Client> | null = null
  #timer: NodeJS.Timeout | undefined
  #failures = 0
  /** The client whose server reported changes, until they are handled. */
  #changed: Client | null = null
  #following: Promise<void> | null = null

  constructor(
    readonly place: Client | (() => Promise<Client>) | McpServerPlace,
    readonly options: { server: string; timeoutMs: number },
    private readonly changed: () => void,
  ) {}

  /** Throws MCP_UNAVAILABLE without a server, and MCP_FAILED if its lists cannot be read. */
  async open(): Promise<void> {
    await this.client()
  }

  /** The client. Reconnects at once if the server was lost. */
  async client(): Promise<Client> {
    if (this.state === 'closed') throw this.#unavailable('the connection is closed')
    if (this.#client) return this.#client
    clearTimeout(this.#timer)
    this.#connecting ??= this.#connect().finally(() => {
      this.#connecting = null
    })
    return this.#connecting
  }

  /** Reports that a call failed since the server is gone. */
  noteFailure(client: Client, why: string): void {
    this.#lost(client, why)
  }

  /** Reports a successful call, which resets the back-off. */
  noteSuccess(): void {
    this.#failures = 0
  }

  async close(): Promise<void> {
    this.state = 'closed'
    clearTimeout(this.#timer)
    await this.#connecting?.catch(() => {
      // Its caller gets the error.
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
        this.problem = `The server "${this.options.server}" does not report changes: ${textOf(error)}`
        this.changed()
      },
    )
  }

  /** Refreshes after a change, one refresh at a time; changes reported meanwhile cause one more. */
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
    // Its process may still run.
    if (client !== this.place)
      client.close().catch(() => {
        // It is gone already.
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
    // A lost server must not keep the process alive.
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

/** The message of an error, shortened, since a server may have written it. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error)
  return text.replace(/\.$/, '').slice(0, 500)
}
