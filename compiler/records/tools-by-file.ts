import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Reference } from '../../src/skill/reference.js'

/** Tools by the absolute path of the file that they stand in. */
export type ToolsByFile<Tool extends { name: string }> = Map<string, Tool[]>

/** The tool that a path leads to, which may be that of a SKILL.md’s folder; with a fragment the one of that name. */
export function toolInFile<Tool extends { name: string }>(
  files: ToolsByFile<Tool>,
  path: string,
  fragment: string | undefined,
): Tool | null {
  const tools = files.get(path) ?? files.get(join(path, 'SKILL.md'))
  return tools?.find(({ name }) => fragment === undefined || name === fragment) ?? null
}

/** Puts a tool behind those that its file has already. */
export function addTool<Tool extends { name: string }>(
  files: ToolsByFile<Tool>,
  path: string,
  tool: Tool,
): void {
  const tools = files.get(path)
  if (tools) tools.push(tool)
  else files.set(path, [tool])
}

/** A reference to a file. */
export type PathReference = Extract<Reference, { kind: 'path' | 'file-url' }>

export function isPathReference(reference: Reference): reference is PathReference {
  return reference.kind === 'path' || reference.kind === 'file-url'
}

/** The absolute path that a reference in a folder means; empty for a URL that no file can have. */
export function pathOf(reference: PathReference, folder: string): string {
  if (reference.kind === 'path') return resolve(folder, reference.path)
  try {
    return fileURLToPath(reference.url)
  } catch {
    return ''
  }
}

/** A link's path and fragment, as they are called on disk. */
export function splitLink(ref: string): [path: string, fragment: string] {
  const [, path = '', fragment = ''] = /^([^?#]*)[^#]*#?(.*)$/s.exec(ref) ?? []
  try {
    return [decodeURIComponent(path), fragment]
  } catch {
    return [path, fragment]
  }
}
