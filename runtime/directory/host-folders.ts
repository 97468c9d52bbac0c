import { disk } from '#disk'
import { unitAround } from '../../src/index/unit-around.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/** The manifest of a plugin, for the host that fills in `${CLAUDE_PLUGIN_ROOT}`. */
const MANIFEST = '.claude-plugin/plugin.json'

/**
 * The folders that another host's variables stand for in a skill: its own, its plugin's and the project's. Empty in a
 * bundle, which has no folders.
 */
export function hostFolders(tool: ToolDef, { config }: Globals): Record<string, string | undefined> {
  if (disk.via === 'bundle') return {}
  const project = { CLAUDE_PROJECT_DIR: disk.resolve(config.cwd ?? disk.cwd()) }
  const source = sourceOf(tool)
  if (!source) return project
  const { state, record } = source
  const folder = disk.resolve(state.dir, record.file, '..')
  // A marketplace names plugins that have no manifest of their own.
  const unit = unitAround(state.units ?? [], record.file)
  const named = unit?.manifest === undefined ? undefined : disk.resolve(state.dir, unit.path)
  const plugin = nearestPlugin(folder, disk.resolve(state.dir, '..')) ?? named
  return { ...project, CLAUDE_SKILL_DIR: folder, CLAUDE_PLUGIN_ROOT: plugin }
}

/** A folder's path that is literal in a pattern, and does not end it. */
const PLAIN_PATH = /^[\p{L}\p{N}_./@+:~-]+$/u

/**
 * Fills the folders of another host's variables into a tool's `allowed-tools`. A variable that is unknown, or whose
 * folder would be read as a pattern, stays and matches nothing.
 */
export function filledPatterns(tool: ToolDef, globals: Globals): string | undefined {
  const { 'allowed-tools': patterns } = tool.frontmatter
  if (!patterns?.includes('${CLAUDE_')) return patterns
  const folders = hostFolders(tool, globals)
  return patterns.replace(/\$\{(CLAUDE_[A-Z_]+)\}/g, (written, name: string) => {
    const folder = Object.hasOwn(folders, name) ? folders[name] : undefined
    return folder !== undefined && PLAIN_PATH.test(folder) ? folder : written
  })
}

/** The nearest folder with a manifest, up to `top`: that of `plugins/acme/skills` is in `plugins/acme`. */
function nearestPlugin(from: string, top: string): string | undefined {
  for (let folder = from; ; folder = disk.resolve(folder, '..')) {
    if (disk.stat(disk.resolve(folder, MANIFEST)) !== null) return folder
    if (folder === top || folder === disk.resolve(folder, '..')) return undefined
  }
}
