import { lstatSync, statSync } from 'node:fs'
import { dirname, join, resolve, sep } from 'node:path'
import { orNull } from '../../src/base/attempt.js'
import { labelOf, namespaceOf } from '../../src/skill/names.js'
import type { ToolReference } from '../../src/skill/reference.js'
import { projectRoot } from '../esbuild/project-root.js'
import { memoize } from '../files/memoize.js'
import { nameIn } from '../records/linked-directory.js'
import type { UnitTool } from '../records/skill-unit.js'
import type { LinkedPart } from './project.js'
import { absoluteReference, type ResolverDirectory, splitLink, ToolResolver } from './tool-resolver.js'

/** A tool of the project: the number of its directory, and its name there. */
export interface ProjectTool {
  directory: number
  name: string
}

export type ReferenceTarget =
  | ({ kind: 'tool' } & ProjectTool)
  /** A file or folder, absolute. */
  | { kind: 'file'; path: string }
  /** Nothing of the project; a name may still be one of the library, or of directories of others. */
  | { kind: 'none'; name?: string; path?: string; fragment?: string }
  /** Something that only a program knows, or that lies outside the project. */
  | { kind: 'unknown' }

/** Resolves the references of a project's tools to tools and other files. */
export class ReferenceTargets {
  /**
   * Finds the project's tools alone: the library and other people's directories are read only where they are
   * needed.
   */
  readonly tools: ToolResolver<ProjectTool>
  private namesByFile: ReadonlyMap<string, readonly string[]> | undefined
  private readonly rootOf: (dir: string) => string = memoize(projectRoot)
  private readonly exists: (path: string) => boolean = memoize(isThere)

  constructor(private readonly parts: readonly LinkedPart[]) {
    this.tools = new ToolResolver(parts.map(resolverDirectory))
  }

  /**
   * The names that a skill file, or the SKILL.md of a folder, defines, loading or not; null for any other
   * path.
   */
  namesIn(path: string): readonly string[] | null {
    this.namesByFile ??= readNames(this.parts)
    return this.namesByFile.get(path) ?? this.namesByFile.get(join(path, 'SKILL.md')) ?? null
  }

  /** True where a path leads to no skill, or to a skill file that lacks the tool of the fragment. */
  isNowhere(path: string, fragment: string | undefined): boolean {
    const names = this.namesIn(path)
    return names ? fragment !== undefined && !names.includes(fragment) : !mayBeSkill(path)
  }

  /** Resolves a tool's reference. `file` is the tool's, relative to its directory. */
  target({ kind, ref }: ToolReference, { directory, name }: ProjectTool, file: string): ReferenceTarget {
    const dir = this.parts[directory]?.directory.dir ?? ''
    const folder = resolve(dir, dirname(file))
    if (kind === 'link' || kind === 'include') return this.linkTarget(ref, folder, dir)
    const reference = absoluteReference(ref, folder)
    switch (reference.kind) {
      case 'path':
        return this.pathTarget(reference.path, reference.fragment)
      case 'name':
        return this.namedTarget(reference.name, namespaceOf(name))
      case 'layer':
        if (reference.layer === 'project') return this.namedTarget(reference.name, namespaceOf(name))
        return reference.layer === 'bundled' ? { kind: 'none', name: reference.name } : { kind: 'unknown' }
      case 'uri':
        return { kind: 'unknown' }
      default:
        return { kind: 'none' }
    }
  }

  private namedTarget(name: string, namespace: string): ReferenceTarget {
    const tool = this.tools.named(name, namespace)
    return tool ? { kind: 'tool', ...tool } : { kind: 'none', name }
  }

  private pathTarget(path: string, fragment: string | undefined): ReferenceTarget {
    const tool = this.tools.inFile(path, fragment)
    if (tool) return { kind: 'tool', ...tool }
    return fragment === undefined && this.exists(path)
      ? { kind: 'file', path }
      : { kind: 'none', path, ...(fragment !== undefined && { fragment }) }
  }

  /**
   * A link is relative to its folder; where nothing is there, to the top of the directory or of the project.
   */
  private linkTarget(ref: string, folder: string, dir: string): ReferenceTarget {
    const [path, fragment] = splitLink(ref)
    const meant = resolve(folder, path)
    const tool = this.tools.linked(meant, fragment)
    if (tool) return { kind: 'tool', ...tool }
    const root = this.rootOf(dir)
    if (!isBelow(meant, root) && !isBelow(meant, dir)) return { kind: 'unknown' }
    const found = [meant, resolve(dir, path), resolve(root, path)].find(this.exists)
    return found === undefined ? { kind: 'none', path: meant } : { kind: 'file', path: found }
  }
}

function resolverDirectory(
  { directory: { dir, layer }, linked }: LinkedPart,
  directory: number,
): ResolverDirectory<ProjectTool> {
  const namesWith = (what: 'tool' | 'broken') =>
    [...linked.names].flatMap(([name, named]): [string, ProjectTool][] =>
      named[what] ? [[named.unit.path, { directory, name }]] : [],
    )
  return {
    dir,
    layer,
    named(name) {
      const own = nameIn(linked, name)
      return own === undefined ? null : { directory, name: own }
    },
    inFiles: () => namesWith('tool'),
    brokenInFiles: () => namesWith('broken'),
  }
}

/** Every bare name that a skill file defines, even if another file took it. */
function readNames(parts: readonly LinkedPart[]): Map<string, string[]> {
  return new Map(
    parts.flatMap(({ directory, linked }) =>
      linked.units.map(({ path, tools, broken }) => [
        resolve(directory.dir, path),
        [...tools, ...broken].map(({ name }) => labelOf(name)),
      ]),
    ),
  )
}

const SKILL_FILE = /(?:^|[/\\])(?:skill\.md|[^/\\]+\.skill\.(?:md|ts|js|mts|mjs))$/i

/**
 * False for a path where nothing is, and for a file that is not a skill. A symbolic link that leads nowhere may
 * be one.
 */
function mayBeSkill(path: string): boolean {
  const stat = orNull(() => lstatSync(path))
  if (stat === null) return false
  if (stat.isSymbolicLink() || SKILL_FILE.test(path)) return true
  return stat.isDirectory() && orNull(() => lstatSync(join(path, 'SKILL.md'))) !== null
}

/** Every tool of a project with its file, in order of directory and file. */
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

/** False also for a path that no file can have. */
function isThere(path: string): boolean {
  return orNull(() => statSync(path)) !== null
}
