import { FILE_START, type Finding, finding } from '../../diagnostics/diagnostics.js'
import { lineEnd } from '../../diagnostics/source-text.js'
import { limits } from '../../files/limits.js'
import type { DecodedText } from './decode.js'

/** One skill's part of a Markdown file, as offsets in UTF-16 units. */
export interface Block {
  /** The YAML between the fences, without them. Both 0 without frontmatter. */
  yamlStart: number
  yamlEnd: number
  /** From right after the closing fence's newline to the next block or the end. */
  contentStart: number
  contentEnd: number
}

const BYTE_ORDER_MARK = '\uFEFF'
const FENCE = /^---[ \t]*\r?$/

/**
 * Finds the frontmatter at the beginning of a Markdown file. A fence is `---` with nothing but spaces after
 * it, so that frontmatter in another language is never read.
 */
export function splitFirst(decoded: DecodedText): Block | Finding {
  const { text } = decoded
  const start = text.startsWith(BYTE_ORDER_MARK) ? 1 : 0
  const end = lineEnd(text, start)
  const firstLine = text.slice(start, end)
  if (!firstLine.startsWith('---')) return finding('frontmatter-missing', FILE_START)
  if (!FENCE.test(firstLine))
    return finding('frontmatter-fence', FILE_START, firstLine.trimEnd().slice(0, 80))
  return closeBlock(decoded, start, end + 1)
}

/**
 * Finds the further skills of a `.skill.md` file. Each begins with a fence that starts a line, follows a
 * blank line, is outside of code, and opens frontmatter with a `name`. Any other `---` belongs to the
 * content.
 */
export function splitFurther(decoded: DecodedText, first: Block): { blocks: Block[]; findings: Finding[] } {
  const { text, placeAt } = decoded
  const blocks: Block[] = []
  const findings: Finding[] = []
  let last = first
  let codeFence: string | null = null
  let blankBefore = false
  /** The end of the last block with a finding. */
  let reportedUntil = 0
  let position = first.contentStart
  while (position < text.length) {
    const end = lineEnd(text, position)
    const line = text.slice(position, end).trimEnd()
    codeFence = codeFenceAfter(line, codeFence)
    if (codeFence === null && line === '---') {
      const block = closeBlock(decoded, position, end + 1)
      const yaml = 'rule' in block ? text.slice(end + 1) : text.slice(block.yamlStart, block.yamlEnd)
      if (!('rule' in block) && blankBefore && NAME_KEY.test(yaml)) {
        last.contentEnd = position
        blocks.push(block)
        last = block
        position = block.contentStart
        blankBefore = false
        continue
      }
      const why = 'rule' in block ? whyUnclosed(block, yaml, blankBefore) : whyContent(yaml, blankBefore)
      if (why !== null && position >= reportedUntil) {
        findings.push(finding('block-not-skill', placeAt(position), why))
        reportedUntil = 'rule' in block ? text.length : block.contentStart
      }
    }
    blankBefore = line === ''
    position = end + 1
  }
  return { blocks, findings }
}

const NAME_KEY = /^(name|'name'|"name")[ \t]*:/m
const DESCRIPTION_KEY = /^description[ \t]*:/m
/** A usual line of frontmatter: a key, an item of a list, an indented line, a comment, a blank line. */
const YAML_LINE = /^(?:[\w$-]+[ \t]*:(?:[ \t]|$)|- |[ \t]|#|$)/

/** Why a closed block that looks like a skill is not one; null for a break, a heading or a table. */
function whyContent(yaml: string, blankBefore: boolean): string | null {
  const isMeant = DESCRIPTION_KEY.test(yaml) && yaml.split('\n').every(line => YAML_LINE.test(line.trimEnd()))
  if (!isMeant) return null
  if (!NAME_KEY.test(yaml)) return blankBefore ? 'it has no name' : null
  return blankBefore ? null : 'no blank line stands before it'
}

/** Why an unclosed block that begins with a name, like a skill, is not one; else null. */
function whyUnclosed({ rule }: Finding, rest: string, blankBefore: boolean): string | null {
  const isMeant = blankBefore && /^name:[ \t]*[a-z0-9-]+[ \t]*(?:[\r\n]|$)/.test(rest)
  return isMeant && rule !== 'frontmatter-too-large' ? 'it is not closed' : null
}

/**
 * Finds the end of a block.
 *
 * @param fence the offset of its opening fence
 * @param yamlStart the offset of its YAML
 */
function closeBlock({ text, placeAt }: DecodedText, fence: number, yamlStart: number): Block | Finding {
  for (let position = yamlStart; position < text.length; position = lineEnd(text, position) + 1) {
    if (!text.startsWith('---', position)) continue
    const end = lineEnd(text, position)
    const line = text.slice(position, end)
    if (!FENCE.test(line)) return finding('frontmatter-fence', placeAt(position), line.trimEnd().slice(0, 80))
    const size = Buffer.byteLength(text.slice(yamlStart, position))
    if (size > limits.frontmatterBytes) return finding('frontmatter-too-large', placeAt(fence), String(size))
    return {
      yamlStart,
      yamlEnd: position,
      contentStart: Math.min(end + 1, text.length),
      contentEnd: text.length,
    }
  }
  return finding('frontmatter-unclosed', placeAt(fence))
}

/** The marks of the code fence that is open after a line of Markdown; null where none is open. */
function codeFenceAfter(line: string, open: string | null): string | null {
  // The pattern must not end in `.*$`: as `.` stops at a U+2028, every shorter run of marks would be tried.
  const run = /^ {0,3}(`{3,}|~{3,})/.exec(line)
  const marks = run?.[1] ?? ''
  const rest = line.slice(run?.[0].length)
  if (open === null) return run && !(marks.startsWith('`') && rest.includes('`')) ? marks : null
  const closes = run && marks[0] === open[0] && marks.length >= open.length && rest.trim() === ''
  return closes ? null : open
}
