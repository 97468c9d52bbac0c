import { dirname, join, posix, resolve } from 'node:path'
import { allDirectives, type ContentPart } from '../src/content.js'
import { directiveReferences } from '../src/content-references.js'
import { directiveForms } from '../src/directive.js'
import { directiveNames } from '../src/directive-names.js'
import { matchGlob } from '../src/glob.js'
import { type CascadeRecord, isBroken, type ToolRecord } from '../src/index-format.js'
import { isJsonObject, type JsonValue } from '../src/json.js'
import { parseReference } from '../src/reference.js'
import type { ToolReference } from '../src/references.js'
import { parsePatterns, selectsTool, type ToolRule } from '../src/tool-pattern.js'
import { parseContent } from './1-read/parse-content.js'
import { cascadesOf, contentsOf, detailsOf, realInside, type SearchedIndex } from './bundle-directory.js'
import { readRealFile } from './regular-file.js'
import { addTool, isPathReference, pathOf, splitLink, type ToolsByFile, toolInFile } from './tools-by-file.js'

/** Where a tool leads to: a name of tools. */
export interface Lead {
  name: string
  /** True where such a tool is only there for its metadata: nobody is told what it says. */
  isLender: boolean
}

/** A reference, without the place where it is written. */
type Written = Pick<ToolReference, 'kind' | 'ref'>

interface LeadingTool {
  name: string
  record: ToolRecord
  directory: Opened
}

type Opened = ReturnType<typeof opened>

function opened(indexed: SearchedIndex) {
  const records = {
    details: detailsOf(indexed),
    cascades: cascadesOf(indexed),
    contents: contentsOf(indexed),
  }
  return { ...indexed, ...records }
}

/**
 * What leads from tools to others: what runs when one is called with all that this was made of, the main skills above them, and
 * what they say in their frontmatter and content. What code does cannot be seen.
 *
 * @returns where the tools of a name lead to, one step far
 */
export function toolLeads(directories: readonly SearchedIndex[]): (from: Lead) => Lead[] {
  const tools = directories.map(opened).flatMap(toolsOf)
  const byName = new Map<string, LeadingTool[]>()
  const byFile: ToolsByFile<LeadingTool> = new Map()
  for (const tool of tools) {
    const others = byName.get(tool.name)
    if (others) others.push(tool)
    else byName.set(tool.name, [tool])
    addTool(byFile, join(tool.directory.dir, tool.record.file), tool)
  }
  const middleware = new Set(tools.filter(mayBeMiddleware).map(({ name }) => name))
  const mains = tools.filter(({ record }) => record.frontmatter.role === 'main')
  const directives = new Map(
    tools
      .map(({ name, record }) => [name, directiveForms(record.frontmatter.tags)] as const)
      .filter(([, forms]) => forms.length > 0),
  )
  const selected = selection(tools)

  /** The tool that a reference in a file leads to. */
  function target({ kind, ref }: Written, file: string): string[] {
    const folder = dirname(file)
    if (kind === 'link' || kind === 'include') {
      const [path, fragment] = splitLink(ref)
      const meant = resolve(folder, path)
      const tool = toolInFile(byFile, meant, fragment) ?? toolInFile(byFile, meant, undefined)
      return tool ? [tool.name] : []
    }
    const reference = parseReference(ref)
    if (reference.kind === 'name' || reference.kind === 'layer') return [reference.name]
    if (!isPathReference(reference)) return []
    const tool = toolInFile(byFile, pathOf(reference, folder), reference.fragment)
    return tool ? [tool.name] : []
  }

  /** Bases and main skills lend their metadata. */
  function lenders({ name, record, directory: { dir, cascades } }: LeadingTool): string[] {
    const { body, sources = [] } = cascades.get(name) ?? {}
    const addressed = [...sources, ...(body ? [body] : [])].map(([, one]) => one)
    const bases = textsIn(record.frontmatter.metadata.$inherit).flatMap(ref =>
      target({ kind: 'inherit', ref }, join(dir, record.file)),
    )
    const above = mains.filter(main => main.directory.dir === dir && isAbove(main, record.file))
    return [...addressed, ...bases, ...above.map(main => main.name)]
  }

  function running({ name, record, directory: { dir, cascades } }: LeadingTool): string[] {
    const cascade = cascades.get(name)
    const delegates = textsIn(record.frontmatter.metadata.delegate).flatMap(ref =>
      target({ kind: 'delegate', ref }, join(dir, record.file)),
    )
    const chain = cascade?.chain.map(one => one.name) ?? []
    return [...delegates, ...chain, ...keysOf(record, cascade).filter(key => middleware.has(key))]
  }

  function said({ name, record, directory }: LeadingTool): string[] {
    const { dir, details, contents } = directory
    const { metadata, 'allowed-tools': allowed = '' } = record.frontmatter
    const { references = [] } = details.get(name) ?? {}
    const { parts = [], inputs = [] } = contents.get(name) ?? {}
    const file = join(dir, record.file)
    return [
      ...references.filter(({ kind }) => kind !== 'inherit').flatMap(one => target(one, file)),
      ...[allowed, ...textsIn(metadata['requires-tools'])].flatMap(selected),
      ...inContent(record.directives ?? [], parts, file),
      ...inputs.flatMap(input => inIncluded(dir, input)),
    ]
  }

  /** Directives, and what they refer to. */
  function inContent(names: readonly string[], parts: readonly ContentPart[], file: string): string[] {
    const patterns = allDirectives(parts).flatMap(({ name, arg }) => (name === 'tools' && arg ? [arg] : []))
    return [
      ...names.filter(name => directives.has(name)),
      ...directiveReferences(parts).flatMap(one => target(one, file)),
      ...patterns.flatMap(selected),
    ]
  }

  /** The same in a file that a content includes: an index has only what came of it. */
  function inIncluded(dir: string, path: string): string[] {
    const file = join(dir, path)
    const real = realInside(dir, file)
    const text = real === null ? '' : readRealFile(real).toString()
    const names = directiveNames(text)
    return names.length === 0 ? [] : inContent(names, parseContent(text, directives).parts, file)
  }

  return ({ name, isLender }) =>
    (byName.get(name) ?? []).flatMap(tool => [
      ...lenders(tool).map(one => ({ name: one, isLender: true })),
      ...[...running(tool), ...(isLender ? [] : said(tool))].map(one => ({ name: one, isLender: false })),
    ])
}

/** The tools of a directory that load. */
function toolsOf(directory: Opened): LeadingTool[] {
  return [...directory.tools].flatMap(([name, record]) =>
    isBroken(record) ? [] : [{ name, record, directory }],
  )
}

/** True also where the role is misspelt: such a tool keeps others from being run. */
function mayBeMiddleware({ record }: LeadingTool): boolean {
  const { role, roleMeant } = record.frontmatter
  return role === 'middleware' || roleMeant === 'middleware'
}

/** The names of the tools that a list of patterns selects. */
function selection(tools: readonly LeadingTool[]): (patterns: string) => string[] {
  const known = new Map<string, string[]>()
  const select = (rule: ToolRule): string[] =>
    tools
      .filter(({ name, record, directory: { isLibrary } }) =>
        selectsTool(rule, { name, tags: record.frontmatter.tags, isLibrary }),
      )
      .map(({ name }) => name)
  return patterns => {
    const names = known.get(patterns) ?? parsePatterns(patterns).filter(isNaming).flatMap(select)
    known.set(patterns, names)
    return names
  }
}

/** What no tool and no tag is called. */
const NOBODY = '\0\0'

/** False for a pattern that forbids, and for `*`, `!(bash)` and the like: those say what is let through, and name nobody. */
function isNaming({ glob, options }: ToolRule): boolean {
  return options.deny === undefined && glob !== undefined && !matchGlob(glob, NOBODY)
}

/** The keys that may be middleware's: a tool's own and those that it gets, and what it promotes. */
function keysOf({ frontmatter: { metadata } }: ToolRecord, cascade: CascadeRecord | undefined): string[] {
  const { $local, $global } = metadata
  return [metadata, cascade?.metadata, $local, $global].flatMap(one =>
    isJsonObject(one) ? Object.keys(one) : [],
  )
}

/** True for a main skill in the folder of a file of its directory, or above that. */
function isAbove({ record }: LeadingTool, file: string): boolean {
  const folder = posix.dirname(record.file)
  return folder === '.' || file.startsWith(`${folder}/`)
}

function textsIn(value: JsonValue | undefined): string[] {
  return [value].flat().filter(one => typeof one === 'string')
}
