import {
  createRequestStateCodec,
  type Implementation,
  McpServer,
  type McpServerFactory,
} from '@modelcontextprotocol/server'
import { SkillsExtension } from '@modelcontextprotocol/server/ext/skills'
import type { AgentOptions, AgentRuntime, Runtime } from 'agent-apps'
import { checkOptionsOf } from '../check-options.js'
import { callTool } from './call-tool.js'
import { type McpChanges, watchLists } from './changes.js'
import type { AskedCall, Connection } from './connection.js'
import { getPrompt, listPrompts } from './prompts.js'
import { ServedTools } from './served-tools.js'
import { skillSource } from './skill-source.js'

export type { McpChanges } from './changes.js'

/** The options of `serveSkills`. Any other key is OPTIONS_INVALID. */
export interface ServeOptions {
  /** The limits of the clients: those of an agent, or the id of a named one. Default: the runtime's policy. */
  policy?: AgentOptions | string | undefined
  /**
   * The tools to serve: patterns, such as `'git-*, word-count'`. The library's own are served only if a
   * pattern names them. Default: true, all of the project's.
   */
  tools?: boolean | string | readonly string[] | undefined
  /** True if the skills that say `user-invocable: true` are served as prompts. Default: true. */
  prompts?: boolean | undefined
  /** True if folder skills are served under the Skills extension (SEP-2640). Default: true. */
  skills?: boolean | undefined
  /**
   * True if the tool `search-skills` is served, which finds the skills among `tools` by words. The clients may call
   * `agent-discover` then. Default: true where there are more than 100 of them, which is a page of the list.
   */
  search?: boolean | undefined
  /**
   * The way to ask about a call that needs approval. `client` asks the person at the client, over stdio. `runtime` asks the
   * runtime's `interact`, as HTTP always does. Default: `client`.
   */
  approval?: 'client' | 'runtime' | undefined
  /**
   * Called once with each skill that cannot be served under the Skills extension, and the reason. Most are still served as
   * tools and prompts.
   */
  onRefused?: ((uri: string, reason: string) => void) | undefined
  /** The name and version that the server reports. Default: `agent-apps`. */
  server?: Implementation | undefined
}

/** The served skills, for any transport. */
export interface ServedSkills {
  /** Creates the server of one connection or request, for `serveStdio` and `createMcpHandler`. */
  create: McpServerFactory
  /**
   * Calls a handler when the lists of tools, prompts or skills have changed, until the returned function is called.
   * Connections over stdio are notified without it; with `createMcpHandler`, pass the changes to `handler.notify`.
   */
  onChange: (handler: (changes: McpChanges) => void) => () => void
}

const OPTIONS = ['policy', 'tools', 'prompts', 'skills', 'search', 'approval', 'onRefused', 'server']

/**
 * Serves a runtime's tools and skills over MCP, in both eras of the protocol.
 *
 * @throws OPTIONS_INVALID, AGENT_UNKNOWN
 */
export function serveSkills(runtime: Runtime, options: ServeOptions = {}): ServedSkills {
  checkOptions(options)
  const { policy = {}, tools = true, prompts = true, skills = true } = options
  const lister = runtime.forAgent(policy)
  const served = new ServedTools(lister, tools, options.search)
  const extension = skills ? extensionOf(runtime, policy, options.onRefused) : null
  const lists = watchLists(served)
  const create: McpServerFactory = ({ requestInfo }) => {
    const isHttp = requestInfo !== undefined
    const codec = createRequestStateCodec<AskedCall>({
      // Of this connection only, so that answers of others are invalid.
      key: crypto.getRandomValues(new Uint8Array(32)),
      bind: ({ mcpReq }) => mcpReq.method,
    })
    const mcp = new McpServer(options.server ?? { name: 'agent-apps', version: '0' }, {
      requestState: { verify: codec.verify },
    })
    const { agent, ids, end } = agentOf(runtime, policy)
    const connection: Connection = {
      ...{ runtime, agent, ids, served, mcp, mint: codec.mint, answered: new Set() },
      asksClient: !isHttp && options.approval !== 'runtime',
    }
    setHandlers(connection, prompts)
    extension?.attach(mcp)
    const stop = isHttp ? () => {} : lists.on(changes => notify(mcp, changes, { prompts, skills }))
    mcp.server.onclose = () => {
      stop()
      end()
    }
    return mcp
  }
  return { create, onChange: lists.on }
}

/** The Skills extension over the runtime's skills. It validates each entry against the specification. */
function extensionOf(
  runtime: Runtime,
  policy: AgentOptions | string,
  report: (uri: string, reason: string) => void = () => {},
): SkillsExtension {
  const reported = new Set<string>()
  const onRefused = (uri: string, reason: string): void => {
    if (reported.has(uri)) return
    reported.add(uri)
    report(uri, reason)
  }
  return new SkillsExtension({
    source: skillSource(runtime, { policy, onRefused }),
    onWarning: ({ path, message }) => onRefused(path, reasonIn(message)),
  })
}

/** The reason in a warning, without the skill that it names. */
function reasonIn(message: string): string {
  return message.replace(/^invalid skill entry from the source: /, '').replace(/ \(dropped from [^)]*\)$/, '')
}

function setHandlers(connection: Connection, prompts: boolean): void {
  const { server } = connection.mcp
  const { served } = connection
  server.registerCapabilities({ tools: { listChanged: true } })
  server.setRequestHandler('tools/list', ({ params }) => served.page(params?.cursor))
  server.setRequestHandler('tools/call', ({ params }, ctx) => callTool(connection, params, ctx))
  if (!prompts) return
  server.registerCapabilities({ prompts: { listChanged: true } })
  server.setRequestHandler('prompts/list', ({ params }) => listPrompts(served, params?.cursor))
  server.setRequestHandler('prompts/get', ({ params }, ctx) => getPrompt(connection, params, ctx))
}

/** The agent of a connection with a session of its own. Over HTTP each request is one, so that callers share nothing. */
function agentOf(
  runtime: Runtime,
  policy: AgentOptions | string,
): { agent: AgentRuntime; ids: { sessionId?: string }; end: () => void } {
  if (typeof policy === 'object' && policy.sessionId !== undefined)
    return { agent: runtime.forAgent(policy), ids: {}, end: () => {} }
  const sessionId = crypto.randomUUID()
  const end = (): void => {
    runtime.endSession(sessionId).catch(() => {
      // The runtime was closed first, with all of its sessions.
    })
  }
  if (typeof policy === 'object') return { agent: runtime.forAgent({ ...policy, sessionId }), ids: {}, end }
  return { agent: runtime.forAgent(policy), ids: { sessionId }, end }
}

function notify(mcp: McpServer, changes: McpChanges, has: { prompts: boolean; skills: boolean }): void {
  if (!mcp.isConnected()) return
  if (changes.tools) mcp.sendToolListChanged()
  if (changes.prompts && has.prompts) mcp.sendPromptListChanged()
  if (changes.skills && has.skills) mcp.sendResourceListChanged()
}

function checkOptions(options: ServeOptions): void {
  const { keys, oneOf } = checkOptionsOf('serveSkills')
  keys(options, OPTIONS)
  oneOf('approval', options.approval, ['client', 'runtime'])
}
