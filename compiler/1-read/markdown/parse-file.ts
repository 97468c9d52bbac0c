import { hash } from 'node:crypto'
import { orNull } from '../../../src/base/attempt.js'
import type { JsonObject } from '../../../src/base/json.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { argumentNames, hostPlaceholders } from '../../../src/content/host-placeholders.js'
import type { HostPlaceholder, ToolRecord } from '../../../src/index/index-format.js'
import type { FrontmatterContext } from '../../../src/skill/frontmatter.js'
import { isToolName, toolNameProblem } from '../../../src/skill/names.js'
import { inOrder, type ToolReference } from '../../../src/skill/reference.js'
import { readFrontmatter } from '../../../src/skill/role-meant.js'
import { notJson } from '../../../src/values/not-json.js'
import {
  FILE_START,
  type Finding,
  finding,
  isFatal,
  type Place,
  type RuleName,
} from '../../diagnostics/diagnostics.js'
import type { Locator } from '../../diagnostics/source-text.js'
import { readSkillFile } from '../../files/regular-file.js'
import type { ParsedTool } from '../../records/skill-unit.js'
import { fallbackName, type SkillSource } from '../../records/walked.js'
import {
  checkFrontmatter,
  hasDelegate,
  seemsMain,
  typeName,
  wrongType,
} from '../frontmatter/check-frontmatter.js'
import { foreignVariables } from '../frontmatter/foreign-variables.js'
import { frontmatterReferences, reference } from '../frontmatter/frontmatter-references.js'
import { readMetadataString } from '../frontmatter/metadata-string.js'
import { type ValueRepair, yamlHint } from '../frontmatter/repair-colon.js'
import { fixesOf, missingQuotes, spaceTools } from '../frontmatter/value-fixes.js'
import { scalarSource } from '../frontmatter/yaml.js'
import { commentsInValues, ignoreComments } from '../frontmatter/yaml-comments.js'
import { contentLinks } from './content-links.js'
import { type DecodedText, decode, hiddenCharacters } from './decode.js'
import { locator, type RepairedYaml, readRepaired } from './read-repaired.js'
import { type Block, splitFirst, splitFurther } from './split-file.js'

/** A replacement in a file that repairs a finding. Offsets are in UTF-16 units. */
export interface Fix {
  /** The rule that it repairs; `allowed-tools` for commas, which only the specification forbids. */
  rule: RuleName | 'allowed-tools'
  start: number
  end: number
  replacement: string
}

export interface ParsedFile {
  sha256: string
  size: number
  tools: ParsedTool[]
  /** The names of tools that do not load, each with its fault. */
  broken: { name: string; finding: Finding }[]
  findings: Finding[]
  /** The rules that comments turn off. */
  ignored: RuleName[]
  fixes: Fix[]
}

/**
 * Reads a Markdown skill file: one skill in a SKILL.md, one or several in a `.skill.md`. Faults become
 * findings.
 */
export function parseFile(bytes: Buffer, source: SkillSource): ParsedFile {
  const parsed = nothingParsed(hash('sha256', bytes), bytes.length)
  const decoded = decode(bytes)
  if ('rule' in decoded) {
    addBroken(parsed, decoded, fallbackName(source), bytes.toString('latin1'))
    return parsed
  }
  const { blocks, findings } = splitSkills(decoded, source)
  parsed.findings.push(...findings)
  for (const block of blocks) {
    if ('rule' in block) addBroken(parsed, block, fallbackName(source), decoded.text)
    else parseBlock(parsed, decoded, block, source)
  }
  if (blocks.length > 1) for (const { name, record } of parsed.tools) record.fragment = name
  if (!decoded.ascii) parsed.findings.push(...hiddenCharacters(decoded, firstContent(blocks)))
  return parsed
}

/** The result for a file of which nothing has been read yet. */
export function nothingParsed(sha256: string, size: number): ParsedFile {
  return { sha256, size, tools: [], broken: [], findings: [], ignored: [], fixes: [] }
}

/**
 * True for a SKILL.md with `role: main`: at the root of a path entry it describes the entry, and owns none of
 * its files. An unreadable file
 * is treated as any other skill, and reported when it is read.
 */
export function describesEntry(file: string): boolean {
  const source = { path: 'SKILL.md', kind: 'folder', folderName: 'main', atRoot: true } as const
  return orNull(() => parseFile(readSkillFile(file), source))?.tools[0]?.record.frontmatter.role === 'main'
}

function splitSkills(
  decoded: DecodedText,
  { kind }: SkillSource,
): { blocks: (Block | Finding)[]; findings: Finding[] } {
  const first = splitFirst(decoded)
  if ('rule' in first) return { blocks: [unsplit(first, decoded, kind)], findings: [] }
  if (kind === 'folder') return { blocks: [first], findings: [] }
  const { blocks, findings } = splitFurther(decoded, first)
  return { blocks: [first, ...blocks], findings }
}

/**
 * A SKILL.md without frontmatter becomes one block that is all content. In any other case the fault stays.
 */
function unsplit(fault: Finding, { text }: DecodedText, kind: SkillSource['kind']): Block | Finding {
  const isLost = fault.rule !== 'frontmatter-missing' || kind === 'file'
  return isLost ? { ...fault } : { yamlStart: 0, yamlEnd: 0, contentStart: 0, contentEnd: text.length }
}

function firstContent(blocks: (Block | Finding)[]): number {
  const [first] = blocks
  return first === undefined || 'rule' in first ? 0 : first.contentStart
}

/** Reads one skill of a file, and adds its tool and findings to `parsed`. */
function parseBlock(parsed: ParsedFile, decoded: DecodedText, block: Block, source: SkillSource): void {
  const { text, placeAt } = decoded
  const { findings } = parsed
  const { yamlStart, yamlEnd, contentStart, contentEnd } = block
  const yaml = text.slice(yamlStart, yamlEnd)
  const fix = (rule: Fix['rule'], { start, end, replacement }: ValueRepair): void => {
    parsed.fixes.push({ rule, start: yamlStart + start, end: yamlStart + end, replacement })
  }
  const comments = ignoreComments(yaml)
  parsed.ignored.push(...comments.rules)
  for (const { offset, rule, why, hint } of comments.refused)
    findings.push(finding('ignore-idle', placeAt(yamlStart + offset), rule, why, hint))
  const read = readRepaired(yaml)
  for (const repair of read.repairs) {
    findings.push(finding('colon-in-value', placeAt(yamlStart + repair.start), repair.key))
    fix('colon-in-value', repair)
  }
  const { value: verbatim, problem } = read.result
  if (problem) {
    const place = placeAt(yamlStart + read.written(problem.offset))
    const why = finding(problem.rule, place, ...problem.found, ...syntaxHints(read, fix))
    addBroken(parsed, why, writtenName(yaml) ?? fallbackName(source), yaml)
    return
  }
  const metadata = readMetadataString(verbatim, locator(decoded, block, read))
  findings.push(...metadata.findings)
  if (metadata.broken) {
    addBroken(parsed, metadata.broken, writtenName(yaml) ?? fallbackName(source), yaml)
    return
  }
  const { value: effective, at } = metadata
  for (const { key, offset, cut } of commentsInValues(yaml))
    findings.push(finding('comment-in-value', placeAt(yamlStart + offset), key, cut))
  if (yamlEnd === 0) findings.push(finding('frontmatter-missing', FILE_START))
  const before = findings.length
  const description = readText(verbatim, 'description', read.yaml, at, findings)
  const named = readName(verbatim, read.yaml, source, at, findings)
  if ('rule' in named) {
    addBroken(parsed, named, null, yaml)
    return
  }
  for (const { rule, ...repair } of fixesOf(findings.slice(before), yaml)) fix(rule, repair)
  const spaced = spaceTools(yaml, verbatim['allowed-tools'])
  if (spaced !== null) fix('allowed-tools', spaced)
  // Both were read as strings already. An index has null instead of a value that JSON lacks.
  for (const field of ['name', 'description']) if (notJson(verbatim[field]) !== null) verbatim[field] = null
  const { name, title } = named
  const { kind } = source
  const content = text.slice(contentStart, contentEnd)
  findings.push(
    ...checkFrontmatter(effective, { kind, name, description }, at),
    ...foreignVariables(effective, content, at, offset => placeAt(contentStart + offset)),
  )
  const context = { kind, name, title, description: description?.trim() ? description : undefined }
  const skill = { verbatim, effective, at, context, content, path: source.path, size: parsed.size }
  parsed.tools.push(toolOf(decoded, block, skill))
}

/** The hint on a fault of syntax, if its cause is evident. Adds the fixes if quotes are missing. */
function syntaxHints(
  { yaml, result: { problem }, written }: RepairedYaml,
  fix: (rule: RuleName, repair: ValueRepair) => void,
): string[] {
  if (problem?.rule !== 'yaml-syntax') return []
  const repairs = missingQuotes(yaml, problem.offset)
  for (const repair of repairs)
    fix('yaml-syntax', { ...repair, start: written(repair.start), end: written(repair.end) })
  const hint = yamlHint(yaml, problem.offset, repairs.length > 0)
  return hint === null ? [] : [hint]
}

interface ReadBlock {
  verbatim: JsonObject
  /** The frontmatter with all keys of `metadata` in place. */
  effective: JsonObject
  at: Locator
  /** The name, title and description, as they were read. */
  context: FrontmatterContext
  content: string
  /** The path of the file, and its size in bytes. */
  path: string
  size: number
}

/** The tool of a skill whose frontmatter was read. */
function toolOf(
  { placeAt, byteAt }: DecodedText,
  { contentStart, contentEnd }: Block,
  { verbatim, effective, at, context, content, path, size }: ReadBlock,
): ParsedTool {
  const { name, kind } = context
  const record: ToolRecord = {
    content: [byteAt(contentStart), byteAt(contentEnd)],
    file: path,
    frontmatter: readFrontmatter(effective, context),
    kind,
    size,
  }
  const tool: ParsedTool = {
    name,
    place: at.value('name'),
    verbatim,
    placeholders: placeholdersIn(effective, content),
    at,
    content,
    references: referencesIn(effective, content, at, offset => placeAt(contentStart + offset)),
    record,
  }
  if (hasDelegate(effective)) tool.delegatePlace = at.value('metadata', 'delegate')
  const directives = directiveNames(content)
  if (directives.length > 0) {
    record.directives = directives
    tool.body = { text: content, line: placeAt(contentStart).line }
  }
  return tool
}

/** The references in a skill's frontmatter and content. */
function referencesIn(
  effective: JsonObject,
  content: string,
  at: Locator,
  contentAt: (offset: number) => Place,
): ToolReference[] {
  const references = frontmatterReferences(effective, at)
  for (const { ref, offset } of contentLinks(content, 0, content.length))
    references.push(reference('link', ref, contentAt(offset)))
  return references.length > 1 ? inOrder(references) : references
}

/** The placeholders of other hosts in a skill's content and `allowed-tools`. */
function placeholdersIn(verbatim: JsonObject, content: string): HostPlaceholder[] {
  const { 'allowed-tools': tools = [], arguments: names } = verbatim
  const allowed = [tools].flat().filter(one => typeof one === 'string')
  // Joining copies the content, which is not worth it for most.
  const text = allowed.length === 0 ? content : [...allowed, content].join('\n')
  return hostPlaceholders(text, argumentNames(names))
}

/**
 * Adds a fault that keeps a tool from loading.
 *
 * @param text the frontmatter or file with the fault
 */
function addBroken(parsed: ParsedFile, why: Finding, name: string | null, text: string): void {
  const fatal = isFatal(why) ? why : finding('name-missing', why.place)
  if (!isFatal(why)) parsed.findings.push(why)
  parsed.findings.push(fatal)
  if (seemsMain(text)) parsed.findings.push(finding('main-broken', why.place))
  if (name !== null) parsed.broken.push({ name, finding: fatal })
}

/** Reads a field as a string for any type in YAML: `name: 123` gives "123". */
function readText(
  verbatim: JsonObject,
  field: string,
  yaml: string,
  at: Locator,
  findings: Finding[],
): string | undefined {
  const value = verbatim[field]
  if (value === undefined || (typeof value === 'object' && value !== null)) return undefined
  if (typeof value === 'string') return value
  const written = scalarSource(yaml, field)
  if (written === '') return undefined
  findings.push(finding('value-read-as-text', at.value(field), field, written, typeName(value)))
  return written
}

function readName(
  verbatim: JsonObject,
  yaml: string,
  { kind, folderName, atRoot }: SkillSource,
  at: Locator,
  findings: Finding[],
): { name: string; title?: string } | Finding {
  if (typeof verbatim.name === 'object' && verbatim.name !== null)
    findings.push(wrongType(at, verbatim.name, 'a string', 'name'))
  const written = readText(verbatim, 'name', yaml, at, findings)?.trim()
  const folderServes = kind === 'folder' && isToolName(folderName)
  if (written === undefined || written === '') {
    if (kind === 'file') return finding('name-missing', at.key('name'))
    if (!folderServes)
      return finding('name-invalid', at.key('name'), folderName, toolNameProblem(folderName) ?? '')
    findings.push(finding('name-from-folder', at.key('name'), folderName))
    return { name: folderName }
  }
  const problem = toolNameProblem(written)
  if (problem === null) {
    const differs = kind === 'folder' && !atRoot && written !== folderName
    if (differs) findings.push(finding('name-differs', at.value('name'), written, folderName))
    // A string from the parser is a slice that keeps the whole file in memory; the folder's name is
    // not.
    return { name: written === folderName ? folderName : written }
  }
  if (!folderServes) return finding('name-invalid', at.value('name'), written, problem)
  findings.push(finding('name-replaced', at.value('name'), written, problem, folderName))
  return { name: folderName, title: written }
}

/** The name in unreadable frontmatter, so that no other tool takes its place unnoticed; else null. */
function writtenName(yaml: string): string | null {
  const name = /^name:[ \t]*["']?([a-z0-9-]+)["']?[ \t]*\r?$/m.exec(yaml)?.[1]
  return name !== undefined && isToolName(name) ? name : null
}
