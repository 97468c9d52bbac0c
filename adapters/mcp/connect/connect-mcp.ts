import type { Client } from '@modelcontextprotocol/client'
import { AgentAppsError, type Runtime } from 'agent-apps'
import { readPatterns } from '../../read-patterns.js'
import { checkOptionsOf } from '../../skill-tools/offer-options.js'
import type { McpServerPlace } from './open-client.js'
import { ServerLink } from './server-link.js'
import { ServerRegistry } from './server-registry.js'

export type { McpServerPlace } from './open-client.js'

export interface ConnectOptions {
  /** The server's name here: at most 32 of a-z, 0-9 and `-`. Its tools are `mcp://<server>/<tool>`. */
  server: string
  /** Which of its tools and skills are registered: patterns over their names there. Default: all. */
  select?: string | readonly string[] | undefined
  /** Names of your own for some of its tools, by their names there. Default: `mcp__<server>__<tool>`. */
  names?: Readonly<Record<string, string>> | undefined
  /** How long a call may take without a sign of progress, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
}

/** A server whose tools a runtime has. */
export interface McpConnection {
  readonly server: string
  /** `lost`: it is being tried again. `closed`: no more, as it was closed, or the client that was given was. */
  readonly state: 'connected' | 'lost' | 'closed'
  /** The names of the tools and skills that are registered, sorted. */
  readonly tools: readonly string[]
  /** What of the server was left out, and why, and what last failed. */
  readonly problems: readonly string[]
  /** Calls a handler whenever one of these may have changed, until the returned function is called. */
  onChange: (handler: () => void) => () => void
  /** Takes the tools away and ends the connection; a client that was given stays open. */
  close: () => Promise<void>
}

/**
 * Registers the tools and skills of an MCP server with a runtime, and follows their changes until it is closed.
 *
 * @param place a client that is connected, a function that connects one, or where the server is
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
    throw invalid(`the server "${server}" twice`, 'Close the other connection, or choose another name.')
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

function checkOptions(options: ConnectOptions): void {
  checkOptionsOf('connectMcp').keys(options, ['server', 'select', 'names', 'timeoutMs'])
  const { server, select, names = {}, timeoutMs = 1 } = options
  if (typeof server !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(server) || server.length > 32)
    throw invalid(`the server ${JSON.stringify(server)}`, 'Its name has at most 32 of a-z, 0-9 and "-".')
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)
    throw invalid(`the \`timeoutMs\` ${timeoutMs}`, 'Give whole milliseconds, from 1.')
  const given = Object.values(names)
  const wrong = given.find((name, place) => !isName(name) || given.indexOf(name) !== place)
  if (wrong !== undefined)
    throw invalid(
      `the name ${JSON.stringify(wrong)}`,
      'A name has at most 64 of the characters a-z, A-Z, 0-9, _ and -, and is that of one tool.',
    )
  if (select !== undefined) readPatterns(select)
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

function invalid(problem: string, hint: string): AgentAppsError {
  return new AgentAppsError('OPTIONS_INVALID', `\`connectMcp\` has ${problem}.`, { hint })
}
