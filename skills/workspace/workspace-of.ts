import { mkdtemp, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { isAbsolute, join, relative, resolve } from 'node:path'
import { AgentAppsError, type ToolContext } from 'agent-apps'

/** The folder that the tools of a call work in. Real, absolute. */
export async function workspaceOf(ctx: ToolContext): Promise<string> {
  const { globals } = (ctx as { [RUNTIME]?: RuntimeContext })[RUNTIME] ?? {}
  return realpath(globals?.config.workspace ?? globals?.config.cwd ?? process.cwd())
}

const RUNTIME: unique symbol = Symbol.for('agent-apps.context') as never

interface RuntimeContext {
  globals: { config: { workspace?: string; cwd?: string } }
}

/** The real path of a folder of the workspace. */
export async function folderIn(workspace: string, path: string): Promise<string> {
  const folder = await realpath(resolve(workspace, path)).catch(() => null)
  const isInside =
    folder !== null &&
    !relative(workspace, folder).startsWith('..') &&
    !isAbsolute(relative(workspace, folder))
  if (isInside && (await stat(folder)).isDirectory()) return folder
  throw new AgentAppsError('RESOURCE_NOT_FOUND', `${JSON.stringify(path)} is no folder of the workspace.`, {
    hint: 'Give the path of a folder, relative to the workspace.',
  })
}

/** A new folder for outputs that are too long to show. */
export function outputFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'agent-apps-output-'))
}
