import { dirname, resolve } from 'node:path'
import { directiveSkillBroken } from '../../../src/content/content-faults.js'
import type { DirectiveTool } from '../../../src/content/directive.js'
import { isBroken } from '../../../src/index/index-format.js'
import { toDiagnostic } from '../../diagnostics/diagnostics.js'
import type { ContentTools, Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import { namespaceOfFile, type Project, type ProjectPart } from '../../project/project.js'
import { type ProjectTool, ReferenceTargets } from '../../project/reference-targets.js'
import { absoluteReference } from '../../project/tool-resolver.js'
import type { NamedTool } from '../../records/linked-directory.js'

/** The tools that a project's skills can name in their contents, for the directory of each number. */
export function contentTools(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  project: Project,
): (number: number) => ContentTools {
  const targets = new ReferenceTargets(parts)
  return number => ({
    names: () => visibleNames(parts, library, project),
    async find(ref, file, dependencies) {
      const reference = absoluteReference(ref, resolve(parts[number]?.directory.dir ?? '', dirname(file)))
      if (reference.kind === 'none') return null
      if (reference.kind === 'name' || reference.kind === 'path') {
        const part = parts[number]
        const found = targets.tools.find(reference, part && namespaceOfFile(part, file))
        if (found) return ownTool(parts, found, ref, number, dependencies)
      }
      if (reference.kind === 'name') return foreignTool(reference.name, ref, library, project, dependencies)
      if (reference.kind === 'path' && targets.isNowhere(reference.path, reference.fragment)) return null
      // Only a runtime can follow other references.
      dependencies.isOpen = true
      return { name: ref, details: async () => ({}), content: async () => null }
    },
  })
}

async function visibleNames(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  project: Project,
): Promise<string[]> {
  const theirs = (await project.readOthers()).flatMap(({ names }) => names.names())
  const shipped = [...(library?.readTools() ?? [])].filter(
    ([, { frontmatter }]) => frontmatter.visibility !== 'hidden',
  )
  return [
    ...parts.flatMap(({ linked }) => [...linked.names.keys()]),
    ...theirs,
    ...shipped.map(([name]) => name),
  ]
}

/**
 * A tool of the project, as a directive of the directory `number` sees it. Its name is valid while its file is
 * there; its metadata and content may change with every compile.
 */
function ownTool(
  parts: readonly ProjectPart[],
  { directory, name }: ProjectTool,
  ref: string,
  number: number,
  dependencies: Dependencies,
): DirectiveTool | null {
  const part = parts[directory] as ProjectPart
  const { unit, tool, broken } = part.linked.names.get(name) as NamedTool
  if (broken) throw directiveSkillBroken(ref, toDiagnostic(unit.path, broken))
  if (!tool) return null
  // A name in another directory is part of the `cascadeKey` already.
  if (directory === number) dependencies.files.add(unit.path)
  const noteUse = (): void => {
    if (directory !== number) dependencies.isOpen = true
  }
  return {
    name,
    async details() {
      noteUse()
      return (
        tool.fresh?.record.frontmatter ?? (await part.parseTool(unit.path, name))?.record.frontmatter ?? {}
      )
    },
    async content() {
      noteUse()
      const text = (await part.parseTool(unit.path, name))?.content
      return text === undefined ? null : { content: text, file: unit.path }
    },
  }
}

/**
 * A tool of the directories of others, or else of the library. They are read only for a name that the
 * project lacks.
 */
async function foreignTool(
  name: string,
  ref: string,
  library: LibraryTools | null,
  project: Project,
  dependencies: Dependencies,
): Promise<DirectiveTool | null> {
  for (const { names } of await project.readOthers()) {
    const record = names.tool(name)
    if (!record) continue
    if (isBroken(record)) throw directiveSkillBroken(ref, record.broken)
    dependencies.isOpen = true
    return { name, details: async () => record.frontmatter, content: async () => null }
  }
  const shipped = library?.readTools().get(name)
  if (!shipped) return null
  return {
    name,
    details: async () => shipped.frontmatter,
    async content() {
      dependencies.isOpen = true
      return null
    },
  }
}
