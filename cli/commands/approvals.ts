import { type Approval, listApprovals, revokeApproval } from 'agent-apps'
import type { Command, Invocation } from '../command.js'
import { count, printable } from '../output.js'
import { usageError } from '../usage-error.js'

export const approvals: Command = {
  name: 'approvals',
  positionals: { min: 0, max: 0 },
  options: { revoke: { type: 'string', value: 'ID', describes: 'revoke the approval with this id' } },
  example: 'agent-apps approvals',
  run,
}

async function run({ output, cwd, options: { revoke } }: Invocation): Promise<number> {
  const all = await listApprovals(cwd)
  if (typeof revoke === 'string') {
    const approval = all.find(({ id }) => id === revoke)
    if (!approval || !(await revokeApproval(cwd, revoke)))
      throw usageError(
        `No approval of this project has the id ${JSON.stringify(revoke)}.`,
        '`agent-apps approvals` lists them.',
      )
    if (output.json) output.jsonResult(approval)
    else output.result(`revoked: ${shown(approval)}`)
  } else if (output.json) output.jsonResult(all)
  else {
    for (const approval of all) output.result(shown(approval))
    output.note(all.length === 0 ? 'No call was approved for this project.' : count(all.length, 'approval'))
  }
  return 0
}

function shown({ id, tool, key, time, userId, agentId }: Approval): string {
  const whose = [agentId && `agent ${agentId}`, userId && `user ${userId}`].filter(Boolean).join(', ')
  const since = new Date(time).toISOString()
  return printable(`${id}  ${tool}  ${key}  ${whose === '' ? '' : `${whose}, `}since ${since}`)
}
