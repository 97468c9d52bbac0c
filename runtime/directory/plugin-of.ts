import type { PluginRecord } from '../../src/index/index-format.js'
import { unitAround } from '../../src/index/unit-around.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/**
 * Finds the plugin of a tool, as its manifest describes it. Null for a tool outside plugins, and for one that another
 * copy of the package made.
 */
export function pluginOf(tool: ToolDef): PluginRecord | null {
  const source = sourceOf(tool)
  if (!source) return null
  const { state, names, record } = source
  // The names of a single file have no plugin, or that of an older manifest.
  const { units = [], plugins = [] } = state.snapshot?.names ?? state.index ?? names
  const name = unitAround(units, record.file)?.namespace
  return plugins.find(plugin => plugin.name === name) ?? null
}
