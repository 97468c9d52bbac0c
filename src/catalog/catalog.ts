import type { JsonValue } from '../base/json.js'
import { checkOptions, type OptionTable } from '../base/options.js'
import { FOREIGN_NAMES, type MatchedTool } from '../patterns/tool-pattern.js'
import {
  CATALOG_FORMATS,
  type CatalogEntry,
  type CatalogFormat,
  type CatalogPage,
  formatCatalog,
} from './catalog-formats.js'
import { fillPage } from './catalog-pages.js'
import { estimateTokens } from './estimate-tokens.js'
import { isInPrompt, isLibrary, isOffered, matchedTool, type OfferedTool } from './offered-tool.js'
import { hasRequiredTools } from './required-tools.js'
import { groupsOf, type SkillPlace } from './skill-groups.js'

/** A tool as a catalog needs it, for example from `listTools`. */
export interface CatalogTool extends OfferedTool {
  /** Reads its content as written; absent for code. */
  content?: () => Promise<string>
}

/** The form and the length of a catalog. */
export interface CatalogOptions<Tool extends CatalogTool = CatalogTool> {
  /** Default: `xml`. */
  format?: CatalogFormat | undefined
  /** The maximum number of tokens. Absent: no limit. */
  budget?: number | undefined
  /** The host's own counter of tokens. Default: `estimateTokens`. */
  countTokens?: ((text: string) => number | Promise<number>) | undefined
  /** Names of the agent's other tools, which a skill may require. */
  available?: readonly string[] | undefined
  /** True: includes each tool's file, for agents that read files themselves. */
  location?: boolean | undefined
  /** True: includes the library's own tools, if they are among those passed. */
  library?: boolean | undefined
  /** True: no tool is described before all are named. Default: false. */
  namesFirst?: boolean | undefined
  /** The tool by which a model finds what is not listed. Default: `agent-discover`, if it is among those passed. */
  search?: string | undefined
  /** Returns the content of a tool that belongs in the prompt. Default: the content as written. */
  content?: ((tool: Tool) => string | Promise<string>) | undefined
}

/** A catalog, and how each of the passed tools is listed, in the order of the catalog. */
export interface Catalog {
  /** The text for the prompt. */
  text: string
  /** Counted tokens. */
  tokens: number
  /** Tools with their description. */
  described: string[]
  /** The tools of `described` that have their content. */
  withContent: string[]
  /** Tools of which only the name is listed. */
  named: string[]
  /** Tools that are only counted: there was no space for their names, or a search alone is to find them. */
  unnamed: string[]
  /** Tools whose content should be included and could not be read. */
  failed: { name: string; error: unknown }[]
}

/** Facts about tools that need no frontmatter: making that takes time for thousands. */
export interface KnownOfTools<Tool extends CatalogTool> {
  /** True if a tool's frontmatter is certainly plain, as `isPlain` of offered-tool.ts means it. */
  isPlain: (tool: Tool) => boolean
  isDescribed: (tool: Tool) => boolean
  placeOf: (tool: Tool) => SkillPlace
}

const NOTHING_KNOWN: KnownOfTools<CatalogTool> = {
  isPlain: () => false,
  isDescribed: ({ frontmatter }) => frontmatter.description !== undefined,
  placeOf: ({ origin }) => origin ?? { entry: '', file: '' },
}

const OPTIONS: OptionTable<keyof CatalogOptions> = {
  format: CATALOG_FORMATS,
  budget: 'number',
  countTokens: 'function',
  available: 'strings',
  location: 'boolean',
  library: 'boolean',
  namesFirst: 'boolean',
  search: 'string',
  content: 'function',
}

/** Returns the text of `makeCatalog`, for a prompt. Throws OPTIONS_INVALID, and errors of `countTokens`. */
export async function renderCatalog<Tool extends CatalogTool>(
  tools: readonly Tool[],
  options: CatalogOptions<Tool> = {},
): Promise<string> {
  return (await makeCatalog(tools, options)).text
}

/**
 * Creates a catalog, and reports its contents. It lists the passed tools that a model may see, in their order, but first
 * those with `catalog: always`. If the budget is too small for all descriptions, the last tools are listed by name, or
 * counted if there are too many names.
 *
 * @throws OPTIONS_INVALID, and errors of `countTokens`
 */
export async function makeCatalog<Tool extends CatalogTool>(
  tools: readonly Tool[],
  options: CatalogOptions<Tool> = {},
): Promise<Catalog> {
  return catalogOf(tools, options, NOTHING_KNOWN)
}

/** Creates the same catalog, with what is known of its tools. */
export async function catalogOf<Tool extends CatalogTool>(
  tools: readonly Tool[],
  options: CatalogOptions<Tool>,
  known: KnownOfTools<Tool>,
): Promise<Catalog> {
  checkOptions('renderCatalog', options, OPTIONS)
  const { format = 'xml', budget = Number.POSITIVE_INFINITY, countTokens = estimateTokens } = options
  const { search = tools.find(isDiscover)?.name } = options
  const { listed, describable, deferred } = inOrder(shownTools(tools, options, known), known)
  const names = listed.map(({ name }) => name)
  const textOf = (page: CatalogPage): string =>
    page.described.length + page.named.length + page.notListed.length === 0
      ? ''
      : formatCatalog({ ...page, search }, format)
  const fits = async (page: CatalogPage, tokens = budget): Promise<boolean> =>
    tokens === Number.POSITIVE_INFINITY || (await countTokens(textOf(page))) <= tokens

  let groups: string[] | undefined
  const listable = {
    ...{ names, describable, deferred: groupsOf(deferred, known.placeOf) },
    entryAt: (place: number) => entryOf(listed[place] as Tool, options.location === true),
    groups: () => (groups ??= groupsOf(listed, known.placeOf)),
  }
  const { namesFirst = false } = options
  let page = await fillPage(listable, { format, budget, namesFirst }, fits)
  const withContent: string[] = []
  const failed: Catalog['failed'] = []
  for (const [number, tool] of listed.slice(0, page.described.length).entries()) {
    const content = await contentOf(tool, options).catch(error => {
      failed.push({ name: tool.name, error })
    })
    if (content === undefined) continue
    const described = page.described.map((entry, at) => (at === number ? { ...entry, content } : entry))
    if (!(await fits({ ...page, described }))) continue
    page = { ...page, described }
    withContent.push(tool.name)
  }
  const text = textOf(page)
  const named = page.described.length + page.named.length
  return {
    text,
    tokens: text === '' ? 0 : await countTokens(text),
    described: names.slice(0, page.described.length),
    withContent,
    named: names.slice(page.described.length, named),
    unnamed: [...names.slice(named), ...deferred.map(({ name }) => name)],
    failed,
  }
}

/** Tools that a model may see, and whose required tools are there. */
function shownTools<Tool extends CatalogTool>(
  tools: readonly Tool[],
  { available = [], library = false }: CatalogOptions<Tool>,
  { isPlain }: KnownOfTools<Tool>,
): Tool[] {
  const offered = tools.filter(tool => isPlain(tool) || isOffered(tool))
  const isRequiring = offered.some(tool => !isPlain(tool) && requiredBy(tool) !== undefined)
  const there = isRequiring ? [...offered.map(matchedTool), ...available.flatMap(hostTools)] : []
  return offered.filter(
    tool => isPlain(tool) || ((library || !isLibrary(tool)) && hasRequiredTools(requiredBy(tool), there)),
  )
}

function requiredBy({ frontmatter }: CatalogTool): JsonValue | undefined {
  return frontmatter.metadata['requires-tools']
}

/** The tools that are listed: first those that always are, last those that have only a name. `deferred` never are. */
function inOrder<Tool extends CatalogTool>(
  shown: readonly Tool[],
  { isPlain, isDescribed }: KnownOfTools<Tool>,
): { listed: Tool[]; describable: number; deferred: Tool[] } {
  const first: Tool[] = []
  const described: Tool[] = []
  const named: Tool[] = []
  const deferred: Tool[] = []
  for (const tool of shown) {
    const wish = isPlain(tool) ? null : wishOf(tool)
    if (wish === 'never') deferred.push(tool)
    else if (!isDescribed(tool)) named.push(tool)
    else if (wish === 'always') first.push(tool)
    else described.push(tool)
  }
  const describable = first.length + described.length
  return { listed: [...first, ...described, ...named], describable, deferred }
}

/** Its author's `catalog`: `always` or `never`. */
function wishOf({ frontmatter }: CatalogTool): unknown {
  return frontmatter.metadata.catalog
}

function isDiscover(tool: CatalogTool): boolean {
  return tool.name === 'agent-discover' && isLibrary(tool)
}

/** A host's tool in the form that patterns are matched against: by the host's name for it and by ours. */
function hostTools(name: string): MatchedTool[] {
  const ours = [...FOREIGN_NAMES].filter(([, foreign]) => foreign.includes(name)).map(([own]) => own)
  return [name, ...ours].map(one => ({ name: one, tags: [] }))
}

export function entryOf(tool: CatalogTool, withLocation: boolean): CatalogEntry {
  const entry = { name: tool.name, description: tool.frontmatter.description ?? '' }
  const { origin } = withLocation ? tool : {}
  return origin && origin.file !== '' ? { ...entry, location: `${origin.entry}/${origin.file}` } : entry
}

async function contentOf<Tool extends CatalogTool>(
  tool: Tool,
  { content = ({ content: written }) => written?.() ?? '' }: CatalogOptions<Tool>,
): Promise<string | undefined> {
  return isInPrompt(tool) && tool.content ? content(tool) : undefined
}
