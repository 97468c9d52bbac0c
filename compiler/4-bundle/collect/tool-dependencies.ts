import { statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isJsonObject, type JsonValue } from '../../../src/base/json.js'
import { directiveReferences } from '../../../src/content/content-references.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { INCLUDED_BYTES_MAX } from '../../../src/content/included-file.js'
import { allDirectives, type ContentPart } from '../../../src/index/content-record.js'
import { type CascadeRecord, isBroken, type ToolRecord } from '../../../src/index/index-format.js'
import { matchGlob } from '../../../src/patterns/match-glob.js'
import { parsePatterns, type ToolRule } from '../../../src/patterns/tool-pattern.js'
import { type DirectiveForm, directiveForms } from '../../../src/skill/directive-forms.js'
import type { ToolReference } from '../../../src/skill/references.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'
import { readRealFile } from '../../files/regular-file.js'
import { absoluteReference, splitLink, type ToolResolver } from '../../project/tool-resolver.js'
import { cascadesOf, contentsOf, detailsOf, realInside, type SearchedIndex } from './bundle-directory.js'
import { bundledResolver, type NamedRecord } from './bundled-resolver.js'
import { selectedTools } from './selected-tools.js'

/** Something that a tool needs: other tools, or what many tools need in common, which is followed once. */
export type Dependency =
  /** The tools of a name. Of a lender only its metadata counts, and nothing that its text refers to. */
  | { kind: 'tool' | 'lender'; name: string }
  /** The tools that a pattern selects. */
  | { kind: 'pattern'; name: string }
  /** The tools that a file refers to which contents include. The file's path is relative to its directory. */
  | { kind: 'included'; name: string; dir: string }
  /** The main skills in a folder of a directory, and in the folders above it. */
  | { kind: 'above'; name: string; dir: string }

/** A reference, without the place where it is written. */
type PlacelessReference = Pick<ToolReference, 'kind' | 'ref'>

interface LoadedTool {
  name: string
  record: ToolRecord
  directory: ParsedIndex
}

type ParsedIndex = ReturnType<typeof parsedIndex>

function parsedIndex(indexed: SearchedIndex) {
  const records = {
    details: detailsOf(indexed),
    cascades: cascadesOf(indexed),
    contents: contentsOf(indexed),
  }
  return { ...indexed, ...records }
}

/**
 * * Finds what tools need: what runs when one is called, everything that its metadata is made of, the main
 * skills above it, and what its frontmatter and content refer to. What code calls cannot be seen.
 */
export class ToolDependencies {
  private readonly byName = new Map<string, LoadedTool[]>()
  private readonly resolver: ToolResolver<NamedRecord>
  private readonly middleware: ReadonlySet<string>
  private readonly mains: ReadonlyMap<string, string[]>
  private readonly directives: ReadonlyMap<string, readonly DirectiveForm[]>
  private readonly selected: (rule: ToolRule) => string[]

  constructor(directories: readonly SearchedIndex[]) {
    const tools = directories.map(parsedIndex).flatMap(toolsOf)
    for (const tool of tools) {
      const others = this.byName.get(tool.name)
      if (others) others.push(tool)
      else this.byName.set(tool.name, [tool])
    }
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
        return this.ofIncluded(dependency.dir, name)
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
  private targets({ kind, ref }: PlacelessReference, file: string): string[] {
    const folder = dirname(file)
    if (kind === 'link' || kind === 'include') {
      const [path, fragment] = splitLink(ref)
      return namesOf(this.resolver.linked(resolve(folder, path), fragment))
    }
    const reference = absoluteReference(ref, folder)
    if (reference.kind === 'name' || reference.kind === 'layer') return [reference.name]
    return namesOf(this.resolver.find(reference))
  }

  /** The tools that a tool's metadata is made of: bases and main skills. */
  private lenders({ name, record, directory: { dir, cascades } }: LoadedTool): Dependency[] {
    const { body, sources = [] } = cascades.get(name) ?? {}
    const addressed = [...sources, ...(body ? [body] : [])].map(([, one]) => one)
    const bases = stringsIn(record.frontmatter.metadata.$inherit).flatMap(ref =>
      this.targets({ kind: 'inherit', ref }, join(dir, record.file)),
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
  private running({ name, record, directory: { dir, cascades } }: LoadedTool): string[] {
    const cascade = cascades.get(name)
    const delegates = stringsIn(record.frontmatter.metadata.delegate).flatMap(ref =>
      this.targets({ kind: 'delegate', ref }, join(dir, record.file)),
    )
    const chain = cascade?.chain.map(one => one.name) ?? []
    return [...delegates, ...chain, ...keysOf(record, cascade).filter(key => this.middleware.has(key))]
  }

  /** The tools, patterns and included files that a tool's frontmatter and content name. */
  private mentioned({ name, record, directory }: LoadedTool): Dependency[] {
    const { dir, details, contents } = directory
    const { metadata, 'allowed-tools': allowed } = record.frontmatter
    const { references = [] } = details.get(name) ?? {}
    const { parts = [], inputs = [] } = contents.get(name) ?? {}
    const file = join(dir, record.file)
    return [
      ...asTools(references.filter(({ kind }) => kind !== 'inherit').flatMap(one => this.targets(one, file))),
      ...[...stringsIn(allowed), ...stringsIn(metadata['requires-tools'])].flatMap(patternsIn),
      ...this.inContent(record.directives ?? [], parts, file),
      ...inputs.map(input => ({ kind: 'included' as const, name: input, dir })),
    ]
  }

  /** The directives of a content, and the tools that they refer to. */
  private inContent(names: readonly string[], parts: readonly ContentPart[], file: string): Dependency[] {
    const patterns = allDirectives(parts).flatMap(({ name, arg }) => (name === 'tools' && arg ? [arg] : []))
    return [
      ...asTools(names.filter(name => this.directives.has(name))),
      ...asTools(directiveReferences(parts).flatMap(one => this.targets(one, file))),
      ...patterns.flatMap(patternsIn),
    ]
  }

  /** Reads an included file for its directives: the index holds only their results. */
  private async ofIncluded(dir: string, path: string): Promise<Dependency[]> {
    const text = includedText(dir, path)
    const names = directiveNames(text)
    if (names.length === 0) return []
    const { parts } = await parseContentWithin(text, this.directives, 1)
    return this.inContent(names, parts, join(dir, path))
  }
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

/** The tools of a directory that load. */
function toolsOf(directory: ParsedIndex): LoadedTool[] {
  return [...directory.tools].flatMap(([name, record]) =>
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
 * False for a pattern that forbids, and for `*`, `!(bash)` and the like, which name no tool in particular.
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
  const mains = new Map<string, string[]>()
  for (const { name, record, directory } of tools) {
    if (record.frontmatter.role !== 'main') continue
    const folder = join(directory.dir, dirname(record.file))
    const others = mains.get(folder)
    if (others) others.push(name)
    else mains.set(folder, [name])
  }
  return mains
}

/**
 * The text of a file that contents include; empty where the file can no longer be read, which rendering
 * reports.
 */
function includedText(dir: string, path: string): string {
  try {
    const real = realInside(dir, join(dir, path))
    const isRead = real !== null && statSync(real).size <= INCLUDED_BYTES_MAX
    return isRead ? readRealFile(real).toString() : ''
  } catch {
    return ''
  }
}

function stringsIn(value: JsonValue | undefined): string[] {
  return [value].flat().filter(one => typeof one === 'string')
}
