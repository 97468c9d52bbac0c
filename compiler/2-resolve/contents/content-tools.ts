import { dirname, resolve } from 'node:path'
import { directiveSkillBroken } from '../../../src/content/content-faults.js'
import type { DirectiveTool } from '../../../src/content/directive.js'
import { isBroken } from '../../../src/index/index-format.js'
import { parseReference } from '../../../src/skill/reference.js'
import { toDiagnostic } from '../../diagnostics/diagnostics.js'
import type { ContentTools, Dependencies } from '../../project/content-source.js'
import type { LibraryTools } from '../../project/library.js'
import type { Project } from '../../project/project.js'
import type { ProjectPart } from '../../project/project-part.js'
import { type ProjectTool, referenceTargets } from '../../project/reference-targets.js'
import type { NamedTool } from '../../records/linked-directory.js'
import { isPathReference, pathOf } from '../../records/tools-by-file.js'

/** The tools that the skills of each of a project's directories can name in their contents. */
export function contentTools(
  parts: readonly ProjectPart[],
  library: LibraryTools | null,
  project: Project,
): (number: number) => ContentTools {
  const targets = referenceTargets(parts)

  /** A tool of the project. Its name holds while its file is there, as all else that it says. */
  function own(
    { directory, name }: ProjectTool,
    ref: string,
    number: number,
    dependencies: Dependencies,
  ): DirectiveTool | null {
    const part = parts[directory] as ProjectPart
    const { unit, tool, broken } = part.linked.names.get(name) as NamedTool
    if (broken) throw directiveSkillBroken(ref, toDiagnostic(unit.path, broken))
    if (!tool) return null
    // A name of another directory is one that a `cascadeKey` tells of.
    if (directory === number) dependencies.files.add(unit.path)
    const touch = (): void => {
      if (directory !== number) dependencies.isOpen = true
    }
    return {
      name,
      async details() {
        touch()
        return (
          tool.fresh?.record.frontmatter ?? (await part.parseTool(unit.path, name))?.record.frontmatter ?? {}
        )
      },
      async content() {
        touch()
        const text = (await part.parseTool(unit.path, name))?.content
        return text === undefined ? null : { content: text, file: unit.path }
      },
    }
  }

  async function foreign(
    name: string,
    ref: string,
    dependencies: Dependencies,
  ): Promise<DirectiveTool | null> {
    // They are read only where nothing else has the name.
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

  return number => ({
    async names() {
      const theirs = (await project.readOthers()).flatMap(({ names }) => names.names())
      const shipped = [...(library?.readTools() ?? [])].filter(
        ([, { frontmatter }]) => frontmatter.visibility !== 'hidden',
      )
      return [
        ...parts.flatMap(({ linked }) => [...linked.names.keys()]),
        ...theirs,
        ...shipped.map(([name]) => name),
      ]
    },
    async find(ref, file, dependencies) {
      const reference = parseReference(ref)
      if (reference.kind === 'name') {
        const found = targets.named(reference.name)
        return found ? own(found, ref, number, dependencies) : foreign(reference.name, ref, dependencies)
      }
      if (isPathReference(reference)) {
        const folder = resolve(parts[number]?.directory.dir ?? '', dirname(file))
        const path = pathOf(reference, folder)
        const found = targets.inFile(path, reference.fragment) ?? targets.brokenInFile(path)
        if (found) return own(found, ref, number, dependencies)
        if (targets.isNowhere(path, reference.fragment)) return null
      }
      if (reference.kind === 'none') return null
      // Only a runtime knows what other references lead to.
      dependencies.isOpen = true
      return { name: ref, details: async () => ({}), content: async () => null }
    },
  })
}
