import { type ApprovalAnswer, isAgentAppsError } from 'agent-apps'
import type { ToolCall } from './model-tool.js'

/**
 * Answers the request that waits for a call's approval. False if no request takes the answer: it expired, or it is for
 * other arguments, or the tool has changed.
 *
 * @param id the id of the call
 */
export async function giveAnswer(
  { agent, ref, args }: ToolCall,
  id: string,
  answer: ApprovalAnswer | { answer: ApprovalAnswer; reason?: string },
  ids: { sessionId?: string } = {},
): Promise<boolean> {
  try {
    await agent.answer(id, answer, { ...ids, call: { ref, args } })
    return true
  } catch (error) {
    if (isAgentAppsError(error) && error.code === 'APPROVAL_INVALID') return false
    throw error
  }
}
