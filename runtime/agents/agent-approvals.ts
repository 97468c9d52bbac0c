/** The methods of `AgentRuntime.approvals`. */

import { type Approval, projectApprovals, projectOf, revokeApproval } from '../approvals/project-approvals.js'
import { revokeForSession, sessionApprovals } from '../approvals/session-approvals.js'
import { type Agent, idsOf } from '../state/agent.js'

/** The approvals of an agent, those of its session first. */
export async function list(agent: Agent): Promise<Approval[]> {
  const { globals } = agent
  const ids = idsOf(agent)
  return [...(await sessionApprovals(ids, globals)), ...(await projectApprovals(globals, ids))]
}

/** Revokes an approval, if it is the agent's own. */
export async function revoke(agent: Agent, id: string): Promise<boolean> {
  const found = (await list(agent)).find(one => one.id === id)
  if (!found) return false
  const { globals } = agent
  return found.scope === 'session'
    ? revokeForSession(id, idsOf(agent), globals)
    : revokeApproval(projectOf(globals), id)
}
