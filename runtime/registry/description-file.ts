import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'

/**
 * The description in a file, relative to a directory. `${directory}` and `${cwd}` in it become that directory,
 * `${workspace}` the variable AGENT_WORKSPACE_ROOT, or else that directory.
 *
 * @throws RESOURCE_NOT_FOUND
 */
export function descriptionIn(path: string, cwd: string = disk.cwd()): string {
  const file = disk.resolve(cwd, path)
  const text = disk.readText(file)
  if (text === null) {
    throw new AgentAppsError('RESOURCE_NOT_FOUND', `There is no description at ${file}.`, {
      hint: `A relative \`descriptionPath\` starts from ${cwd}.`,
      file,
    })
  }
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const folders: Record<string, string> = {
    workspace: process?.env?.AGENT_WORKSPACE_ROOT || cwd,
    directory: cwd,
    cwd,
  }
  return text.trim().replace(/\$\{(workspace|directory|cwd)\}/g, (written, name) => folders[name] ?? written)
}
