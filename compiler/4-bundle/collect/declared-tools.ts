import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import {
  type CascadeRecord,
  isBroken,
  type NameRecord,
  type ToolRecord,
} from '../../../src/index/index-format.js'
import { parseReference } from '../../../src/skill/reference.js'
import { isPathReference, pathOf, toolInFile } from '../../records/tools-by-file.js'
import type { DeclaredTool } from '../types/declare-tools.js'
import { cascadesOf, type SearchedIndex } from './bundle-directory.js'
import { bundledFiles } from './bundled-files.js'

/** The tools that a bundle exports, the first of each name; of the library those that are called by name. */
export function declaredTools(directories: readonly SearchedIndex[]): DeclaredTool[] {
  const bundled = bundledTools(directories)
  return [...bundled.byName.values()].flatMap(tool => {
    if (isBroken(tool.record)) return []
    const { role, visibility, description } = tool.record.frontmatter
    const isCalled = !tool.directory.isLibrary || (role === undefined && visibility !== 'hidden')
    return isCalled ? [{ name: tool.name, description, ...typesOf(tool as BundledTool, bundled) }] : []
  })
}

interface BundledTool {
  name: string
  record: ToolRecord
  cascade: CascadeRecord | undefined
  directory: SearchedIndex
}

interface BundledTools {
  /** The first of each name. A broken tool keeps its name from later directories. */
  byName: Map<string, Omit<BundledTool, 'record'> & { record: NameRecord }>
  inFile: (path: string, fragment: string | undefined) => BundledTool | undefined
  /** The tool whose delegate is another one's body. */
  bodyOf: (tool: BundledTool) => BundledTool | undefined
}

function bundledTools(directories: readonly SearchedIndex[]): BundledTools {
  const byName: BundledTools['byName'] = new Map()
  const files = bundledFiles(directories)
  const byDirectory = new Map<SearchedIndex, Map<string, BundledTool>>()
  for (const directory of directories) {
    const cascades = cascadesOf(directory)
    const loaded = new Map<string, BundledTool>()
    byDirectory.set(directory, loaded)
    for (const [name, record] of directory.tools) {
      const tool = { name, record, cascade: cascades.get(name), directory }
      if (!byName.has(name)) byName.set(name, tool)
      if (!isBroken(record)) loaded.set(name, { ...tool, record })
    }
  }
  const own = directories.filter(({ isOwn }) => isOwn)
  const library = directories.find(({ isLibrary }) => isLibrary)
  return {
    byName,
    inFile(path, fragment) {
      const given = toolInFile(files, path, fragment)
      return given ? byDirectory.get(given.directory)?.get(given.name) : undefined
    },
    bodyOf({ cascade, directory }) {
      if (!cascade?.body) return undefined
      const [number, name] = cascade.body
      // Others were numbered in their own project.
      const home = number === 'library' ? library : directory.isOwn ? own[number] : undefined
      return home && byDirectory.get(home)?.get(name)
    },
  }
}

/**
 * What a tool takes and gives. One that says nothing of it, and hands its call on to another as it is, is that one's.
 *
 * @param before the tools that lead here
 */
function typesOf(
  tool: BundledTool,
  bundled: BundledTools,
  before: readonly ToolRecord[] = [],
): Pick<DeclaredTool, 'params' | 'returns'> {
  const { record, cascade } = tool
  const { role, metadata } = record.frontmatter
  const params: unknown = record.frontmatter.params ?? cascade?.metadata?.params
  const returns: unknown = record.frontmatter.returns ?? cascade?.metadata?.returns
  const isDelegated = metadata.delegate !== undefined || cascade?.body !== undefined
  // A text is held against no schema.
  const isText = record.kind !== 'code' && !isDelegated
  const isAlone = !cascade || (cascade.chain.length === 0 && !cascade.open)
  const target = isDelegated && isAlone ? delegateOf(tool, bundled) : undefined
  const handedOn =
    target && !before.includes(record) ? typesOf(target, bundled, [...before, record]) : undefined
  const ownParams = isDelegated ? handedOn?.params : role === 'middleware' ? undefined : 'none'
  const ownReturns = isText && isAlone ? 'text' : handedOn?.returns
  return {
    params: params === undefined ? ownParams : isKnown(params) ? params : undefined,
    returns: returns === undefined || isText ? ownReturns : isKnown(returns) ? returns : undefined,
  }
}

/** The tool of the bundle that another one's delegate names. */
function delegateOf(tool: BundledTool, bundled: BundledTools): BundledTool | undefined {
  const isOwn = tool.record.frontmatter.metadata.delegate !== undefined
  const { record, directory } = (isOwn ? tool : bundled.bodyOf(tool)) ?? {}
  const delegate = record?.frontmatter.metadata.delegate
  // A module, or a text, is no tool.
  if (!record || !directory || record.delegate || typeof delegate !== 'string') return undefined
  const reference = parseReference(delegate)
  if (reference.kind === 'name') {
    const named = bundled.byName.get(reference.name)
    return named && !isBroken(named.record) ? (named as BundledTool) : undefined
  }
  if (!isPathReference(reference)) return undefined
  const path = pathOf(reference, join(directory.dir, dirname(record.file)))
  return bundled.inFile(path, reference.fragment)
}

/** False for a schema that is known only when the tool runs. */
function isKnown(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !('$resolve' in schema)
}
