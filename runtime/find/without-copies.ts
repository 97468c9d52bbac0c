import { withNames } from '../directory/look-up.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf, type ToolSource } from '../state/tool-source.js'

/**
 * Leaves out the copies of skills that several namespaces have: of tools whose name without its namespace and
 * whose files are the same, the first in search order stays.
 */
export async function withoutCopies(tools: readonly ToolDef[], globals: Globals): Promise<ToolDef[]> {
  // Without a namespace, no two have a label in common.
  if (tools.every(({ name, label }) => name === label)) return [...tools]
  const byLabel = new Map<string, ToolSource[]>()
  for (const tool of tools) {
    const source = sourceOf(tool)
    if (!source) continue
    const others = byLabel.get(tool.label)
    if (others) others.push(source)
    else byLabel.set(tool.label, [source])
  }
  const copies = new Set<ToolSource | undefined>()
  for (const [label, sources] of byLabel) {
    if (sources.length === 1) continue
    const first = firstOf(label, sources)
    const contents = first && (await contentsOf(first, globals))
    for (const one of sources)
      if (one !== first && (await contentsOf(one, globals)) === contents) copies.add(one)
  }
  return tools.filter(tool => !copies.has(sourceOf(tool)))
}

/** The tool that a bare name means, of those of the first directory that has one. */
function firstOf(label: string, sources: readonly ToolSource[]): ToolSource | undefined {
  const [first] = sources
  const meant = first?.names.tool(label)
  return sources.find(({ state, record }) => state === first?.state && record.file === meant?.file) ?? first
}

/** A text that is the same for the same contents of a skill's files. */
function contentsOf({ state, names, record }: ToolSource, globals: Globals): Promise<string> {
  return withNames(state, globals, async () => {
    const { resources = [] } = names.details(record.frontmatter.name) ?? {}
    return JSON.stringify([names.file(record.file)?.sha256, resources])
  })
}
