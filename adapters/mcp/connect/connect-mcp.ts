import type { Client } from '@modelcontextprotocol/client'
import type { Runtime } from 'agent-apps'
import { type ConnectOptions, checkOptions, invalid } from './connect-options.js'
import type { McpServerPlace } from './open-client.js'
import { ServerLink } from './server-link.js'
import { ServerRegistry } from './server-registry.js'

export type { ConnectOptions } from './connect-options.js'
export type { McpServerPlace } from './open-client.js'

/** A server whose tools are registered with a runtime. */
export interface McpConnection {
  /** The server's name. */
  readonly server: string
  /** `lost`: reconnecting. `closed`: closed for good, here or by the given client. */
  readonly state: 'connected' | 'lost' | 'closed'
  /** The names of the registered tools and skills, sorted. */
  readonly tools: readonly string[]
  /** The tools and skills that were left out, with reasons, and the last failure. */
  readonly problems: readonly string[]
  /** Calls a handler whenever one of these may have changed, until the returned function is called. */
  onChange: (handler: () => void) => () => void
  /** Removes the tools and ends the connection. A given client stays open. */
  close: () => Promise<void>
}

/**
 * Registers the tools and skills of an MCP server with a runtime, and follows their changes until it is closed.
 *
 * @param place a connected client, a function that connects one, or the server's location
 * @throws OPTIONS_INVALID, MCP_UNAVAILABLE, MCP_FAILED
 */
export async function connectMcp(
  runtime: Runtime,
  place: Client | (() => Promise<Client>) | McpServerPlace,
  options: ConnectOptions,
): Promise<McpConnection> {
  checkOptions(options)
  const { server } = options
  const taken = serversOf(runtime)
  if (taken.has(server))
    throw invalid(`has the server "${server}" twice`, 'Close the other connection, or choose another name.')
  taken.add(server)
  const handlers = new Set<() => void>()
  const changed = (): void => {
    for (const handler of handlers) handler()
  }
  const link = new ServerLink(place, { server, timeoutMs: options.timeoutMs ?? 60_000 }, changed)
  const registry = new ServerRegistry(runtime, link, options)
  const close = async (): Promise<void> => {
    taken.delete(server)
    registry.clear()
    await link.close()
  }
  link.refresh = client => registry.refresh(client)
  try {
    await link.open()
  } catch (error) {
    await close()
    throw error
  }
  return {
    server,
    get state() {
      return link.state
    },
    get tools() {
      return registry.names
    },
    get problems() {
      return [...registry.problems, ...(link.problem === null ? [] : [link.problem])]
    },
    onChange(handler) {
      handlers.add(handler)
      return () => void handlers.delete(handler)
    },
    close,
  }
}

/** The servers that each runtime is connected to. */
const connected = new WeakMap<object, Set<string>>()

function serversOf({ globals }: Runtime): Set<string> {
  const servers = connected.get(globals) ?? new Set()
  connected.set(globals, servers)
  return servers
}
