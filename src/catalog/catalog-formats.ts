import type { SkillGroup } from './skill-groups.js'

/** The tools that a catalog describes, those that it only names, and the number of others. */
export interface CatalogPage {
  described: readonly CatalogEntry[]
  named: readonly string[]
  notListed: readonly SkillGroup[]
  /** The tool that finds those that are not listed. */
  search?: string | undefined
}

export interface CatalogEntry {
  name: string
  description: string
  /** The file that it was read from. */
  location?: string
  /** The content that the model gets without asking. */
  content?: string
}

export const CATALOG_FORMATS = ['xml', 'markdown', 'json'] as const
/** The format of a catalog: `xml`, `markdown` or `json`. */
export type CatalogFormat = (typeof CATALOG_FORMATS)[number]

export function formatCatalog(page: CatalogPage, format: CatalogFormat): string {
  return FORMATS[format](page)
}

/** Formats the skills that a search found, which follow a catalog. */
export function formatRelevant(entries: readonly CatalogEntry[], format: CatalogFormat): string {
  return RELEVANT[format](entries)
}

const FORMATS: Record<CatalogFormat, (page: CatalogPage) => string> = { xml, markdown, json }

const RELEVANT: Record<CatalogFormat, (entries: readonly CatalogEntry[]) => string> = {
  xml: entries => ['<relevant_skills>\n', ...entries.map(entryAsXml), '</relevant_skills>\n'].join(''),
  markdown: entries => `## Relevant skills\n\n${entries.map(entryAsMarkdown).join('')}`,
  json: entries => `{"relevant_skills": [\n${entries.map(entryAsJson).join(',\n')}\n]}\n`,
}

/** The format that the Agent Skills guide shows. */
function xml({ described, named, notListed, search }: CatalogPage): string {
  const names = xmlText(named.map(oneLine).join(', '))
  const lines = [...notListed.map(groupLine), ...howToSearch(notListed, search)].map(oneLine)
  return [
    '<available_skills>\n',
    ...described.map(entryAsXml),
    ...(named.length > 0 ? [`  <also_available>${names}</also_available>\n`] : []),
    ...(lines.length > 0
      ? ['  <not_listed>\n', ...lines.map(line => `    ${xmlText(line)}\n`), '  </not_listed>\n']
      : []),
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

function markdown({ described, named, notListed, search }: CatalogPage): string {
  const names = named.map(name => markdownText(oneLine(name))).join(', ')
  const groups = notListed.map(group => `- ${markdownText(oneLine(groupLine(group)))}\n`).join('')
  const parts = [
    '## Available skills\n',
    described.map(entryAsMarkdown).join(''),
    ...(names === '' ? [] : [`Also available: ${names}\n`]),
    ...(groups === '' ? [] : [`Not listed:\n\n${groups}`]),
    ...howToSearch(notListed, search).map(line => `${markdownText(line)}\n`),
  ]
  return parts.filter(part => part !== '').join('\n')
}

function entryAsMarkdown({ name, description, location, content }: CatalogEntry): string {
  const place = location === undefined ? '' : ` (${markdownText(oneLine(location))})`
  const text = `- **${markdownText(oneLine(name))}**${place}: ${markdownText(oneLine(description))}\n`
  return content === undefined ? text : `${text}\n${markdownBlock(content)}\n\n`
}

function json({ described, named, notListed, search }: CatalogPage): string {
  const entries = described.map(entryAsJson)
  const groups = notListed.map(({ name, skills }) => ({ name: oneLine(name), skills }))
  return [
    entries.length > 0 ? `{"available_skills": [\n${entries.join(',\n')}\n]` : '{"available_skills": []',
    ...(named.length > 0 ? [`"also_available": ${jsonText(named.map(oneLine))}`] : []),
    ...(notListed.length > 0 ? [`"not_listed": ${jsonText(groups)}`] : []),
    ...howToSearch(notListed, search).map(line => `"search": ${jsonText(line)}`),
  ]
    .join(',\n')
    .concat('}\n')
}

function entryAsJson({ name, description, location, content }: CatalogEntry): string {
  return jsonText({
    name: oneLine(name),
    description: oneLine(description),
    ...(location !== undefined && { location }),
    ...(content !== undefined && { content }),
  })
}

function groupLine({ name, skills }: SkillGroup): string {
  return `${name}: ${skills} ${skills === 1 ? 'skill' : 'skills'}`
}

function howToSearch(notListed: readonly SkillGroup[], search: string | undefined): string[] {
  return notListed.length === 0 || search === undefined
    ? []
    : [`To find one of these, call ${search} with words of the task.`]
}

/** Makes strings safe to put into a prompt: none ends the place that it is in, or hides characters. */

/** Control characters except tab and line ends, lone surrogates, and noncharacters. */
const UNPRINTABLE =
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u0084\u0086-\u009F\uFFFE\uFFFF]|\p{Surrogate}/gu
/** Characters that change the direction of writing, and Unicode's tags, which only a model reads. */
const HIDDEN = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|[\u{E0000}-\u{E007F}]/gu

/** Matches most descriptions: testing is faster than copying. */
const IS_ONE_LINE = /^[!-~]+(?: [!-~]+)*$/
/** Strings that need no escaping in XML. */
const IS_PLAIN = /^[\t\n !-%'-;=?-~]*$/

/** Replaces line breaks and runs of white space by single spaces. */
function oneLine(text: string): string {
  return IS_ONE_LINE.test(text) ? text : text.replace(/[\s\u0085]+/g, ' ').trim()
}

/** Escapes text for an XML element. Characters that XML cannot contain become a replacement character. */
function xmlText(text: string): string {
  if (IS_PLAIN.test(text)) return text
  return printable(text)
    .replace(/[&<>]/g, sign => XML_SIGNS[sign] ?? sign)
    .replace(/\r/g, '&#xD;')
    .replace(HIDDEN, reference)
}

const XML_SIGNS: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/** Escapes one line for a Markdown paragraph or list, so that it reads unchanged. */
function markdownText(text: string): string {
  return printable(text)
    .replace(/[\\`*[\]<~]|&(?=#?\w+;)|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\\$&')
    .replace(HIDDEN, reference)
}

/** Returns lines as an indented Markdown code block that none of them can end. */
function markdownBlock(text: string): string {
  const runs = text.match(/`+/g) ?? []
  const fence = '`'.repeat(runs.reduce((longest, run) => Math.max(longest, run.length + 1), 3))
  // In a code block nothing is escaped.
  const shown = printable(text.replace(/\r\n?/g, '\n')).replace(HIDDEN, '\uFFFD').replace(/\n$/, '')
  return [fence, ...shown.split('\n'), fence].map(line => (line === '' ? '' : `  ${line}`)).join('\n')
}

/** Returns a value as JSON on one line; parsing it gives exactly that value. */
function jsonText(value: unknown): string {
  return JSON.stringify(value)
    .replace(/[\u007F-\u009F\u2028\u2029]/g, unicode)
    .replace(HIDDEN, unicode)
}

function printable(text: string): string {
  return text.replace(UNPRINTABLE, '\uFFFD')
}

function reference(character: string): string {
  return `&#x${character.codePointAt(0)?.toString(16).toUpperCase()};`
}

function unicode(character: string): string {
  return character.replace(/[\s\S]/g, unit => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}
