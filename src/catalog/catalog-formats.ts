import { jsonText, markdownBlock, markdownText, oneLine, xmlText } from './prompt-text.js'

/** The tools that a catalog describes, those that it only names, and the number of others. */
export interface CatalogPage {
  described: readonly CatalogEntry[]
  named: readonly string[]
  unnamed: number
}

export interface CatalogEntry {
  name: string
  description: string
  /** The file that it was read from. */
  location?: string
  /** The text that the model gets without asking. */
  content?: string
}

export const CATALOG_FORMATS = ['xml', 'markdown', 'json'] as const
export type CatalogFormat = (typeof CATALOG_FORMATS)[number]

/** Returns a catalog's text. */
export function formatCatalog(page: CatalogPage, format: CatalogFormat): string {
  return FORMATS[format](page)
}

const FORMATS: Record<CatalogFormat, (page: CatalogPage) => string> = { xml, markdown, json }

/** The format that the Agent Skills guide shows. */
function xml({ described, named, unnamed }: CatalogPage): string {
  const names = xmlText(named.map(oneLine).join(', '))
  return [
    '<available_skills>\n',
    ...described.map(entryAsXml),
    ...(named.length > 0 ? [`  <also_available>${names}</also_available>\n`] : []),
    ...(unnamed > 0 ? [`  <not_listed>${unnamed}</not_listed>\n`] : []),
    '</available_skills>\n',
  ].join('')
}

/** Returns an entry's lines. A catalog without a budget consists of these, in its frame. */
export function entryAsXml({ name, description, location, content }: CatalogEntry): string {
  const named = `  <skill>\n    <name>${xmlText(oneLine(name))}</name>\n`
  const described = `    <description>${xmlText(oneLine(description))}</description>\n`
  const located = location === undefined ? '' : `    <location>${xmlText(location)}</location>\n`
  const filled = content === undefined ? '' : `    <content>${xmlText(content)}</content>\n`
  return `${named}${described}${located}${filled}  </skill>\n`
}

function markdown({ described, named, unnamed }: CatalogPage): string {
  const names = named.map(name => markdownText(oneLine(name))).join(', ')
  const parts = [
    '## Available skills\n',
    described.map(entryAsMarkdown).join(''),
    ...(named.length > 0 ? [`Also available: ${names}\n`] : []),
    ...(unnamed > 0 ? [`Not listed: ${unnamed}\n`] : []),
  ]
  return parts.filter(part => part !== '').join('\n')
}

function entryAsMarkdown({ name, description, location, content }: CatalogEntry): string {
  const place = location === undefined ? '' : ` (${markdownText(oneLine(location))})`
  const text = `- **${markdownText(oneLine(name))}**${place}: ${markdownText(oneLine(description))}\n`
  return content === undefined ? text : `${text}\n${markdownBlock(content, '  ')}\n\n`
}

function json({ described, named, unnamed }: CatalogPage): string {
  const entries = described.map(({ name, description, location, content }) =>
    jsonText({
      name: oneLine(name),
      description: oneLine(description),
      ...(location !== undefined && { location }),
      ...(content !== undefined && { content }),
    }),
  )
  return [
    entries.length > 0 ? `{"available_skills": [\n${entries.join(',\n')}\n]` : '{"available_skills": []',
    ...(named.length > 0 ? [`"also_available": ${jsonText(named.map(oneLine))}`] : []),
    ...(unnamed > 0 ? [`"not_listed": ${unnamed}`] : []),
  ]
    .join(',\n')
    .concat('}\n')
}
