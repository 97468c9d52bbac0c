import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AgentAppsError, isToolName, type PathEntry, type ToolDef } from 'agent-apps'
import { isObject } from '../is-object.js'
import { type ExportedFiles, inFolder, jsonFile } from './exported-files.js'

/** The options that locate a project, as `compile` takes them. */
export interface PluginProject {
  cwd: string
  config?: string
  paths?: PathEntry[]
}

/** Names that a plugin cannot have, since they have a meaning in references. */
const RESERVED = ['bundle', 'file', 'http', 'https', 'inline', 'layer', 'mcp', 'node', 'npm']

/** The name of a plugin's server, and of its folder. */
const SERVER = 'tools'

/**
 * The files of a plugin for Claude Code: its manifest, its skills, and an MCP server if there are tools that run code.
 */
export async function pluginFiles(
  name: string,
  skills: ExportedFiles,
  served: readonly ToolDef[],
  project: PluginProject,
): Promise<ExportedFiles> {
  const { version, description, license } = packageJson(project.cwd)
  const manifest = jsonFile({
    name,
    ...(typeof version === 'string' && { version }),
    ...(typeof description === 'string' && { description }),
    ...(typeof license === 'string' && { license }),
  })
  const files: ExportedFiles = new Map([
    ['.claude-plugin/plugin.json', manifest],
    ...inFolder('skills', skills),
  ])
  if (served.length === 0) return files
  const { serverFiles, SERVER_FILE } = await import('./plugin-server.js')
  const identity = { name, version: typeof version === 'string' ? version : '0.0.0' }
  for (const [path, file] of inFolder(SERVER, await serverFiles(served, identity, project)))
    files.set(path, file)
  // Claude Code sets the variable to the folder of the installed plugin.
  const server = { command: 'node', args: [`\${CLAUDE_PLUGIN_ROOT}/${SERVER}/${SERVER_FILE}`] }
  return files.set('.mcp.json', jsonFile({ mcpServers: { [SERVER]: server } }))
}

/**
 * The name of a plugin: the one given, that of `package.json`, or that of the folder.
 *
 * @throws OPTIONS_INVALID
 */
export function pluginName(cwd: string, given: string | undefined): string {
  const { name } = packageJson(cwd)
  const found =
    given ??
    (typeof name === 'string' ? name : basename(cwd))
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
  if (isToolName(found) && found.length > 1 && !RESERVED.includes(found)) return found
  throw new AgentAppsError('OPTIONS_INVALID', `A plugin cannot be called ${JSON.stringify(found)}.`, {
    hint: `Use two or more lowercase letters, digits and hyphens, but none of ${RESERVED.join(', ')}.`,
  })
}

function packageJson(cwd: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
    return isObject(value) ? value : {}
  } catch {
    // A project need not be a package.
    return {}
  }
}
