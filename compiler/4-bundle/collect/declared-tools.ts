import { dirname, join } from 'node:path'
import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import { type CascadeRecord, isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { absoluteReference, type ToolResolver } from '../../project/tool-resolver.js'
import type { DeclaredTool } from '../types/declare-tools.js'
import { cascadesOf, type SearchedIndex } from './bundle-directory.js'
import { bundledResolver, type NamedRecord } from './bundled-resolver.js'

/** The tools that a bundle exports, the first of each name; of the library those that are called by name. */
export function declaredTools(directories: readonly SearchedIndex[]): DeclaredTool[] {
  const bundled = bundledTools(directories)
  // A broken tool keeps its name from later directories.
  const names = new Set(directories.flatMap(({ tools }) => [...tools.keys()]))
  return [...names].flatMap(name => {
    const tool = bundled.loaded(bundled.resolver.named(name))
    if (!tool) return []
    const { role, visibility, description } = tool.record.frontmatter
    const isCalled = !tool.directory.isLibrary || (role === undefined && visibility !== 'hidden')
    return isCalled ? [{ name, description, ...typesOf(tool, bundled) }] : []
  })
}

interface BundledTool extends NamedRecord {
  record: ToolRecord
  cascade: CascadeRecord | undefined
}

interface BundledTools {
  resolver: ToolResolver<NamedRecord>
  /** The tool of a name, where the bundle keeps it and it loads. */
  loaded: (named: NamedRecord | null) => BundledTool | undefined
  /** The tool whose delegate is another one's body. */
  bodyOf: (tool: BundledTool) => BundledTool | undefined
}

function bundledTools(directories: readonly SearchedIndex[]): BundledTools {
  const own = directories.filter(({ isOwn }) => isOwn)
  const library = directories.find(({ isLibrary }) => isLibrary)
  const cascades = new Map(directories.map(directory => [directory, cascadesOf(directory)]))
  const loaded: BundledTools['loaded'] = named => {
    const record = named?.directory.tools.get(named.name)
    if (!named || !record || isBroken(record)) return undefined
    return { ...named, record, cascade: cascades.get(named.directory)?.get(named.name) }
  }
  return {
    resolver: bundledResolver(directories),
    loaded,
    bodyOf({ cascade, directory }) {
      if (!cascade?.body) return undefined
      const [number, name] = cascade.body
      // Others were numbered in their own project.
      const home = number === 'library' ? library : directory.isOwn ? own[number] : undefined
      return home && loaded({ name, directory: home })
    },
  }
}

/**
 * * The schemas of a tool's parameters and result. A tool without schemas of its own that only delegates has
 * those of its delegate.
 *
 * @param before the tools whose delegates led here
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
  // The text of a Markdown skill is compared with no schema.
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
  // A delegate that was compiled (`record.delegate`) is code and no tool.
  if (!record || !directory || record.delegate || typeof delegate !== 'string') return undefined
  const reference = absoluteReference(delegate, join(directory.dir, dirname(record.file)))
  return bundled.loaded(bundled.resolver.find(reference))
}

/** False for a schema that is known only when the tool runs. */
function isKnown(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !('$resolve' in schema)
}
