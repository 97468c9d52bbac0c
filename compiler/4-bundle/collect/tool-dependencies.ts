import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { addToGroup } from '../../../src/base/add-to-group.js'
import { orNull } from '../../../src/base/attempt.js'
import { isJsonObject, type JsonValue } from '../../../src/base/json.js'
import { INCLUDED_BYTES_MAX } from '../../../src/content/content-faults.js'
import { directiveReferences } from '../../../src/content/content-references.js'
import { type DirectiveForm, directiveForms } from '../../../src/content/directive.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { allDirectives, type ContentPart } from '../../../src/index/content-record.js'
import { type CascadeRecord, isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { type GlobProgram, matchGlob } from '../../../src/patterns/match-glob.js'
import {
  FOREIGN_NAMES,
  type MatchedTool,
  parsePatterns,
  selectsTool,
  type ToolRule,
} from '../../../src/patterns/tool-pattern.js'
import { labelOf, namespaceOf } from '../../../src/skill/names.js'
import { namesInScope } from '../../../src/skill/namespaces.js'
import type { ToolReference } from '../../../src/skill/reference.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'
import { readRealFile } from '../../files/regular-file.js'
import { absoluteReference, splitLink, type ToolResolver } from '../../project/tool-resolver.js'
import { bundledResolver, type NamedRecord, realInside, type SearchedIndex } from './bundle-directory.js'

/** A dependency of a tool: other tools, or a group that many tools share and that is followed once. */
export type Dependency =
  /** The tools of a name. Only the metadata of a lender counts, not the references in its content. */
  | { kind: 'tool' | 'lender'; name: string }
  /** The tools that a pattern selects. */
  | { kind: 'pattern'; name: string }
  /**
   * The tools that a file refers to which contents of a namespace include. The file's path is relative to its
   * directory.
   */
  | { kind: 'included'; name: string; dir: string; namespace: string }
  /** The main skills in a folder of a directory, and in the folders above it. */
  | { kind: 'above'; name: string; dir: string }

interface LoadedTool {
  name: string
  record: ToolRecord
  directory: SearchedIndex
}

/**
 * Finds what tools depend on: the code of a call, the sources of its metadata, the main
 * skills above it, and the references in its frontmatter and content. Calls made by code cannot be seen.
 */
export class ToolDependencies {
  private readonly byName: ReadonlyMap<string, LoadedTool[]>
  private readonly resolver: ToolResolver<NamedRecord>
  private readonly middleware: ReadonlySet<string>
  private readonly mains: ReadonlyMap<string, string[]>
  private readonly directives: ReadonlyMap<string, readonly DirectiveForm[]>
  private readonly selected: (rule: ToolRule) => string[]

  constructor(directories: readonly SearchedIndex[]) {
    const tools = directories.flatMap(toolsOf)
    this.byName = grouped(tools.map(tool => [tool.name, tool]))
    this.resolver = bundledResolver(directories)
    this.middleware = new Set(tools.filter(mayBeMiddleware).map(({ name }) => name))
    this.mains = mainsByFolder(tools)
    this.directives = new Map(
      tools
        .map(({ name, record }) => [name, directiveForms(record.frontmatter.tags)] as const)
        .filter(([, forms]) => forms.length > 0),
    )
    this.selected = selectedTools(
      tools.map(({ name, record, directory: { isLibrary } }) => ({
        name,
        tags: record.frontmatter.tags,
        isLibrary,
      })),
    )
  }

  /** The dependencies that one leads to directly. */
  async of(dependency: Dependency): Promise<readonly Dependency[]> {
    const { kind, name } = dependency
    switch (kind) {
      case 'pattern':
        return asTools(parsePatterns(name).flatMap(this.selected))
      case 'included':
        return this.ofIncluded(dependency)
      case 'above':
        return this.ofFolder(name, dependency.dir)
      default:
        return (this.byName.get(name) ?? []).flatMap(tool => [
          ...this.lenders(tool),
          ...asTools(this.running(tool)),
          ...(kind === 'lender' ? [] : this.mentioned(tool)),
        ])
    }
  }

  /**
   * The names that a reference in a file means. A bundle keeps a name in every directory, so that it means
   * the same tool.
   */
  private targets({ kind, ref }: Pick<ToolReference, 'kind' | 'ref'>, { file, namespace }: Writer): string[] {
    const folder = dirname(file)
    if (kind === 'link' || kind === 'include') {
      const [path, fragment] = splitLink(ref)
      return namesOf(this.resolver.linked(resolve(folder, path), fragment))
    }
    const reference = absoluteReference(ref, folder)
    const found = this.resolver.find(reference, namespace)
    if (reference.kind === 'name' || reference.kind === 'layer') return [found?.name ?? reference.name]
    return namesOf(found)
  }

  /** The tools that a tool's metadata is made of: bases and main skills. */
  private lenders(tool: LoadedTool): Dependency[] {
    const { name, record, directory } = tool
    const { dir, records } = directory
    const { body, sources = [] } = records.cascades.get(name) ?? {}
    const addressed = [...sources, ...(body ? [body] : [])].map(([, one]) => one)
    const bases = stringsIn(record.frontmatter.metadata.$inherit).flatMap(ref =>
      this.targets({ kind: 'inherit', ref }, writerOf(tool)),
    )
    return [
      ...asLenders([...addressed, ...bases]),
      { kind: 'above', name: join(dir, dirname(record.file)), dir },
    ]
  }

  /** One folder at a time, since all tools of a folder have the folders above it in common. */
  private ofFolder(folder: string, dir: string): Dependency[] {
    const above: Dependency[] = folder === dir ? [] : [{ kind: 'above', name: dirname(folder), dir }]
    return [...asLenders(this.mains.get(folder) ?? []), ...above]
  }

  /** The names of the tools that run when a tool is called. */
  private running(tool: LoadedTool): string[] {
    const { name, record, directory } = tool
    const cascade = directory.records.cascades.get(name)
    const delegates = stringsIn(record.frontmatter.metadata.delegate).flatMap(ref =>
      this.targets({ kind: 'delegate', ref }, writerOf(tool)),
    )
    const chain = cascade?.chain.map(one => one.name) ?? []
    const keys = keysOf(record, cascade).flatMap(key => namesInScope(key, namespaceOf(name)))
    const { agent } = record.frontmatter.metadata
    return [
      ...delegates,
      ...chain,
      ...keys.filter(key => this.middleware.has(key)),
      // The tool that has a model run it, and the tools that such a model may always call.
      ...(agent ? ['agent', 'context-manager'] : []),
    ]
  }

  /** The tools, patterns and included files that a tool's frontmatter and content name. */
  private mentioned(tool: LoadedTool): Dependency[] {
    const { name, record, directory } = tool
    const { dir, records } = directory
    const { metadata, 'allowed-tools': allowed } = record.frontmatter
    const { references = [] } = records.details.get(name) ?? {}
    const { parts = [], inputs = [] } = records.contents.get(name) ?? {}
    const writer = writerOf(tool)
    return [
      ...asTools(
        references.filter(({ kind }) => kind !== 'inherit').flatMap(one => this.targets(one, writer)),
      ),
      ...[...stringsIn(allowed), ...stringsIn(metadata['requires-tools'])].flatMap(patternsIn),
      ...this.inContent(record.directives ?? [], parts, writer),
      ...inputs.map(input => ({ kind: 'included' as const, name: input, dir, namespace: writer.namespace })),
    ]
  }

  private inContent(names: readonly string[], parts: readonly ContentPart[], writer: Writer): Dependency[] {
    const patterns = allDirectives(parts).flatMap(({ name, arg }) => (name === 'tools' && arg ? [arg] : []))
    return [
      ...asTools(names.flatMap(name => this.directiveNamed(name, writer) ?? [])),
      ...asTools(directiveReferences(parts).flatMap(one => this.targets(one, writer))),
      ...patterns.flatMap(patternsIn),
    ]
  }

  /** The whole name of a directive that a content uses. */
  private directiveNamed(label: string, { namespace }: Writer): string | undefined {
    return namesInScope(label, namespace).find(name => this.directives.has(name))
  }

  /** Reads an included file for its directives: the index has only their results. */
  private async ofIncluded({
    dir,
    name: path,
    namespace,
  }: Extract<Dependency, { kind: 'included' }>): Promise<Dependency[]> {
    const text = includedText(dir, path)
    const names = directiveNames(text)
    const writer = { file: join(dir, path), namespace }
    const known = names.flatMap((label): [string, readonly DirectiveForm[]][] => {
      const forms = this.directives.get(this.directiveNamed(label, writer) ?? '')
      return forms ? [[label, forms]] : []
    })
    if (names.length === 0) return []
    const { parts } = await parseContentWithin(text, new Map(known), 1)
    return this.inContent(names, parts, writer)
  }
}

/** The writer of a reference to tools: an absolute path, and the namespace of its tool. */
interface Writer {
  file: string
  namespace: string
}

function writerOf({ name, record, directory }: LoadedTool): Writer {
  return { file: join(directory.dir, record.file), namespace: namespaceOf(name) }
}

function namesOf(tool: NamedRecord | null): string[] {
  return tool ? [tool.name] : []
}

function asLenders(names: readonly string[]): Dependency[] {
  return names.map(name => ({ kind: 'lender', name }))
}

function asTools(names: readonly string[]): Dependency[] {
  return names.map(name => ({ kind: 'tool', name }))
}

function toolsOf(directory: SearchedIndex): LoadedTool[] {
  return [...directory.records.tools].flatMap(([name, record]) =>
    isBroken(record) ? [] : [{ name, record, directory }],
  )
}

/** True also where the role is misspelt: such a tool keeps others from being run. */
function mayBeMiddleware({ record }: LoadedTool): boolean {
  const { role, roleMeant } = record.frontmatter
  return role === 'middleware' || roleMeant === 'middleware'
}

/** The patterns of a list that name tools. */
function patternsIn(list: string): Dependency[] {
  return parsePatterns(list)
    .filter(isNaming)
    .map(({ text }) => ({ kind: 'pattern', name: text }))
}

/** A name that no tool and no tag has. */
const NOBODY = '\0\0'

/**
 * False for a pattern that denies, and for `*`, `!(bash)` and the like, which name no particular tool.
 */
function isNaming({ glob, options }: ToolRule): boolean {
  return options.deny === undefined && glob !== undefined && !matchGlob(glob, NOBODY)
}

/**
 * The metadata keys that may name middleware: a tool's own, those that it gets, and those that it promotes.
 */
function keysOf({ frontmatter: { metadata } }: ToolRecord, cascade: CascadeRecord | undefined): string[] {
  const { $local, $global } = metadata
  return [metadata, cascade?.metadata, $local, $global].flatMap(one =>
    isJsonObject(one) ? Object.keys(one) : [],
  )
}

/** The names of the main skills that lie directly in each folder, by its absolute path. */
function mainsByFolder(tools: readonly LoadedTool[]): Map<string, string[]> {
  const mains = tools.filter(({ record }) => record.frontmatter.role === 'main')
  return grouped(
    mains.map(({ name, record, directory }) => [join(directory.dir, dirname(record.file)), name]),
  )
}

function grouped<Item>(entries: readonly (readonly [key: string, item: Item])[]): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const [key, item] of entries) addToGroup(groups, key, item)
  return groups
}

/**
 * The text of an included file; empty if the file can no longer be read, which rendering
 * reports.
 */
function includedText(dir: string, path: string): string {
  const text = orNull(() => {
    const real = realInside(dir, join(dir, path))
    return real !== null && statSync(real).size <= INCLUDED_BYTES_MAX ? readRealFile(real).toString() : ''
  })
  return text ?? ''
}

function stringsIn(value: JsonValue | undefined): string[] {
  return [value].flat().filter(one => typeof one === 'string')
}

/**
 * Finds the names of the tools that a rule selects. Most rules are no globs, and are looked up by name and
 * tag.
 */
function selectedTools(tools: readonly MatchedTool[]): (rule: ToolRule) => string[] {
  const called = grouped(
    tools.flatMap(tool => {
      const { name, tags } = tool
      const names = new Set([name, labelOf(name), ...(FOREIGN_NAMES.get(name) ?? []), ...tags])
      return [...names].map(name => [name, tool] as const)
    }),
  )
  return rule => {
    const literal = rule.glob && literalOf(rule.glob)
    const candidates = literal === undefined ? tools : (called.get(literal) ?? [])
    return candidates.filter(tool => selectsTool(rule, tool, false, true)).map(({ name }) => name)
  }
}

/** The only string that a glob matches; undefined if it may match others. */
function literalOf({ steps }: GlobProgram): string | undefined {
  const characters = steps?.slice(0, -1).map(step => (step[0] === 'char' ? step[1] : undefined))
  return characters?.every(one => one !== undefined) ? characters.join('') : undefined
}
