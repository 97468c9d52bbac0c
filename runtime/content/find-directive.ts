import { isBroken } from '../../src/index/index-format.js'
import { type DirectiveForm, directiveForms } from '../../src/skill/directive-forms.js'
import { layerDirectories } from '../cascade/compiled-chain.js'
import { directoryStates, lookUp } from '../directory/look-up.js'
import { toolOf } from '../find/make-tool.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/**
 * The directive of a name for the content of a tool, as middleware is looked for: a registered one, else one
 * of the tool's own layer, else the library's. What has no tag of a directive is passed over.
 */
export async function findDirective(name: string, tool: ToolDef, globals: Globals): Promise<ToolDef | null> {
  const registered = globals.tools.programmaticTools.get(name)
  if (registered && formsOf(registered).length > 0) return registered
  for (const state of layerDirectories(tool, directoryStates(globals))) {
    const found = await lookUp(state, name, globals)
    if (found && !isBroken(found.record) && directiveForms(found.record.frontmatter.tags).length > 0)
      return toolOf({ ...found, record: found.record }, globals)
  }
  return null
}

/** The forms in which a tool is a directive; none for what is not. */
export function formsOf({ frontmatter: { tags } }: ToolDef): DirectiveForm[] {
  return directiveForms(tags)
}
