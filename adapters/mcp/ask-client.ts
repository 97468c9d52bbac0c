import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { type ApprovalAnswer, type Authorization, isAgentAppsError } from 'agent-apps'
import type { AskedCall, Connection } from './connection.js'

/** The state of an approval: the call may be made, with the id that its approval is found by, or a question must be asked first. */
interface Approval {
  callId?: string
  ask?: InputRequiredResult
}

const QUESTION = 'approval'
const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'deny']

/**
 * Asks the person at the client about a call that needs approval. The SDK carries question and answer as the era of the
 * connection has it. Whether an answer counts is decided by the runtime: it is for this agent, tool, digest and
 * arguments, until it expires, once.
 */
export async function approved(
  connection: Connection,
  tool: string,
  args: unknown,
  ctx: ServerContext,
): Promise<Approval> {
  if (!connection.asksClient || !canAsk(connection, ctx)) return {}
  const asked = ctx.mcpReq.requestState<AskedCall>()
  if (asked?.tool === tool) {
    const answered = await answeredCall(connection, asked, args, ctx)
    if (answered) return answered
  }
  const callId = crypto.randomUUID()
  const { decision, request } = await connection.agent.authorize(tool, args, { ...connection.ids, callId })
  return decision === 'ask' && request ? { ask: await question(connection, request, ctx) } : {}
}

/** The call that was answered; null where it is to be asked about anew. */
async function answeredCall(
  { agent, ids, answered }: Connection,
  { callId, tool }: AskedCall,
  args: unknown,
  ctx: ServerContext,
): Promise<Approval | null> {
  const answer = answerIn(ctx)
  // The runtime lets a host try the same call again; what a client sends twice is two calls.
  if (answer === null || answered.has(callId)) return null
  answered.add(callId)
  try {
    await agent.answer(callId, answer, { ...ids, call: { ref: tool, args } })
    return { callId }
  } catch (error) {
    if (!isAgentAppsError(error) || error.code !== 'APPROVAL_INVALID') throw error
    // It is for other arguments, or the tool was changed since.
    return null
  }
}

function answerIn({ mcpReq }: ServerContext): ApprovalAnswer | null {
  const response = inputResponse(mcpReq.inputResponses, QUESTION)
  if (response.kind !== 'elicit') return null
  if (response.action !== 'accept') return 'deny'
  return ANSWERS.find(answer => answer === response.content?.answer) ?? 'deny'
}

async function question(
  { mint }: Connection,
  request: NonNullable<Authorization['request']>,
  ctx: ServerContext,
): Promise<InputRequiredResult> {
  const { id: callId, tool } = request
  return inputRequired({
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message: request.text,
        requestedSchema: {
          type: 'object',
          properties: {
            answer: {
              type: 'string',
              title: 'Answer',
              oneOf: [
                { const: 'allow-once', title: 'Allow this call' },
                { const: 'allow-session', title: 'Allow such calls until the connection ends' },
                { const: 'deny', title: 'Deny' },
              ],
            },
          },
          required: ['answer'],
        },
      }),
    },
    requestState: await mint({ callId, tool }, ctx),
  })
}

/** True if the client can show a form. One that says only `elicitation: {}` means that. */
function canAsk({ mcp }: Connection, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities()
  const { elicitation } = declared ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
