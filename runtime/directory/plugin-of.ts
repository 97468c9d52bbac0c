import type { PluginRecord } from '../../src/index/index-format.js'
import { unitAround } from '../../src/index/unit-around.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'

/**
 * Finds the plugin that a tool belongs to, as its manifest describes it; null for a tool of none, and for one
 * that another copy of the package made.
 */
export function pluginOf(tool: ToolDef): PluginRecord | null {
  const source = sourceOf(tool)
  if (!source) return null
  const { state, names, record } = source
  // A file keeps the names that it was read with, which know nothing of a plugin or an older manifest of it.
  const { units = [], plugins = [] } = state.snapshot?.names ?? state.index ?? names
  const name = unitAround(units, record.file)?.namespace
  return plugins.find(plugin => plugin.name === name) ?? null
}
