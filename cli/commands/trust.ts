import { revokeTrusted, trustedProjects } from 'agent-apps'
import { loadConfig } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { printable } from '../output.js'
import { usageError } from '../usage-error.js'

export const trust: Command = {
  name: 'trust',
  positionals: { min: 0, max: 0 },
  options: {
    revoke: { type: 'boolean', describes: 'stop trusting the current project and the folders in it' },
  },
  example: 'agent-apps trust --revoke',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { output, cwd, options } = invocation
  const shown = options.revoke === true ? await revoked(invocation) : await trustedProjects()
  if (output.json) {
    output.jsonResult(shown)
    return 0
  }
  const isRevoked = options.revoke === true ? 'no longer trusted: ' : ''
  for (const { root, digest, at } of shown)
    output.result(
      `${isRevoked}${printable(fromHere(root, cwd))}  ${output.style('dim', `${digest.slice(0, 12)} since ${at}`)}`,
    )
  if (shown.length === 0) output.note('No project is trusted.')
  return 0
}

async function revoked(invocation: Invocation): Promise<Awaited<ReturnType<typeof revokeTrusted>>> {
  const { cwd, ...given } = projectOptions(invocation)
  const { project } = await loadConfig({ cwd, ...given })
  const revoked = await revokeTrusted(project.root)
  if (revoked.length > 0) return revoked
  throw usageError(`The project ${project.root} is not trusted.`, '`agent-apps trust` lists those that are.')
}
