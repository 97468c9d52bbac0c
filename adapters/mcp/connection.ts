import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { AgentRuntime, Runtime } from 'agent-apps'
import type { AskedCall } from './ask-client.js'
import type { ServedTools } from './served-tools.js'

/** One connection over stdio, or one request over HTTP. */
export interface Connection {
  runtime: Runtime
  agent: AgentRuntime
  /** The ids that its calls are given, where the agent does not have them. */
  ids: { sessionId?: string }
  served: ServedTools
  mcp: McpServer
  /** Whether the person at the client is asked about calls that need approval. */
  asksClient: boolean
  /** Signs what comes back with an answer. */
  mint: (asked: AskedCall, ctx: ServerContext) => Promise<string>
}
