import { hash } from 'node:crypto'
import { orNull } from '../../../src/base/attempt.js'
import type { JsonObject } from '../../../src/base/json.js'
import { directiveNames } from '../../../src/content/directive-names.js'
import { argumentNames, hostPlaceholders } from '../../../src/content/host-placeholders.js'
import type { HostPlaceholder } from '../../../src/index/index-format.js'
import { isToolName, toolNameProblem } from '../../../src/skill/names.js'
import { inOrder } from '../../../src/skill/references.js'
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
import { limits } from '../../files/limits.js'
import { readSkillFile } from '../../files/regular-file.js'
import type { ParsedTool } from '../../records/parsed-tool.js'
import { fallbackName, type SkillSource } from '../../records/walked.js'
import { checkFrontmatter, hasDelegate, saysMain, typeName } from '../frontmatter/check-frontmatter.js'
import { commentsInValues } from '../frontmatter/comments-in-values.js'
import { foreignVariables } from '../frontmatter/foreign-variables.js'
import { frontmatterReferences, reference } from '../frontmatter/frontmatter-references.js'
import { ignoreComments } from '../frontmatter/ignore-comments.js'
import { offsetInScalar, readMetadataString } from '../frontmatter/metadata-string.js'
import { applyRepair, repairColon, type ValueRepair } from '../frontmatter/repair-colon.js'
import { type KeyOffsets, topLevelKeys } from '../frontmatter/top-level-keys.js'
import { fixesOf, missingQuotes, spaceTools } from '../frontmatter/value-fixes.js'
import { type Offsets, offsetsIn, readYaml, scalarSource, type YamlResult } from '../frontmatter/yaml.js'
import { yamlHint } from '../frontmatter/yaml-hints.js'
import { contentLinks } from './content-links.js'
import { type DecodedText, decode } from './decode.js'
import { hiddenCharacters } from './hidden-characters.js'
import { type Block, splitFirst, splitFurther } from './split-file.js'

/** A replacement in a file's text that repairs a finding. Offsets are in UTF-16 units. */
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
  /** The rules that comments ask not to report. */
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
    else parseBlock(parsed, decoded, block, { ...source, isOneOfSeveral: blocks.length > 1 })
  }
  if (!decoded.ascii) parsed.findings.push(...hiddenCharacters(decoded, firstContent(blocks)))
  return parsed
}

/** The result for a file of which nothing has been read yet. */
export function nothingParsed(sha256: string, size: number): ParsedFile {
  return { sha256, size, tools: [], broken: [], findings: [], ignored: [], fixes: [] }
}

/**
 * True for a SKILL.md with `role: main`: at the root of a path entry it describes the entry, and owns none of its files. An unreadable file
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

/** The block of a file without frontmatter: a folder skill takes its folder's name, other faults stay. */
function unsplit(fault: Finding, { text }: DecodedText, kind: SkillSource['kind']): Block | Finding {
  const isLost = fault.rule !== 'frontmatter-missing' || kind === 'file'
  return isLost ? { ...fault } : { yamlStart: 0, yamlEnd: 0, contentStart: 0, contentEnd: text.length }
}

function firstContent(blocks: (Block | Finding)[]): number {
  const [first] = blocks
  return first === undefined || 'rule' in first ? 0 : first.contentStart
}

interface BlockSource extends SkillSource {
  /** True for one of several skills in a file. */
  isOneOfSeveral: boolean
}

/** Reads one skill of a file, and adds its tool and findings to what is parsed of the file. */
function parseBlock(parsed: ParsedFile, decoded: DecodedText, block: Block, source: BlockSource): void {
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
  // Both were read as strings already. An index holds null instead of a value that JSON does not have.
  for (const field of ['name', 'description']) if (notJson(verbatim[field]) !== null) verbatim[field] = null
  findings.push(
    ...checkFrontmatter(effective, { ...named, kind: source.kind, description }, at),
    ...foreignVariables(effective, text.slice(contentStart, contentEnd), at, offset =>
      placeAt(contentStart + offset),
    ),
  )
  const described = { ...named, ...(description?.trim() && { description }) }
  parsed.tools.push(toolOf(decoded, block, source, { verbatim, effective, at, described, size: parsed.size }))
}

/** What to do about a fault of syntax, if its cause shows; and the fixes, if its cause is missing quotes. */
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
  described: { name: string; title?: string; description?: string }
  /** The size of the file in bytes. */
  size: number
}

/** The tool of a skill whose frontmatter was read. */
function toolOf(
  { text, placeAt, byteAt }: DecodedText,
  { contentStart, contentEnd }: Block,
  { path, kind, isOneOfSeveral }: BlockSource,
  { verbatim, effective, at, described, size }: ReadBlock,
): ParsedTool {
  const { name } = described
  const content = text.slice(contentStart, contentEnd)
  const directives = directiveNames(content)
  const links = contentLinks(text, contentStart, contentEnd)
  return {
    name,
    place: at.value('name'),
    ...(hasDelegate(effective) && { delegatePlace: at.value('metadata', 'delegate') }),
    verbatim,
    placeholders: placeholdersIn(effective, content),
    at,
    content,
    ...(directives.length > 0 && { body: { text: content, line: placeAt(contentStart).line } }),
    references: inOrder([
      ...frontmatterReferences(effective, at),
      ...links.map(({ ref, offset }) => reference('link', ref, placeAt(offset))),
    ]),
    record: {
      content: [byteAt(contentStart), byteAt(contentEnd)],
      ...(directives.length > 0 && { directives }),
      file: path,
      ...(isOneOfSeveral && { fragment: name }),
      frontmatter: readFrontmatter(effective, { kind, ...described }),
      kind,
      size,
    },
  }
}

/** What another host would fill in or run in a skill's text, or in the tools that it may use. */
function placeholdersIn(verbatim: JsonObject, content: string): HostPlaceholder[] {
  const allowed = [verbatim['allowed-tools'] ?? []].flat().filter(one => typeof one === 'string')
  return hostPlaceholders([...allowed, content].join('\n'), argumentNames(verbatim.arguments))
}

/**
 * Adds a fault that keeps a tool from loading.
 *
 * @param text the text in which the fault is
 */
function addBroken(parsed: ParsedFile, why: Finding, name: string | null, text: string): void {
  const fatal = isFatal(why) ? why : finding('name-missing', why.place)
  if (!isFatal(why)) parsed.findings.push(why)
  parsed.findings.push(fatal)
  if (saysMain(text)) parsed.findings.push(finding('main-broken', why.place))
  if (name !== null) parsed.broken.push({ name, finding: fatal })
}

interface RepairedYaml {
  /** The author's text with the repairs made. */
  yaml: string
  /** The repairs, with offsets in the author's text. */
  repairs: ValueRepair[]
  result: YamlResult
  /** Converts an offset in `yaml` to one in the author's text. */
  written: (offset: number) => number
}

/** Reads YAML, and repairs unquoted colons one by one for as long as such a colon is the fault. */
function readRepaired(source: string): RepairedYaml {
  const repairs: ValueRepair[] = []
  let yaml = source
  const written = (offset: number): number =>
    repairs.reduceRight((at, { start, end, replacement }, index) => {
      const moved = start + growth(repairs.slice(0, index))
      return at < moved + replacement.length ? at : at - (replacement.length - (end - start))
    }, offset)
  for (;;) {
    const result = readYaml(yaml)
    const repair = result.problem?.rule === 'yaml-syntax' ? repairColon(yaml, result.problem.offset) : null
    if (repair === null || repairs.length === limits.repairs) return { yaml, repairs, result, written }
    yaml = applyRepair(yaml, repair)
    // YAML is read from the top, so every repair so far lies before this one.
    const moved = growth(repairs)
    repairs.push({ ...repair, start: repair.start - moved, end: repair.end - moved })
  }
}

/** The number of characters by which repairs lengthen the text. */
function growth(repairs: ValueRepair[]): number {
  return repairs.reduce((sum, { start, end, replacement }) => sum + replacement.length - (end - start), 0)
}

/** Finds places of keys and values in the author's file; of the opening fence where a key is missing. */
function locator({ text, placeAt }: DecodedText, block: Block, { yaml, written }: RepairedYaml): Locator {
  const source = text.slice(block.yamlStart, block.yamlEnd)
  let parsed: Offsets | undefined
  const offsets = (): Offsets => {
    parsed ??= offsetsIn(yaml)
    return parsed
  }
  let keys: Map<string, KeyOffsets> | undefined
  const keyOffsets = (field: string): KeyOffsets | undefined => {
    keys ??= topLevelKeys(source)
    return keys.get(field)
  }
  const place = (offset: number | undefined): Place =>
    placeAt(offset === undefined ? openingFence(text, block) : block.yamlStart + offset)
  const valueOffset = (field: string, ...inside: (string | number)[]): number | undefined => {
    const found = inside.length === 0 ? keyOffsets(field)?.value : undefined
    const located = found ?? offsets().value([field, ...inside])
    return found ?? (located === null ? keyOffsets(field)?.key : written(located))
  }
  return {
    key: (field, ...inside) => {
      const located = inside.length === 0 ? null : offsets().key([field, ...inside])
      return place(located === null ? keyOffsets(field)?.key : written(located))
    },
    value: (field, ...inside) => place(valueOffset(field, ...inside)),
    within: (value, offset, field, ...inside) => {
      const start = valueOffset(field, ...inside)
      return place(start === undefined ? start : offsetInScalar(source, start, value, offset))
    },
  }
}

function openingFence(text: string, { yamlStart }: Block): number {
  return yamlStart === 0 ? 0 : text.lastIndexOf('---', yamlStart - 1)
}

/** Reads a field that is a string, whatever type it has in YAML: `name: 123` is called "123". */
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
  if (typeof verbatim.name === 'object' && verbatim.name !== null) {
    findings.push(finding('field-type', at.value('name'), 'name', 'a text', typeName(verbatim.name)))
  }
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
    // A string from the parser is a slice that keeps the whole file's text in memory; the folder's name is
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
