import { type Approval, listApprovals, revokeApproval } from 'agent-apps'
import { AgentAppsError } from '../../src/base/error.js'
import type { Command, Invocation } from '../command.js'
import { count, printable } from '../output.js'

export const approvals: Command = {
  name: 'approvals',
  positionals: { min: 0, max: 0 },
  options: {
    revoke: { type: 'string', value: 'ID', describes: 'end the approval with this id' },
  },
  example: 'agent-apps approvals',
  run,
}

async function run({ output, cwd, options }: Invocation): Promise<number> {
  const all = await listApprovals(cwd)
  const { revoke } = options
  if (typeof revoke === 'string') return revoked(revoke, all, cwd, output)
  if (output.json) {
    output.jsonResult(all)
    return 0
  }
  for (const approval of all) output.result(shown(approval))
  output.note(all.length === 0 ? 'Nothing was approved for this project.' : count(all.length, 'approval'))
  return 0
}

async function revoked(
  id: string,
  all: readonly Approval[],
  cwd: string,
  output: Invocation['output'],
): Promise<number> {
  const approval = all.find(one => one.id === id)
  if (!approval || !(await revokeApproval(cwd, id))) {
    throw new AgentAppsError('USAGE', `No approval of this project has the id ${JSON.stringify(id)}.`, {
      hint: '`agent-apps approvals` shows those that there are.',
    })
  }
  if (output.json) output.jsonResult(approval)
  else output.result(`revoked: ${shown(approval)}`)
  return 0
}

function shown({ id, tool, key, time, userId, agentId }: Approval): string {
  const whose = [agentId && `agent ${agentId}`, userId && `user ${userId}`].filter(Boolean).join(', ')
  const since = new Date(time).toISOString()
  return printable(`${id}  ${tool}  ${key}  ${whose === '' ? '' : `${whose}, `}since ${since}`)
}
