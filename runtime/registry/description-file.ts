import { disk } from '#disk'
import { AgentAppsError } from '../../src/base/error.js'
import type { RuntimeConfig } from '../state/context.js'

/**
 * Reads a description from a file, relative to the directory of a runtime. `${directory}` and `${cwd}` in it stand for
 * that directory; `${workspace}` for the variable AGENT_WORKSPACE_ROOT, else the root of the runtime's workspace, else
 * that directory.
 *
 * @throws RESOURCE_NOT_FOUND
 */
export function descriptionIn(
  path: string,
  { cwd = disk.cwd(), workspace }: Pick<RuntimeConfig, 'cwd' | 'workspace'> = {},
): string {
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
    workspace: process?.env?.AGENT_WORKSPACE_ROOT || rootOf(workspace, cwd),
    directory: cwd,
    cwd,
  }
  return text.trim().replace(/\$\{(workspace|directory|cwd)\}/g, (written, name) => folders[name] ?? written)
}

/** The root of a workspace, which need not exist yet. */
function rootOf(workspace: RuntimeConfig['workspace'], cwd: string): string {
  if (!workspace) return cwd
  if (typeof workspace === 'string') return disk.resolve(cwd, workspace)
  // Opening it checks its options.
  const { root, cwd: base = '.' } = workspace
  return typeof root === 'string' ? disk.resolve(disk.resolve(cwd, base), root) : cwd
}
