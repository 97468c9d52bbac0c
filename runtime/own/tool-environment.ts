import { declaredBy } from '../../src/own/declared.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { hideSecret } from './redact.js'

/**
 * The variables of the environment that a tool declares, out of those that the host lets through. From then
 * on their values are left out of what the runtime says.
 */
export function environmentOf(tool: ToolDef, globals: Globals): Readonly<Record<string, string>> {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const through = globals.config.env ?? []
  const found: Record<string, string> = {}
  for (const name of declaredBy(tool.frontmatter.metadata).env) {
    const value = through.includes(name) ? process?.env?.[name] : undefined
    if (value === undefined) continue
    found[name] = value
    hideSecret(value, globals)
  }
  return Object.freeze(found)
}
