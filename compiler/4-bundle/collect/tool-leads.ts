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
import { directiveForms } from '../../../src/skill/directive-forms.js'
import { parseReference } from '../../../src/skill/reference.js'
import type { ToolReference } from '../../../src/skill/references.js'
import { parseContentWithin } from '../../directives/parse-content-within.js'
import { readRealFile } from '../../files/regular-file.js'
import { isPathReference, pathOf, splitLink, toolInFile } from '../../records/tools-by-file.js'
import { cascadesOf, contentsOf, detailsOf, realInside, type SearchedIndex } from './bundle-directory.js'
import { bundledFiles } from './bundled-files.js'
import { selectedTools } from './selected-tools.js'

/** What leads to tools: a tool to others, or what many tools have in common, which is followed once. */
export type Lead =
  /** The tools of a name. A lender is only there for its metadata: nobody is told what it says. */
  | { kind: 'tool' | 'lender'; name: string }
  /** What a pattern selects. */
  | { kind: 'pattern'; name: string }
  /** What a file of a directory refers to that contents include. */
  | { kind: 'included'; name: string; dir: string }
  /** The main skills in a folder of a directory, and above that. */
  | { kind: 'above'; name: string; dir: string }

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
 * @returns where something leads to, one step far
 */
export function toolLeads(
  directories: readonly SearchedIndex[],
): (from: Lead) => readonly Lead[] | Promise<readonly Lead[]> {
  const tools = directories.map(opened).flatMap(toolsOf)
  const byName = new Map<string, LeadingTool[]>()
  const byFile = bundledFiles(directories)
  for (const tool of tools) {
    const others = byName.get(tool.name)
    if (others) others.push(tool)
    else byName.set(tool.name, [tool])
  }
  const middleware = new Set(tools.filter(mayBeMiddleware).map(({ name }) => name))
  const mains = mainsByFolder(tools)
  const directives = new Map(
    tools
      .map(({ name, record }) => [name, directiveForms(record.frontmatter.tags)] as const)
      .filter(([, forms]) => forms.length > 0),
  )
  const selected = selectedTools(
    tools.map(({ name, record, directory: { isLibrary } }) => ({
      name,
      tags: record.frontmatter.tags,
      isLibrary,
    })),
  )

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
  function lenders({ name, record, directory: { dir, cascades } }: LeadingTool): Lead[] {
    const { body, sources = [] } = cascades.get(name) ?? {}
    const addressed = [...sources, ...(body ? [body] : [])].map(([, one]) => one)
    const bases = textsIn(record.frontmatter.metadata.$inherit).flatMap(ref =>
      target({ kind: 'inherit', ref }, join(dir, record.file)),
    )
    return [
      ...lending([...addressed, ...bases]),
      { kind: 'above', name: join(dir, dirname(record.file)), dir },
    ]
  }

  /** Step by step: what lies in a folder has all of them in common. */
  function mainsAt(folder: string, dir: string): Lead[] {
    const above: Lead[] = folder === dir ? [] : [{ kind: 'above', name: dirname(folder), dir }]
    return [...lending(mains.get(folder) ?? []), ...above]
  }

  function running({ name, record, directory: { dir, cascades } }: LeadingTool): string[] {
    const cascade = cascades.get(name)
    const delegates = textsIn(record.frontmatter.metadata.delegate).flatMap(ref =>
      target({ kind: 'delegate', ref }, join(dir, record.file)),
    )
    const chain = cascade?.chain.map(one => one.name) ?? []
    return [...delegates, ...chain, ...keysOf(record, cascade).filter(key => middleware.has(key))]
  }

  function said({ name, record, directory }: LeadingTool): Lead[] {
    const { dir, details, contents } = directory
    const { metadata, 'allowed-tools': allowed } = record.frontmatter
    const { references = [] } = details.get(name) ?? {}
    const { parts = [], inputs = [] } = contents.get(name) ?? {}
    const file = join(dir, record.file)
    return [
      ...tooled(references.filter(({ kind }) => kind !== 'inherit').flatMap(one => target(one, file))),
      ...[...textsIn(allowed), ...textsIn(metadata['requires-tools'])].flatMap(patternsIn),
      ...inContent(record.directives ?? [], parts, file),
      ...inputs.map(input => ({ kind: 'included' as const, name: input, dir })),
    ]
  }

  /** Directives, and what they refer to. */
  function inContent(names: readonly string[], parts: readonly ContentPart[], file: string): Lead[] {
    const patterns = allDirectives(parts).flatMap(({ name, arg }) => (name === 'tools' && arg ? [arg] : []))
    return [
      ...tooled(names.filter(name => directives.has(name))),
      ...tooled(directiveReferences(parts).flatMap(one => target(one, file))),
      ...patterns.flatMap(patternsIn),
    ]
  }

  /** The same in a file that a content includes: an index has only what came of it. */
  async function inIncluded(dir: string, path: string): Promise<Lead[]> {
    const text = includedText(dir, path)
    const names = directiveNames(text)
    if (names.length === 0) return []
    const { parts } = await parseContentWithin(text, directives, 1)
    return inContent(names, parts, join(dir, path))
  }

  return from => {
    if (from.kind === 'pattern') return tooled(parsePatterns(from.name).flatMap(selected))
    if (from.kind === 'included') return inIncluded(from.dir, from.name)
    if (from.kind === 'above') return mainsAt(from.name, from.dir)
    return (byName.get(from.name) ?? []).flatMap(tool => [
      ...lenders(tool),
      ...tooled(running(tool)),
      ...(from.kind === 'lender' ? [] : said(tool)),
    ])
  }
}

function lending(names: readonly string[]): Lead[] {
  return names.map(name => ({ kind: 'lender', name }))
}

function tooled(names: readonly string[]): Lead[] {
  return names.map(name => ({ kind: 'tool', name }))
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

/** The patterns of a list that name tools. */
function patternsIn(list: string): Lead[] {
  return parsePatterns(list)
    .filter(isNaming)
    .map(({ text }) => ({ kind: 'pattern', name: text }))
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

/** The names of the main skills that lie directly in each folder, by its absolute path. */
function mainsByFolder(tools: readonly LeadingTool[]): Map<string, string[]> {
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

/** The text of a file that contents include; none where it can no longer be read, which whoever renders it is told. */
function includedText(dir: string, path: string): string {
  try {
    const real = realInside(dir, join(dir, path))
    const isRead = real !== null && statSync(real).size <= INCLUDED_BYTES_MAX
    return isRead ? readRealFile(real).toString() : ''
  } catch {
    return ''
  }
}

function textsIn(value: JsonValue | undefined): string[] {
  return [value].flat().filter(one => typeof one === 'string')
}
