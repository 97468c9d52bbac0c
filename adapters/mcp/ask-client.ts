import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ApprovalAnswer, Authorization } from 'agent-apps'
import { giveAnswer } from '../skill-tools/give-answer.js'
import type { AskedCall, Connection } from './connection.js'

/** The state of an approval: the call may run, with the id of its approval if any, or a question must be asked first. */
interface Approval {
  callId?: string
  ask?: InputRequiredResult
}

const QUESTION = 'approval'
const ANSWERS: readonly ApprovalAnswer[] = ['allow-once', 'allow-session', 'deny']

/**
 * Asks the person at the client about a call that needs approval. The SDK carries question and answer in the protocol's
 * version. The runtime decides whether an answer counts: only for this agent, tool, digest and arguments, once, until it
 * expires.
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

/** The answered call; null to ask again. */
async function answeredCall(
  { agent, ids, answered }: Connection,
  { callId, tool }: AskedCall,
  args: unknown,
  ctx: ServerContext,
): Promise<Approval | null> {
  const answer = answerIn(ctx)
  // The runtime lets a host repeat a call, but an answer that a client sends twice is for two calls.
  if (answer === null || answered.has(callId)) return null
  answered.add(callId)
  return (await giveAnswer({ agent, ref: tool, args }, callId, answer, ids)) ? { callId } : null
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
  const oneOf = [
    { const: 'allow-once', title: 'Allow this call' },
    { const: 'allow-session', title: 'Allow such calls until the connection ends' },
    { const: 'deny', title: 'Deny' },
  ]
  const answer = { type: 'string', title: 'Answer', oneOf } as const
  const asked = inputRequired.elicit({
    message: request.text,
    requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] },
  })
  const requestState = await mint({ callId, tool }, ctx)
  return inputRequired({ inputRequests: { [QUESTION]: asked }, requestState })
}

/** True if the client can show a form, which `elicitation: {}` means, too. */
function canAsk({ mcp }: Connection, { mcpReq }: ServerContext): boolean {
  const envelope = mcpReq.envelope as Record<string, ClientCapabilities | undefined> | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? mcp.server.getClientCapabilities()
  const { elicitation } = declared ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
