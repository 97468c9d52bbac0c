import { agentUnknown } from '../state/agent.js'
import type { CallIds, Globals } from '../state/context.js'
import type { NamedAgent } from '../state/policy.js'
import { trustOf } from './project-trust.js'

/**
 * An agent that the configuration of a runtime's project defines.
 *
 * @param ids whose call it is that a person is asked about, if the project is not trusted; null to ask nobody
 * @throws AGENT_UNKNOWN
 */
export async function projectAgent(globals: Globals, id: string, ids: CallIds | null): Promise<NamedAgent> {
  const trust = await trustOf(globals)
  const found = globals.config.projects?.agents?.find(agent => agent.id === id)
  if (!found) throw agentUnknown(id)
  if (!trust || globals.config.isOwn || (await trust.isTrusted())) return found
  const why = ids ? await trust.ask({ ids }) : 'nobody was asked'
  if (why === null) return found
  throw agentUnknown(id, ` that counts: the project that defines it is not trusted, as ${why}`)
}
