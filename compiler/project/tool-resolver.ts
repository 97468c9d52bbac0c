import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { addToGroup } from '../../src/base/add-to-group.js'
import { orNull } from '../../src/base/attempt.js'
import { labelOf } from '../../src/skill/names.js'
import { namesInScope } from '../../src/skill/namespaces.js'
import { parseReference, type Reference } from '../../src/skill/reference.js'

/** A reference with an absolute path, so that it means the same in every file. */
export type AbsoluteReference = Exclude<Reference, { kind: 'file-url' }>

/**
 * Reads a reference that is written in a file of a folder (absolute). A URL that no file can have becomes the
 * empty path.
 */
export function absoluteReference(ref: string, folder: string): AbsoluteReference {
  const reference = parseReference(ref)
  if (reference.kind === 'path') return { ...reference, path: resolve(folder, reference.path) }
  if (reference.kind !== 'file-url') return reference
  const { url, ...fragment } = reference
  return { ...fragment, kind: 'path', path: orNull(() => fileURLToPath(url)) ?? '' }
}

/** A searched directory, as a `ToolResolver` asks it for its tools. */
export interface ResolverDirectory<Tool extends { name: string }> {
  /** Absolute. */
  dir: string
  layer: string
  /** The tool that has a name here, whether or not it loads; also the first that a bare name means. */
  named: (name: string) => Tool | null | undefined
  /** The tools that load, with the file of each, relative to the directory; a file's tools in its order. */
  inFiles: () => Iterable<readonly [file: string, Tool]>
  /** The tools that do not load, with the file of each. */
  brokenInFiles?: () => Iterable<readonly [file: string, Tool]>
}

/**
 * Finds the tools that references lead to, as the runtime's `findTool` does: a name in the first directory
 * that has it, or the first of its layer; a path in the file itself, or in the SKILL.md of the folder.
 */
export class ToolResolver<Tool extends { name: string }> {
  private sound: ToolsByFile<Tool> | undefined
  private broken: ToolsByFile<Tool> | undefined

  /** @param directories in search order, the library last */
  constructor(private readonly directories: readonly ResolverDirectory<Tool>[]) {}

  /**
   * The tool that a reference leads to, whether or not it loads; null where no directory has it.
   *
   * @param namespace the referring tool's
   */
  find(reference: AbsoluteReference, namespace = ''): Tool | null {
    switch (reference.kind) {
      case 'name':
        return this.named(reference.name, namespace)
      case 'layer':
        return this.named(reference.name, namespace, reference.layer)
      case 'path': {
        const { path, fragment } = reference
        const tools = toolsAt(this.soundFiles(), path)
        return tools ? pick(tools, fragment) : this.brokenInFile(path)
      }
      default:
        return null
    }
  }

  /** The first tool that a name means where it is written in a namespace. */
  named(name: string, namespace = '', layer?: string): Tool | null {
    for (const one of namesInScope(name, namespace)) {
      for (const directory of this.directories) {
        const tool = layer === undefined || layer === directory.layer ? directory.named(one) : null
        if (tool) return tool
      }
    }
    return null
  }

  /** The first tool of a file that loads; with a fragment, the tool of that name. */
  inFile(path: string, fragment?: string): Tool | null {
    return pick(toolsAt(this.soundFiles(), path), fragment)
  }

  /** The first tool of a file that does not load. */
  brokenInFile(path: string): Tool | null {
    this.broken ??= this.byFile(({ brokenInFiles }) => brokenInFiles?.() ?? [])
    return pick(toolsAt(this.broken, path))
  }

  /** The tool of a file that a Markdown link leads to. The link's fragment is a tool's name or a heading. */
  linked(path: string, fragment: string): Tool | null {
    return this.inFile(path, fragment) ?? this.inFile(path)
  }

  private soundFiles(): ToolsByFile<Tool> {
    this.sound ??= this.byFile(({ inFiles }) => inFiles())
    return this.sound
  }

  private byFile(
    toolsOf: (directory: ResolverDirectory<Tool>) => Iterable<readonly [file: string, Tool]>,
  ): ToolsByFile<Tool> {
    const files: ToolsByFile<Tool> = new Map()
    for (const directory of this.directories)
      for (const [file, tool] of toolsOf(directory)) addToGroup(files, resolve(directory.dir, file), tool)
    return files
  }
}

/** A Markdown link's path, decoded to the name on disk, and its fragment. */
export function splitLink(ref: string): [path: string, fragment: string] {
  const [, path = '', fragment = ''] = /^([^?#]*)[^#]*#?(.*)$/s.exec(ref) ?? []
  return [orNull(() => decodeURIComponent(path)) ?? path, fragment]
}

type ToolsByFile<Tool> = Map<string, Tool[]>

function toolsAt<Tool>(files: ToolsByFile<Tool>, path: string): readonly Tool[] | undefined {
  return files.get(path) ?? files.get(join(path, 'SKILL.md'))
}

function pick<Tool extends { name: string }>(
  tools: readonly Tool[] | undefined,
  fragment?: string,
): Tool | null {
  return tools?.find(({ name }) => fragment === undefined || labelOf(name) === fragment) ?? null
}
