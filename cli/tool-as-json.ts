import { type PluginRecord, pluginOf, type ToolDef } from 'agent-apps'
import { directiveForms } from '../src/content/directive.js'
import { fromCwd } from './from-here.js'
import { fileOf } from './open-runtime.js'

/** A tool as `list --json` prints it; missing values are null. */
export function toolAsJson(tool: ToolDef, cwd: string): Record<string, unknown> {
  const { name, kind, frontmatter, origin } = tool
  const { description, role, tags, visibility } = frontmatter
  return {
    name,
    description: description ?? null,
    kind,
    role: role ?? null,
    directive: directiveForms(tags),
    layer: origin.layer,
    plugin: pluginAsJson(pluginOf(tool)),
    file: fromCwd(fileOf(origin), cwd),
    tags,
    visibility: visibility ?? null,
    via: origin.via,
    shadows: origin.shadows.map(shadow => ({ layer: shadow.layer, file: fromCwd(fileOf(shadow), cwd) })),
  }
}

function pluginAsJson(plugin: PluginRecord | null): Record<string, string | null> | null {
  if (plugin === null) return null
  const { name, version, description } = plugin
  return { name, version: version ?? null, description: description ?? null }
}
