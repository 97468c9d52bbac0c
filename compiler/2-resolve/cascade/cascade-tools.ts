import { hash } from 'node:crypto'
import { posix, resolve, sep } from 'node:path'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import type { JsonValue } from '../../../src/base/json.js'
import { editDistance } from '../../../src/base/nearest.js'
import { isSurelySound } from '../../../src/cascade/metadata-faults.js'
import { type CascadeLookUp, type CascadeTool, cascadeFields } from '../../../src/cascade/types.js'
import type { ToolAddress } from '../../../src/index/index-format.js'
import { boundAt } from '../../../src/index/unit-around.js'
import { isMetaKey } from '../../../src/skill/metadata-keys.js'
import { namespaceOf } from '../../../src/skill/names.js'
import { namesInScope, qualifiedName } from '../../../src/skill/namespaces.js'
import { nearTool } from '../../../src/skill/near-tool.js'
import { brokenFault, mainFault, roleFault, shadowedFault } from '../../../src/skill/skill-faults.js'
import { type Finding, toDiagnostic } from '../../diagnostics/diagnostics.js'
import { memoize } from '../../files/memoize.js'
import type { LibraryTools } from '../../project/library.js'
import {
  type AbsoluteReference,
  absoluteReference,
  type ResolverDirectory,
  ToolResolver,
} from '../../project/tool-resolver.js'
import { type LinkedDirectory, nameIn } from '../../records/linked-directory.js'
import { type CascadeInput, cascadeInput, type SkillUnit, type UnitTool } from '../../records/skill-unit.js'
import type { Unit } from '../../records/unit.js'

/** A directory of the project with its table of names. */
export interface NamedDirectory {
  /** Absolute. */
  dir: string
  linked: LinkedDirectory
  units: readonly Unit[]
}

/** The tools of a project's directories and of the library, as cascades are resolved from them. */
export interface ProjectTools extends CascadeLookUp {
  // None of these returns a promise.
  middleware: (key: string, from: CascadeTool, writer: CascadeTool) => CascadeTool | null
  authority: (tool: CascadeTool) => CascadeTool | null
  namespaceMain: (tool: CascadeTool) => CascadeTool | null
  projectMain: () => CascadeTool | null
  libraryMain: () => CascadeTool | null
  directories: CascadeTool[][]
  shipped: ReadonlyMap<string, CascadeTool>
  /** The tool of the project that has a name, whether or not it loads. */
  firstNamed: (name: string) => CascadeTool | null
  /** False for code whose metadata is known only by running it, and that was not run. */
  isKnown: (id: string) => boolean
  tool: (id: string) => CascadeTool | undefined
  address: (id: string) => ToolAddress
  /** The main skills whose folder has another main skill, which comes first, with their directories. */
  secondMains: [directory: number, main: { name: string; first: string }][]
  /**
   * True for a reference that only the runtime can follow: to registered tools or into other people's
   * directories.
   */
  elsewhere: (ref: string, from: CascadeTool) => boolean
}

/** The digest of everything in a directory on which cascades can depend. */
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

/** Skills repeat the same few keys. */
const KEYS_KEPT = 1_000

/**
 * True where a tool of a project has metadata, a role or a fault that can make a cascade or a slip. Most metadata is a
 * note of its author: plain values under keys that are neither a tool's name nor one edit from a name in the library.
 */
export function hasCascades(
  directories: readonly LinkedDirectory[],
  library: () => LibraryTools | null,
): boolean {
  let shipped: string[] | undefined
  const isName = memoize((key: string) => {
    shipped ??= [...(library()?.readTools().keys() ?? [])]
    const isNear = shipped.some(name => editDistance(key, name, 1) <= 1)
    return isNear || directories.some(linked => nameIn(linked, key) !== undefined)
  }, KEYS_KEPT)
  const isNote = ([key, value]: [string, JsonValue]): boolean =>
    !isMetaKey(key) && isSurelySound(key, value) && !isName(key)
  const isInput = ({ tool }: { tool?: UnitTool }): boolean => {
    const input = tool && cascadeInput(tool)
    if (input === undefined) return false
    const { metadata, role, ...others } = input
    const isOrdinary = role === undefined || role === 'context'
    return !isOrdinary || Object.keys(others).length > 0 || !Object.entries(metadata ?? {}).every(isNote)
  }
  return directories.some(
    linked =>
      [...linked.names.values()].some(isInput) || linked.units.some(unit => mainFaultOf(unit, linked)),
  )
}

/**
 * Reads the tools that cascades are resolved from.
 *
 * @param others other people's directories that the project searches, absolute
 */
export function projectTools(
  directories: readonly NamedDirectory[],
  library: LibraryTools | null,
  others: readonly string[],
): ProjectTools {
  const read = directories.map(readDirectory)
  const shipped = libraryTools(library)
  const libraryMain = [...shipped.values()].find(isMain) ?? null
  const resolver = new ToolResolver([
    ...read.map(resolverDirectory),
    { dir: library?.dir ?? '', layer: 'bundled', named: name => shipped.get(name), inFiles: () => [] },
  ])
  const absolute = (ref: string, from: CascadeTool): AbsoluteReference => {
    const [number] = addressOf(from.id)
    const dir = number === 'library' ? library?.dir : directories[number]?.dir
    return absoluteReference(ref, resolve(dir ?? '', posix.dirname(fileOf(from))))
  }
  return {
    directories: read.map(({ tools }) => [...tools.values()]),
    shipped,
    secondMains: read.flatMap(({ secondMains }, number) =>
      secondMains.map((main): ProjectTools['secondMains'][number] => [number, main]),
    ),
    address: addressOf,
    firstNamed: name => resolver.named(name, '', 'project'),
    isKnown(id) {
      const [number, name] = addressOf(id)
      const tool = number === 'library' ? undefined : directories[number]?.linked.names.get(name)?.tool
      return !tool?.fresh?.code?.dynamic.length
    },
    tool(id) {
      const [number, name] = addressOf(id)
      return number === 'library' ? shipped.get(name) : read[number]?.tools.get(name)
    },
    base: (ref, from) => resolver.find(absolute(ref, from), namespaceOf(from.name)),
    middleware: (key, from, writer) => middlewareFor(key, from, writer, read, shipped),
    authority(tool) {
      const [number] = addressOf(tool.id)
      return number === 'library' ? libraryMain : (mainsAbove(tool, read[number])[0] ?? null)
    },
    namespaceMain(tool) {
      const [number] = addressOf(tool.id)
      const mains = number === 'library' ? [] : mainsAbove(tool, read[number])
      return mains.findLast(main => namespaceOf(main.name) !== '') ?? null
    },
    projectMain: () => read.flatMap(topMains).find(main => namespaceOf(main.name) === '') ?? null,
    libraryMain: () => libraryMain,
    nearName: ref =>
      nearTool(ref, [...directories.flatMap(({ linked }) => [...linked.names.keys()]), ...shipped.keys()]),
    elsewhere(ref, from) {
      const reference = absolute(ref, from)
      if (reference.kind === 'path') return others.some(dir => reference.path.startsWith(dir + sep))
      return reference.kind === 'uri' || (reference.kind !== 'none' && others.length > 0)
    },
  }
}

function libraryTools(library: LibraryTools | null): Map<string, CascadeTool> {
  return new Map(
    [...(library?.readTools() ?? [])].map(([name, { file, frontmatter }]) => [
      name,
      cascadeTool('library', name, file, cascadeFields(frontmatter), 'bundled'),
    ]),
  )
}

function resolverDirectory(
  { dir, linked, tools, faulty }: ReadDirectory,
  number: number,
): ResolverDirectory<CascadeTool> {
  return {
    dir,
    layer: 'project',
    named(name) {
      const own = nameIn(linked, name) ?? name
      return tools.get(own) ?? faulty.get(own)
    },
    inFiles: () =>
      linked.units.flatMap(({ path, tools: own }) =>
        own.flatMap((one): [string, CascadeTool][] => {
          const tool = shadowedTool(one, path, linked, number) ?? tools.get(one.name)
          return tool ? [[path, tool]] : []
        }),
      ),
    brokenInFiles: () =>
      [...faulty.values()].flatMap((tool): [string, CascadeTool][] =>
        tools.has(tool.name) ? [] : [[fileOf(tool), tool]],
      ),
  }
}

/** The middleware that a key means which one tool wrote and another one has. */
function middlewareFor(
  key: string,
  from: CascadeTool,
  writer: CascadeTool,
  directories: readonly ReadDirectory[],
  shipped: ReadonlyMap<string, CascadeTool>,
): CascadeTool | null {
  for (const name of namesInScope(key, namespaceOf(writer.name))) {
    const own = from.layer === 'bundled' ? null : middlewareNamed(name, directories)
    if (own) return own
    const tool = shipped.get(name)
    if (tool?.role === 'middleware') return tool
  }
  return null
}

/** The first tool of a name that is middleware, or may be and has a fault. */
function middlewareNamed(name: string, directories: readonly ReadDirectory[]): CascadeTool | null {
  for (const { tools, faulty } of directories) {
    const tool = faulty.get(name) ?? tools.get(name)
    if (tool?.role === 'middleware' || tool?.fault) return tool
  }
  return null
}

/**
 * The main skills in a tool's folder and above it, inside its unit, nearest first. Main skills of other
 * namespaces are not over it.
 */
function mainsAbove(tool: CascadeTool, directory: ReadDirectory | undefined): CascadeTool[] {
  const found: CascadeTool[] = []
  if (!directory || directory.mains.size === 0) return found
  const top = boundAt(fileOf(tool), directory) || '.'
  for (let folder = posix.dirname(fileOf(tool)); ; folder = posix.dirname(folder)) {
    const main = directory.mains.get(folder)
    if (main && ['', namespaceOf(tool.name)].includes(namespaceOf(main.name))) found.push(main)
    if (folder === top || folder === '.') return found
  }
}

/** The main skills at the top of a directory's units, in search order. */
function topMains({ mains, units }: ReadDirectory): CascadeTool[] {
  return units.flatMap(({ path }) => mains.get(path || '.') ?? [])
}

/** The fault of a tool whose name another file of its directory took; null for any other tool. */
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
  /** The tools that do not load, and those whose misspelt role may mean middleware, by name. */
  faulty: Map<string, CascadeTool>
  /** The first main skill directly in each folder, or the file that should be one and cannot be used. */
  mains: Map<string, CascadeTool>
  secondMains: { name: string; first: string }[]
}

function readDirectory({ dir, linked, units }: NamedDirectory, number: number): ReadDirectory {
  const read: ReadDirectory = {
    dir,
    linked,
    units,
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
    if (input?.roleMeant === 'middleware') read.faulty.set(name, { ...one, fault: roleFault(unit.path) })
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
  { mains, linked }: ReadDirectory,
  { path }: SkillUnit,
  found: Finding | undefined,
  number: number,
): void {
  if (!found) return
  const folder = posix.dirname(path)
  const first = mains.get(folder)
  if (first && byCodePoint(fileOf(first), path) < 0) return
  const fault = mainFault(toDiagnostic(path, found))
  // A broken main skill has no name; only its namespace is used.
  const name = qualifiedName(linked.namespaces.get(path), posix.basename(path).replaceAll(':', '-'))
  mains.set(folder, { ...cascadeTool(number, name, path, { role: 'main' }, 'project'), fault })
}

/** The finding that a file should be a main skill and cannot be used as one. */
function mainFaultOf({ path, findings }: SkillUnit, linked: LinkedDirectory): Finding | undefined {
  const isFault = ({ rule }: Finding): boolean => rule === 'main-broken'
  return findings.find(isFault) ?? linked.findings.get(path)?.find(isFault)
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
