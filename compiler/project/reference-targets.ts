import { lstatSync, type Stats, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { parseReference } from '../../src/skill/reference.js'
import type { ToolReference } from '../../src/skill/references.js'
import { projectRoot } from '../esbuild/project-root.js'
import type { UnitTool } from '../records/skill-unit.js'
import { addTool, pathOf, splitLink, type ToolsByFile, toolInFile } from '../records/tools-by-file.js'
import type { LinkedPart } from './project-part.js'

/** A tool of the project: the number of its directory, and its name there. */
export interface ProjectTool {
  directory: number
  name: string
}

/** What a reference leads to. */
export type ReferenceTarget =
  | ({ kind: 'tool' } & ProjectTool)
  /** A file or folder, absolute. */
  | { kind: 'file'; path: string }
  /** Nothing of the project; a name may still be one of the library's or of somebody else's directories. */
  | { kind: 'none'; name?: string; path?: string; fragment?: string }
  /** What only a program knows, or what lies outside the project. */
  | { kind: 'unknown' }

/** Finds what the references of a project's tools lead to. */
export interface ReferenceTargets {
  /** The tool that a bare name means, be that broken. */
  named: (name: string) => ProjectTool | null
  /** The tool in a file, or in the SKILL.md of a folder, by its absolute path. */
  inFile: (path: string, fragment: string | undefined) => ProjectTool | null
  /** What a file, or the SKILL.md of a folder, would give that does not load. */
  brokenInFile: (path: string) => ProjectTool | null
  /** The names in a skill file of the project, or in the SKILL.md of a folder, loading or not; null for what is none. */
  namesIn: (path: string) => readonly string[] | null
  /** True where a path leads to no skill, or to one whose file has not the tool that is asked for. */
  isNowhere: (path: string, fragment: string | undefined) => boolean
  /** `file` is the referring tool's, relative to its directory. */
  target: (reference: ToolReference, directory: number, file: string) => ReferenceTarget
}

export function referenceTargets(parts: readonly LinkedPart[]): ReferenceTargets {
  let files: ToolsByFile<ProjectTool> | undefined
  let brokenFiles: ToolsByFile<ProjectTool> | undefined
  let namesByFile: ReadonlyMap<string, readonly string[]> | undefined
  const roots = new Map<number, string>()
  const existing = new Map<string, boolean>()

  const named = (name: string): ProjectTool | null => {
    const directory = parts.findIndex(({ linked }) => linked.names.has(name))
    return directory === -1 ? null : { directory, name }
  }
  const inFile = (path: string, fragment: string | undefined): ProjectTool | null => {
    files ??= toolsByFile(parts)
    return toolInFile(files, path, fragment)
  }
  const brokenInFile = (path: string): ProjectTool | null => {
    brokenFiles ??= brokenByFile(parts)
    return toolInFile(brokenFiles, path, undefined)
  }
  const namesIn = (path: string): readonly string[] | null => {
    namesByFile ??= readNames(parts)
    return namesByFile.get(path) ?? namesByFile.get(join(path, 'SKILL.md')) ?? null
  }
  const isNowhere = (path: string, fragment: string | undefined): boolean => {
    const names = namesIn(path)
    return names ? fragment !== undefined && !names.includes(fragment) : !mayBeSkill(path)
  }
  const rootOf = (directory: number): string => {
    const known = roots.get(directory) ?? projectRoot(parts[directory]?.directory.dir ?? '')
    roots.set(directory, known)
    return known
  }
  const exists = (path: string): boolean => {
    const known = existing.get(path) ?? isThere(path)
    existing.set(path, known)
    return known
  }

  function target({ kind, ref }: ToolReference, directory: number, file: string): ReferenceTarget {
    const dir = parts[directory]?.directory.dir ?? ''
    const folder = resolve(dir, dirname(file))
    if (kind === 'link' || kind === 'include') return linked(ref, folder, directory, dir)
    const reference = parseReference(ref)
    switch (reference.kind) {
      case 'name':
        return ofName(reference.name)
      case 'layer':
        if (reference.layer === 'project') return ofName(reference.name)
        return reference.layer === 'bundled' ? { kind: 'none', name: reference.name } : { kind: 'unknown' }
      case 'path':
      case 'file-url':
        return inPath(pathOf(reference, folder), reference.fragment)
      case 'uri':
        return { kind: 'unknown' }
      default:
        return { kind: 'none' }
    }
  }

  function ofName(name: string): ReferenceTarget {
    const found = named(name)
    return found ? { kind: 'tool', ...found } : { kind: 'none', name }
  }

  function inPath(path: string, fragment: string | undefined): ReferenceTarget {
    const tool = inFile(path, fragment)
    if (tool) return { kind: 'tool', ...tool }
    return fragment === undefined && exists(path)
      ? { kind: 'file', path }
      : { kind: 'none', path, ...(fragment !== undefined && { fragment }) }
  }

  /** A link is written from its folder; where it means nothing there, from the top of the directory or the project. */
  function linked(ref: string, folder: string, directory: number, dir: string): ReferenceTarget {
    const [path, fragment] = splitLink(ref)
    const meant = resolve(folder, path)
    const tool = inFile(meant, fragment) ?? inFile(meant, undefined)
    if (tool) return { kind: 'tool', ...tool }
    const root = rootOf(directory)
    if (!isBelow(meant, root) && !isBelow(meant, dir)) return { kind: 'unknown' }
    const found = [meant, resolve(dir, path), resolve(root, path)].find(exists)
    return found === undefined ? { kind: 'none', path: meant } : { kind: 'file', path: found }
  }

  return { named, inFile, brokenInFile, namesIn, isNowhere, target }
}

function toolsByFile(parts: readonly LinkedPart[]): ToolsByFile<ProjectTool> {
  const files: ToolsByFile<ProjectTool> = new Map()
  for (const { directory, name, file } of namedTools(parts))
    addTool(files, resolve(parts[directory]?.directory.dir ?? '', file), { directory, name })
  return files
}

/** The names that do not load, by the files that would give them. */
function brokenByFile(parts: readonly LinkedPart[]): ToolsByFile<ProjectTool> {
  const files: ToolsByFile<ProjectTool> = new Map()
  for (const [number, { directory, linked }] of parts.entries()) {
    for (const [name, { unit, broken }] of linked.names)
      if (broken) addTool(files, resolve(directory.dir, unit.path), { directory: number, name })
  }
  return files
}

/** Every name that a skill file would give, also where another file took it. */
function readNames(parts: readonly LinkedPart[]): Map<string, string[]> {
  return new Map(
    parts.flatMap(({ directory, linked }) =>
      linked.units.map(({ path, tools, broken }) => [
        resolve(directory.dir, path),
        [...tools, ...broken].map(({ name }) => name),
      ]),
    ),
  )
}

const SKILL_FILE = /(?:^|[/\\])(?:skill\.md|[^/\\]+\.skill\.(?:md|ts|js|mts|mjs))$/i

/** False for a path where nothing is, or something that is no skill; a link that leads nowhere may be to one. */
function mayBeSkill(path: string): boolean {
  const stat = lstatOf(path)
  if (!stat) return false
  if (stat.isSymbolicLink() || SKILL_FILE.test(path)) return true
  return stat.isDirectory() && lstatOf(join(path, 'SKILL.md')) !== undefined
}

/** Every tool of a project with the file that it stands in, in order of directory and file. */
export function* namedTools(
  parts: readonly LinkedPart[],
): Generator<{ directory: number; name: string; file: string; tool: UnitTool }> {
  for (const [directory, { linked }] of parts.entries()) {
    for (const [name, { unit, tool }] of linked.names) {
      if (tool) yield { directory, name, file: unit.path, tool }
    }
  }
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep)
}

function lstatOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** False also for what no file can be called. */
function isThere(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch {
    return false
  }
}
