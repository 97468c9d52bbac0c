import type { McpServer, ServerContext } from '@modelcontextprotocol/server'
import type { AgentRuntime, Runtime } from 'agent-apps'
import type { ServedTools } from './served-tools.js'

/** One connection over stdio, or one request over HTTP. */
export interface Connection {
  runtime: Runtime
  agent: AgentRuntime
  /** The ids for its calls, unless the agent has its own. */
  ids: { sessionId?: string }
  served: ServedTools
  mcp: McpServer
  /** True if the person at the client is asked about calls that need approval. */
  asksClient: boolean
  /** The ids of answered calls, since each answer counts once. */
  answered: Set<string>
  /** Signs the state that comes back with an answer. */
  mint: (asked: AskedCall, ctx: ServerContext) => Promise<string>
}

/** The state of a question about a call, which comes back signed with the answer. */
export interface AskedCall {
  /** The id of the waiting request. */
  callId: string
  tool: string
}
