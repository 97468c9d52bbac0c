import { existsSync } from 'node:fs'
import { posix, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { DirectiveTool } from '../src/directive.js'
import type { DirectoryNames } from '../src/directory-names.js'
import { isBroken } from '../src/index-format.js'
import { parseReference } from '../src/reference.js'
import { parseSkill } from './1-read/read-skills.js'
import type { WalkedSkill } from './1-read/walk.js'
import type { ContentTools, Dependencies } from './content-source.js'
import { parser } from './disk.js'
import type { LibraryTools } from './library.js'
import type { LinkedDirectory } from './linked-directory.js'
import type { Project, ProjectDirectory } from './project.js'
import type { SkillUnit, UnitTool } from './skill-unit.js'

interface Part {
  directory: ProjectDirectory
  linked: LinkedDirectory
  skills: readonly WalkedSkill[]
}

interface OwnTool {
  number: number
  unit: SkillUnit
  tool: UnitTool
}

/** The tools that the skills of each of a project's directories can name in their contents. */
export function contentTools(
  parts: readonly Part[],
  library: LibraryTools | null,
  { others }: Project,
): (number: number) => ContentTools {
  let reading: Promise<DirectoryNames[]> | undefined
  /** Somebody else's directories: they are read only where nothing else has a name. */
  const elsewhere = (): Promise<DirectoryNames[]> => {
    const there = others.filter(({ dir }) => existsSync(dir))
    reading ??= Promise.all(there.map(({ dir, ignore }) => parser.readDirectory(dir, ignore)))
    return reading
  }

  function named(name: string): OwnTool | null {
    for (const [number, { linked }] of parts.entries()) {
      const found = linked.names.get(name)
      if (found?.tool) return { number, unit: found.unit, tool: found.tool }
    }
    return null
  }

  /** The tool of a file, by its absolute path. */
  function inFile(path: string, fragment: string | undefined): OwnTool | null {
    for (const [number, { directory, linked }] of parts.entries()) {
      for (const unit of linked.units) {
        const file = resolve(directory.dir, unit.path)
        if (file !== path && file !== resolve(path, 'SKILL.md')) continue
        const tool = unit.tools.find(({ name }) => fragment === undefined || name === fragment)
        if (tool) return { number, unit, tool }
      }
    }
    return null
  }

  async function parsed({ number, unit, tool }: OwnTool) {
    const skill = parts[number]?.skills.find(({ path }) => path === unit.path)
    return skill && (await parseSkill(skill)).tools.find(({ name }) => name === tool.name)
  }

  /** A tool of the project: its name holds while its file is there, as all else that it says. */
  function own(found: OwnTool, number: number, dependencies: Dependencies): DirectiveTool {
    const { unit, tool } = found
    // A name of another directory is one that a `cascadeKey` tells of.
    if (found.number === number) dependencies.files.add(unit.path)
    const touch = (): void => {
      if (found.number !== number) dependencies.isOpen = true
    }
    return {
      name: tool.name,
      async details() {
        touch()
        return tool.fresh?.record.frontmatter ?? (await parsed(found))?.record.frontmatter ?? {}
      },
      async content() {
        touch()
        const text = (await parsed(found))?.content
        return text === undefined ? null : { content: text, file: unit.path }
      },
    }
  }

  async function foreign(name: string, dependencies: Dependencies): Promise<DirectiveTool | null> {
    for (const directory of await elsewhere()) {
      const record = directory.tool(name)
      if (!record || isBroken(record)) continue
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
      const theirs = (await elsewhere()).flatMap(directory => directory.names())
      return [...parts.flatMap(({ linked }) => [...linked.names.keys()]), ...theirs]
    },
    async find(ref, file, dependencies) {
      const reference = parseReference(ref)
      if (reference.kind === 'name') {
        const found = named(reference.name)
        return found ? own(found, number, dependencies) : foreign(reference.name, dependencies)
      }
      if (reference.kind === 'path' || reference.kind === 'file-url') {
        const dir = parts[number]?.directory.dir ?? ''
        const path =
          reference.kind === 'path'
            ? resolve(dir, posix.dirname(file), reference.path)
            : fileURLToPath(reference.url)
        const found = inFile(path, reference.fragment)
        if (found) return own(found, number, dependencies)
      }
      if (reference.kind === 'none') return null
      // Only a runtime knows what other references lead to.
      dependencies.isOpen = true
      return { name: ref, details: async () => ({}), content: async () => null }
    },
  })
}
