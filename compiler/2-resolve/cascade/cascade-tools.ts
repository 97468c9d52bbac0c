import { hash } from 'node:crypto'
import { join, posix, resolve, sep } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import type { CascadeLookUp, CascadeTool } from '../../../src/cascade/types.js'
import { cascadeFields } from '../../../src/cascade/types.js'
import type { ToolAddress } from '../../../src/index/index-format.js'
import { nearTool } from '../../../src/skill/near-tool.js'
import { parseReference } from '../../../src/skill/reference.js'
import { brokenFault, mainFault, roleFault, shadowedFault } from '../../../src/skill/skill-faults.js'
import { type Finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import type { LibraryTools } from '../../project/library.js'
import type { LinkedDirectory } from '../../records/linked-directory.js'
import { type CascadeInput, cascadeInput, type SkillUnit, type UnitTool } from '../../records/skill-unit.js'
import {
  addTool,
  isPathReference,
  pathOf,
  type ToolsByFile,
  toolInFile,
} from '../../records/tools-by-file.js'

/** A directory of the project, for its tools to be found in. */
export interface NamedDirectory {
  /** Absolute. */
  dir: string
  linked: LinkedDirectory
}

/** The tools of a project's directories and of the library, as cascades are resolved from them. */
export interface ProjectTools extends CascadeLookUp {
  // They answer at once: none of these is a promise.
  middleware: (key: string, from: CascadeTool) => CascadeTool | null
  authority: (tool: CascadeTool) => CascadeTool | null
  projectMain: () => CascadeTool | null
  libraryMain: () => CascadeTool | null
  /** Each directory's tools. */
  directories: CascadeTool[][]
  /** The library's, by name. */
  shipped: ReadonlyMap<string, CascadeTool>
  /** The tool of the project that a name leads to, which may not load. */
  firstNamed: (name: string) => CascadeTool | null
  /** False for code of which something is only known when it runs, and was not run. */
  isKnown: (id: string) => boolean
  /** A tool by its id. */
  tool: (id: string) => CascadeTool | undefined
  address: (id: string) => ToolAddress
  /** Main skills that lie in one folder with another that comes first, by directory. */
  secondMains: [directory: number, main: { name: string; first: string }][]
  /** References that lead to what only the runtime knows: registered tools, other people's directories. */
  elsewhere: (ref: string, from: CascadeTool) => boolean
}

/** The digest of everything in a directory that a cascade can be made of. */
export function cascadeInputDigest(linked: LinkedDirectory): string {
  const { names } = linked
  const digest: unknown[] = []
  for (const [name, { unit, tool, broken }] of names) {
    digest.push([name, unit.path, tool ? (cascadeInput(tool) ?? 0) : (broken ?? null)])
  }
  for (const unit of linked.units) {
    const fault = mainFaultOf(unit, linked)
    if (fault) digest.push([unit.path, fault])
    for (const tool of unit.tools) if (shadowing(tool, linked)) digest.push([unit.path, tool.name])
  }
  return hash('sha256', JSON.stringify(digest))
}

export function projectTools(
  directories: readonly NamedDirectory[],
  library: LibraryTools | null,
  others: readonly string[],
): ProjectTools {
  const named = directories.map((directory, number) => readDirectory(directory, number))
  const shipped = new Map(
    [...(library?.readTools() ?? [])].map(
      ([name, { file, frontmatter }]) =>
        [name, cascadeTool('library', name, file, cascadeFields(frontmatter), 'bundled')] as const,
    ),
  )
  const libraryMain = [...shipped.values()].find(isMain) ?? null
  /** Made for the first reference that is a path: few are. */
  let files: ToolFiles | undefined

  function base(ref: string, from: CascadeTool): CascadeTool | null {
    const reference = parseReference(ref)
    switch (reference.kind) {
      case 'name':
        return firstNamed(reference.name) ?? shipped.get(reference.name) ?? null
      case 'layer':
        if (reference.layer === 'project') return firstNamed(reference.name)
        return reference.layer === 'bundled' ? (shipped.get(reference.name) ?? null) : null
      case 'path':
      case 'file-url':
        return inPath(pathOf(reference, folderOf(from)), reference.fragment)
      default:
        return null
    }
  }

  function firstNamed(name: string): CascadeTool | null {
    for (const { tools, faulty } of named) {
      const tool = tools.get(name) ?? faulty.get(name)
      if (tool) return tool
    }
    return null
  }

  function inPath(path: string, fragment: string | undefined): CascadeTool | null {
    files ??= toolFiles(named)
    const { tools, faulty } = files
    return toolInFile(tools, path, fragment) ?? faulty.get(path) ?? faulty.get(join(path, 'SKILL.md')) ?? null
  }

  function folderOf(from: CascadeTool): string {
    const [number] = addressOf(from.id)
    const directory = number === 'library' ? library?.dir : directories[number]?.dir
    return resolve(directory ?? '', posix.dirname(fileOf(from)))
  }

  return {
    directories: named.map(({ tools }) => [...tools.values()]),
    shipped,
    firstNamed,
    isKnown(id) {
      const [number, name] = addressOf(id)
      const tool = number === 'library' ? undefined : directories[number]?.linked.names.get(name)?.tool
      return !tool?.fresh?.code?.dynamic.length
    },
    tool(id) {
      const [number, name] = addressOf(id)
      return number === 'library' ? shipped.get(name) : named[number]?.tools.get(name)
    },
    secondMains: named.flatMap(({ secondMains }, number) =>
      secondMains.map(main => [number, main] as [number, typeof main]),
    ),
    base,
    middleware(key, from) {
      if (from.layer !== 'bundled') {
        for (const { tools, faulty } of named) {
          const tool = faulty.get(key) ?? tools.get(key)
          if (tool?.role === 'middleware' || tool?.fault) return tool
        }
      }
      const tool = shipped.get(key)
      return tool?.role === 'middleware' ? tool : null
    },
    authority(tool) {
      const [number] = addressOf(tool.id)
      if (number === 'library') return libraryMain
      let folder = posix.dirname(fileOf(tool))
      for (;;) {
        const main = named[number]?.mains.get(folder)
        if (main) return main
        if (folder === '.') return null
        folder = posix.dirname(folder)
      }
    },
    projectMain() {
      for (const { mains } of named) {
        const main = mains.get('.')
        if (main) return main
      }
      return null
    },
    libraryMain: () => libraryMain,
    nearName: ref =>
      nearTool(ref, [...directories.flatMap(({ linked }) => [...linked.names.keys()]), ...shipped.keys()]),
    address: addressOf,
    elsewhere: (ref, from) => {
      const reference = parseReference(ref)
      if (isPathReference(reference)) {
        const path = pathOf(reference, folderOf(from))
        return others.some(dir => path.startsWith(dir + sep))
      }
      return reference.kind === 'uri' || (reference.kind !== 'none' && others.length > 0)
    },
  }
}

/** A project's tools by their absolute files. */
interface ToolFiles {
  tools: ToolsByFile<CascadeTool>
  /** What does not load, where its file gives nothing else. */
  faulty: Map<string, CascadeTool>
}

function toolFiles(directories: readonly ReadDirectory[]): ToolFiles {
  const files: ToolFiles = { tools: new Map(), faulty: new Map() }
  for (const [number, { dir, linked, tools }] of directories.entries())
    for (const { path, tools: own } of linked.units)
      for (const one of own) {
        const tool = shadowedTool(one, path, linked, number) ?? tools.get(one.name)
        if (tool) addTool(files.tools, resolve(dir, path), tool)
      }
  for (const { dir, tools, faulty } of directories)
    for (const tool of faulty.values()) {
      const path = resolve(dir, fileOf(tool))
      if (!tools.has(tool.name) && !files.tools.has(path)) files.faulty.set(path, tool)
    }
  return files
}

/** A tool that its file has and its directory has not, since another file took the name; null for any other. */
function shadowedTool(
  tool: UnitTool,
  path: string,
  linked: LinkedDirectory,
  number: number,
): CascadeTool | null {
  const first = shadowing(tool, linked)
  const fault = first && shadowedFault(path, tool.name, first)
  return fault ? { ...cascadeTool(number, tool.name, path, {}, 'project'), fault } : null
}

/** The file that took a tool's name before its own did; null where none did. */
function shadowing(tool: UnitTool, { names }: LinkedDirectory): string | null {
  const first = names.get(tool.name)
  return first && first.tool !== tool ? first.unit.path : null
}

function fileOf({ id }: CascadeTool): string {
  return id.split('\0')[2] ?? ''
}

interface ReadDirectory extends NamedDirectory {
  tools: Map<string, CascadeTool>
  /** What does not load, by the name that it takes, and of the tools those that may be middleware and cannot be used as that. */
  faulty: Map<string, CascadeTool>
  /** The first main skill that lies directly in each folder, or file that cannot be used as one. */
  mains: Map<string, CascadeTool>
  secondMains: { name: string; first: string }[]
}

function readDirectory({ dir, linked }: NamedDirectory, number: number): ReadDirectory {
  const read: ReadDirectory = {
    dir,
    linked,
    tools: new Map(),
    faulty: new Map(),
    mains: new Map(),
    secondMains: [],
  }
  for (const [name, { unit, tool, broken }] of linked.names) {
    if (broken) {
      const fault = brokenFault(toDiagnostic(unit.path, broken))
      read.faulty.set(name, { ...cascadeTool(number, name, unit.path, {}, 'project'), fault })
    }
    if (!tool) continue
    const input = cascadeInput(tool)
    const one = cascadeTool(number, name, unit.path, input, 'project')
    if (input?.roleMeant === 'middleware')
      read.faulty.set(name, { ...one, fault: roleFault(unit.path, 'middleware') })
    read.tools.set(name, one)
    const folder = posix.dirname(unit.path)
    const first = isMain(one) ? read.mains.get(folder) : undefined
    if (first) read.secondMains.push({ name, first: first.name })
    else if (isMain(one)) read.mains.set(folder, one)
  }
  for (const unit of linked.units) addFaultyMain(read, unit, mainFaultOf(unit, linked), number)
  return read
}

function addFaultyMain(
  { mains }: ReadDirectory,
  { path }: SkillUnit,
  found: Finding | undefined,
  number: number,
): void {
  if (!found) return
  const folder = posix.dirname(path)
  const first = mains.get(folder)
  if (first && byCodePoint(fileOf(first), path) < 0) return
  const fault = mainFault(toDiagnostic(path, found))
  mains.set(folder, { ...cascadeTool(number, path, path, { role: 'main' }, 'project'), fault })
}

/** What says that a file should be a main skill, and is none. */
function mainFaultOf({ path, findings }: SkillUnit, linked: LinkedDirectory): Finding | undefined {
  const all = [...findings, ...(linked.findings.get(path) ?? [])]
  return all.find(({ rule }) => rule === 'main-broken')
}

const NO_METADATA = {}

function cascadeTool(
  directory: number | 'library',
  name: string,
  file: string,
  { metadata = NO_METADATA, roleMeant: _, ...input }: CascadeInput = {},
  layer: CascadeTool['layer'],
): CascadeTool {
  return { id: `${directory}\0${name}\0${file}`, name, layer, metadata, ...input }
}

function addressOf(id: string): ToolAddress {
  const [directory = '', name = ''] = id.split('\0')
  return [directory === 'library' ? 'library' : Number(directory), name]
}

function isMain({ role }: CascadeTool): boolean {
  return role === 'main'
}
