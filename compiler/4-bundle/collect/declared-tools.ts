import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isJsonObject, type JsonObject } from '../../../src/base/json.js'
import { type CascadeRecord, isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { namespaceOf } from '../../../src/skill/names.js'
import { absoluteReference, type ToolResolver } from '../../project/tool-resolver.js'
import type { DeclaredBareName, DeclaredTool, TypedCode } from '../types/declare-tools.js'
import { bundledResolver, type NamedRecord, type SearchedTools } from './bundle-directory.js'

/** The tools of a project's directories, the first of each name; of the library those that are called by name. */
export function declaredTools(directories: readonly SearchedTools[]): DeclaredTool[] {
  const bundled = bundledTools(directories)
  // A broken tool keeps its name from later directories.
  const names = new Set(directories.flatMap(({ records }) => [...records.tools.keys()]))
  return [...names].flatMap(name => {
    const tool = bundled.loaded(bundled.resolver.named(name))
    if (!tool) return []
    const { role, visibility, description } = tool.record.frontmatter
    const { isLibrary } = tool.directory
    const isCalled = !isLibrary || (role === undefined && visibility !== 'hidden')
    return isCalled ? [{ name, description, isLibrary, ...typesOf(tool, bundled) }] : []
  })
}

/**
 * The bare names by which tools of namespaces are found, each with the name of the tool that it leads to. A bare
 * name that is also a tool's own is among the declared tools.
 */
export function declaredBareNames(
  directories: readonly SearchedTools[],
  declared: readonly DeclaredTool[],
): DeclaredBareName[] {
  const resolver = bundledResolver(directories)
  const names = new Set(declared.map(({ name }) => name))
  const bare = new Set(directories.flatMap(({ namesakes }) => [...namesakes.keys()]))
  return [...bare].sort().flatMap(name => {
    const means = names.has(name) ? undefined : resolver.named(name)?.name
    return means !== undefined && names.has(means) ? [{ name, means }] : []
  })
}

interface BundledTool extends NamedRecord<SearchedTools> {
  record: ToolRecord
  cascade: CascadeRecord | undefined
}

interface BundledTools {
  resolver: ToolResolver<NamedRecord<SearchedTools>>
  /** The tool of a name, where the bundle keeps it and it loads. */
  loaded: (named: NamedRecord<SearchedTools> | null) => BundledTool | undefined
  /** The tool whose delegate is another one's body. */
  bodyOf: (tool: BundledTool) => BundledTool | undefined
}

function bundledTools(directories: readonly SearchedTools[]): BundledTools {
  const own = directories.filter(({ isOwn }) => isOwn)
  const library = directories.find(({ isLibrary }) => isLibrary)
  const loaded: BundledTools['loaded'] = named => {
    const { tools, cascades } = named?.directory.records ?? {}
    const record = named && tools?.get(named.name)
    return !record || isBroken(record) ? undefined : { ...named, record, cascade: cascades?.get(named.name) }
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
 * A tool's parameters and result: their schemas, and its code. A tool without schemas that only
 * delegates has its delegate's.
 *
 * @param before the tools whose delegates led here
 */
function typesOf(
  tool: BundledTool,
  bundled: BundledTools,
  before: readonly ToolRecord[] = [],
): Pick<DeclaredTool, 'params' | 'returns' | 'code'> {
  const { record, cascade } = tool
  const { role, metadata } = record.frontmatter
  const params: unknown = record.frontmatter.params ?? cascade?.metadata?.params
  const returns: unknown = record.frontmatter.returns ?? cascade?.metadata?.returns
  const isDelegated = metadata.delegate !== undefined || cascade?.body !== undefined
  // A Markdown skill's content is not validated; if a model runs the skill, the result matches `returns`.
  const isText = record.kind !== 'code' && !isDelegated
  const isRead = isText && !metadata.agent
  const isAlone = !cascade || (cascade.chain.length === 0 && !cascade.open)
  const target = isDelegated && isAlone ? delegateOf(tool, bundled) : undefined
  const handedOn =
    target && !before.includes(record) ? typesOf(target, bundled, [...before, record]) : undefined
  const ownParams = isDelegated ? handedOn?.params : role === 'middleware' ? undefined : 'none'
  const ownReturns = isText && isAlone ? 'text' : handedOn?.returns
  const code = typedCode(tool, bundled) ?? handedOn?.code
  return {
    ...(code && { code }),
    params: params === undefined ? ownParams : isKnown(params) ? params : undefined,
    returns: returns === undefined || isRead ? ownReturns : isKnown(returns) ? returns : undefined,
  }
}

/** The TypeScript that a tool runs, its own or its delegate's; undefined without any, or for other people's code. */
function typedCode(tool: BundledTool, bundled: BundledTools): TypedCode | undefined {
  const { record, directory } = tool.record.kind === 'code' ? tool : (bundled.bodyOf(tool) ?? tool)
  const { kind, module, delegate } = record
  const code = kind === 'code' ? module : delegate
  const path = kind === 'code' ? record.file : record.frontmatter.metadata.delegate
  if (!directory.isOwn || !code || !('file' in code) || typeof path !== 'string' || !/\.[cm]?ts$/.test(path))
    return undefined
  const folder = kind === 'code' ? directory.dir : join(directory.dir, dirname(record.file))
  const file = resolve(folder, path)
  return existsSync(file) ? { file, exported: record.exported ?? 'default' } : undefined
}

/** The tool of the bundle that another one's delegate names. */
function delegateOf(tool: BundledTool, bundled: BundledTools): BundledTool | undefined {
  const hasDelegate = tool.record.frontmatter.metadata.delegate !== undefined
  const { record, directory } = (hasDelegate ? tool : bundled.bodyOf(tool)) ?? {}
  const delegate = record?.frontmatter.metadata.delegate
  // A delegate that was compiled (`record.delegate`) is code and no tool.
  if (!record || !directory || record.delegate || typeof delegate !== 'string') return undefined
  const reference = absoluteReference(delegate, join(directory.dir, dirname(record.file)))
  return bundled.loaded(bundled.resolver.find(reference, namespaceOf(record.frontmatter.name)))
}

/** False for a schema that is known only when the tool runs. */
function isKnown(schema: unknown): schema is JsonObject {
  return isJsonObject(schema) && !('$resolve' in schema)
}
