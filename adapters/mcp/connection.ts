import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { AgentRuntime, Runtime } from 'agent-apps'
import type { ServedTools } from './served-tools.js'

/** One connection over stdio, or one request over HTTP. */
export interface Connection {
  runtime: Runtime
  agent: AgentRuntime
  /** The ids that its calls are given, where the agent does not have them. */
  ids: { sessionId?: string }
  served: ServedTools
  mcp: McpServer
  /** True if the person at the client is asked about calls that need approval. */
  asksClient: boolean
  /** The ids of the calls that were answered: each answer counts once. */
  answered: Set<string>
  /** Signs what comes back with an answer. */
  mint: (asked: AskedCall, ctx: ServerContext) => Promise<string>
}

/** A call that the person at the client is asked about, as it comes back signed with the answer. */
export interface AskedCall {
  /** The id of the request that waits for the answer. */
  callId: string
  tool: string
}
