/** The methods of `AgentRuntime.approvals`. */

import {
  type Approval,
  projectApprovals,
  projectOf,
  revokeApproval,
  sessionApprovals,
} from '../approvals/kept-approvals.js'
import { type Agent, idsOf } from '../state/agent.js'

/** The approvals of an agent, those of its session first. */
export async function list(agent: Agent): Promise<Approval[]> {
  const { globals } = agent
  const ids = idsOf(agent)
  const { sessionId, userId, agentId } = ids
  const own = sessionId === undefined ? [] : sessionApprovals(globals).of(sessionId)
  return [
    ...own.filter(one => one.userId === userId && one.agentId === agentId),
    ...(await projectApprovals(globals, ids)),
  ]
}

/** Revokes an approval, if it is the agent's own. */
export async function revoke(agent: Agent, id: string): Promise<boolean> {
  const found = (await list(agent)).find(one => one.id === id)
  if (!found) return false
  const { globals } = agent
  return found.scope === 'session'
    ? sessionApprovals(globals).revoke(id)
    : revokeApproval(projectOf(globals), id)
}
