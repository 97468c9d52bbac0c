import { join } from 'node:path'
import { isJsonObject } from '../../src/base/json.js'
import { parsePatterns, selectsTool } from '../../src/patterns/tool-pattern.js'
import { labelOf } from '../../src/skill/names.js'
import { finding } from '../diagnostics/diagnostics.js'
import { readRegularFile } from '../files/regular-file.js'
import { namedTools, ReferenceTargets } from '../project/reference-targets.js'
import type { ReportPart } from '../project/report.js'
import type { UnitTool } from '../records/skill-unit.js'

/**
 * Finds hidden tools that nothing leads to, in a project with a main skill. Models see all other tools,
 * chains find middleware by key, and contents find directives by tag. A hidden tool is reached by a reference
 * from a reached tool, by `allowed-tools`, or by its name in another skill's file. Works on tools that were
 * read anew.
 */
export function checkUnreachable<Part extends ReportPart>(parts: readonly Part[]): Part[] {
  const named = [...namedTools(parts)]
  const isDeclared = named.some(({ tool }) => frontmatterOf(tool)?.role === 'main')
  if (!isDeclared || !named.some(({ tool }) => mayBeUnreachable(tool))) return [...parts]
  const tools = named.map(one => ({ ...one, id: `${one.directory}/${one.name}` }))
  const targets = new ReferenceTargets(parts)
  const patterns = tools.flatMap(({ tool }) => parsePatterns(frontmatterOf(tool)?.['allowed-tools'] ?? ''))
  const isLetThrough = (name: string, tool: UnitTool): boolean => {
    const tags = frontmatterOf(tool)?.tags ?? []
    return patterns.some(
      rule =>
        rule.glob?.not === undefined && !rule.options.deny && selectsTool(rule, { name, tags }, false, true),
    )
  }
  const byId = new Map(tools.map(one => [one.id, one]))
  const reached = new Set(
    tools.filter(({ tool, name }) => !mayBeUnreachable(tool) || isLetThrough(name, tool)).map(({ id }) => id),
  )
  // A set's iteration also visits items added on the way.
  for (const id of reached) {
    const one = byId.get(id)
    if (!one) continue
    for (const reference of one.tool.references) {
      const to = targets.target(reference, one, one.file)
      if (to.kind === 'tool') reached.add(`${to.directory}/${to.name}`)
    }
  }
  const lost = tools.filter(({ id }) => !reached.has(id))
  const mentioned = lost.length === 0 ? () => false : mentions(parts)
  return parts.map((part, number) => ({
    ...part,
    unresolved: [
      ...(part.unresolved ?? []),
      ...lost
        .filter(({ directory, name, file }) => directory === number && !mentioned(name, part, file))
        .map(({ name, file, tool }) => ({
          path: file,
          finding: finding('tool-unreachable', tool.place, name),
        })),
    ],
  }))
}

function frontmatterOf({ fresh }: UnitTool) {
  return fresh?.record.frontmatter
}

/** Hidden by its own metadata, and not only from models: `disable-model-invocation` leaves a skill to the user. */
function mayBeUnreachable({ fresh }: UnitTool): boolean {
  if (!fresh) return false
  const { visibility, role, tags, extra } = fresh.record.frontmatter
  const { metadata } = fresh.details.verbatim
  return (
    visibility === 'hidden' &&
    isJsonObject(metadata) &&
    metadata.visibility === 'hidden' &&
    extra['user-invocable'] !== true &&
    role !== 'main' &&
    role !== 'middleware' &&
    !tags.some(tag => tag.startsWith('meta-directive-'))
  )
}

/** True if another skill's file contains a name. */
function mentions(parts: readonly ReportPart[]): (name: string, part: ReportPart, file: string) => boolean {
  const texts = parts.flatMap(part =>
    part.linked.units.map(({ path }) => ({ part, path, text: textOf(join(part.directory.dir, path)) })),
  )
  return (name, part, file) => {
    const word = new RegExp(`(?<![\\w-])${labelOf(name)}(?![\\w-])`)
    return texts.some(
      one => (one.part.directory !== part.directory || one.path !== file) && word.test(one.text),
    )
  }
}

function textOf(file: string): string {
  try {
    return readRegularFile(file).toString()
  } catch {
    return ''
  }
}
