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
import { largestPage } from './catalog-pages.js'
import { estimateTokens } from './estimate-tokens.js'
import { isInPrompt, isLibrary, isOffered, matchedTool, type OfferedTool } from './offered-tool.js'
import { hasRequiredTools } from './required-tools.js'

/** A tool as a catalog needs it, for example from `listTools`. */
export interface CatalogTool extends OfferedTool {
  content?: () => Promise<string>
}

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
  /** Returns the content of a tool that belongs in the prompt. Default: the content as written. */
  content?: ((tool: Tool) => string | Promise<string>) | undefined
}

/** A catalog, and how each of the passed tools is listed, in their order. */
export interface Catalog {
  text: string
  /** As counted. */
  tokens: number
  /** Tools with their description. */
  described: string[]
  /** The tools of `described` that have their content. */
  withContent: string[]
  named: string[]
  /** Tools for which there was no space at all. */
  unnamed: string[]
  /** Tools whose content should be included and could not be read. */
  failed: { name: string; error: unknown }[]
}

const OPTIONS: OptionTable<keyof CatalogOptions> = {
  format: CATALOG_FORMATS,
  budget: 'number',
  countTokens: 'function',
  available: 'strings',
  location: 'boolean',
  library: 'boolean',
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
 * Creates a catalog, and reports its contents. It lists the passed tools that a model may see,
 * in their order. If the budget is too small, these are left out in this order: content, descriptions from
 * the last on, names from the last on.
 *
 * @throws OPTIONS_INVALID, and errors of `countTokens`
 */
export async function makeCatalog<Tool extends CatalogTool>(
  tools: readonly Tool[],
  options: CatalogOptions<Tool> = {},
): Promise<Catalog> {
  checkOptions('renderCatalog', options, OPTIONS)
  const { format = 'xml', budget = Number.POSITIVE_INFINITY, countTokens = estimateTokens } = options
  const shown = shownTools(tools, options)
  const entries = shown.map(tool => entryOf(tool, options.location === true))
  const textOf = (page: CatalogPage): string =>
    page.described.length + page.named.length + page.unnamed === 0 ? '' : formatCatalog(page, format)
  const fits = async (page: CatalogPage): Promise<boolean> =>
    budget === Number.POSITIVE_INFINITY || (await countTokens(textOf(page))) <= budget

  const describable = shown.filter(isDescribed).length
  let page = await largestPage(entries, describable, format, budget, fits)
  const withContent: string[] = []
  const failed: Catalog['failed'] = []
  for (const [number, tool] of shown.slice(0, page.described.length).entries()) {
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
  const names = shown.map(({ name }) => name)
  return {
    text,
    tokens: text === '' ? 0 : await countTokens(text),
    described: names.slice(0, page.described.length),
    withContent,
    named: names.slice(page.described.length, named),
    unnamed: names.slice(named),
    failed,
  }
}

function shownTools<Tool extends CatalogTool>(
  tools: readonly Tool[],
  { available = [], library = false }: CatalogOptions<Tool>,
): Tool[] {
  const offered = tools.filter(isOffered)
  const isRequiring = offered.some(tool => requiredBy(tool) !== undefined)
  const there = isRequiring ? [...offered.map(matchedTool), ...available.flatMap(hostTools)] : []
  const shown = offered.filter(
    tool => (library || !isLibrary(tool)) && hasRequiredTools(requiredBy(tool), there),
  )
  // Those that have only a name come last, where names are.
  return [...shown.filter(isDescribed), ...shown.filter(tool => !isDescribed(tool))]
}

function requiredBy({ frontmatter }: CatalogTool): JsonValue | undefined {
  return frontmatter.metadata['requires-tools']
}

function isDescribed({ frontmatter }: CatalogTool): boolean {
  return frontmatter.description !== undefined
}

/** A host's tool in the form that patterns are matched against: by the host's name for it and by ours. */
function hostTools(name: string): MatchedTool[] {
  const ours = [...FOREIGN_NAMES].filter(([, foreign]) => foreign.includes(name)).map(([own]) => own)
  return [name, ...ours].map(one => ({ name: one, tags: [] }))
}

function entryOf({ name, frontmatter, origin }: CatalogTool, withLocation: boolean): CatalogEntry {
  const entry = { name, description: frontmatter.description ?? '' }
  return withLocation && origin && origin.file !== ''
    ? { ...entry, location: `${origin.entry}/${origin.file}` }
    : entry
}

async function contentOf<Tool extends CatalogTool>(
  tool: Tool,
  { content = ({ content: written }) => written?.() ?? '' }: CatalogOptions<Tool>,
): Promise<string | undefined> {
  return isInPrompt(tool) && tool.content ? content(tool) : undefined
}
