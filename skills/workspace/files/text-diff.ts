import { type StructuredPatchHunk, structuredPatch } from 'diff'

/** The lines of context around a change. */
const CONTEXT = 3
/** The most characters to show. */
export const TEXT_MAX = 20_000
/** The time limit of a comparison, in milliseconds. */
const TIME_MAX = 50
/** The most characters to compare, of both texts together. */
const COMPARED_MAX = 500_000

/** The difference between two texts. */
interface TextChange {
  /** A unified diff, or a note if the texts differ too much to be compared. */
  diff: string
  /** The numbers of removed and added lines; null if the texts were not compared. */
  lines: { removed: number; added: number } | null
}

/**
 * Compares two texts, between their common beginning and end, so that a small change of a large file is fast.
 */
export function textChange(path: string, old: string, text: string): TextChange {
  if (old === text) return { diff: '', lines: { removed: 0, added: 0 } }
  const { start, line, ends } = changedPart(old, text)
  const [before, after] = [old.slice(start, ends[0]), text.slice(start, ends[1])]
  if (before.length + after.length > COMPARED_MAX)
    return { diff: `[${path} was changed from line ${line} on, too much to show.]`, lines: null }
  const options = { context: CONTEXT, timeout: TIME_MAX }
  const compared = structuredPatch(path, path, before, after, undefined, undefined, options)
  const hunks = compared?.hunks ?? [wholeHunk(before, after)]
  const shown = hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    // The cut texts may lack a line break that the whole texts have.
    const own = lines.filter(one => one !== NO_BREAK || reachesEnd(ends, old, text))
    // An empty range is numbered by the line before it.
    const at = (from: number, count: number): string => `${from + line - (count === 0 ? 2 : 1)},${count}`
    return `@@ -${at(oldStart, oldLines)} +${at(newStart, newLines)} @@\n${own.join('\n')}\n`
  })
  const changed = hunks.flatMap(({ lines }) => lines)
  const count = (sign: string): number => changed.filter(one => one.startsWith(sign)).length
  return {
    diff: cutText(`--- ${path}\n+++ ${path}\n${shown.join('')}`, 'The diff is cut.'),
    lines: { removed: count('-'), added: count('+') },
  }
}

/** A hunk that replaces everything, if a comparison takes too long. */
function wholeHunk(before: string, after: string): StructuredPatchHunk {
  const [old, text] = [linesOf(before), linesOf(after)]
  const lines = [...signed('-', old), ...signed('+', text)]
  return { oldStart: 1, oldLines: old.length, newStart: 1, newLines: text.length, lines }
}

function linesOf(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? []
}

function signed(sign: string, lines: readonly string[]): string[] {
  return lines.flatMap(one => (one.endsWith('\n') ? [sign + one.slice(0, -1)] : [sign + one, NO_BREAK]))
}

/** Cuts a text for a person, with a note at the end. */
export function cutText(text: string, note: string): string {
  if (text.length <= TEXT_MAX) return text
  return `${text.slice(0, text.lastIndexOf('\n', TEXT_MAX) + 1 || TEXT_MAX)}[${note}]\n`
}

const NO_BREAK = '\\ No newline at end of file'

function reachesEnd([oldEnd, newEnd]: readonly [number, number], old: string, text: string): boolean {
  return oldEnd === old.length && newEnd === text.length
}

/** The part in which two texts differ, widened to whole lines and their context. */
function changedPart(old: string, text: string): { start: number; line: number; ends: [number, number] } {
  const shorter = Math.min(old.length, text.length)
  let start = 0
  while (start < shorter && old.charCodeAt(start) === text.charCodeAt(start)) start++
  let common = 0
  while (
    common < shorter - start &&
    old.charCodeAt(old.length - 1 - common) === text.charCodeAt(text.length - 1 - common)
  )
    common++
  start = linesBack(old, start)
  const more = linesOn(old, old.length - common) - (old.length - common)
  return { start, line: lineOf(old, start), ends: [old.length - common + more, text.length - common + more] }
}

/** The start of the line `CONTEXT` lines before a position. */
function linesBack(text: string, from: number): number {
  let at = from
  for (let count = 0; count <= CONTEXT; count++) {
    const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (before === -1) return 0
    at = before
  }
  return at + 1
}

/** The end of the line `CONTEXT` lines after a position, with its line break. */
function linesOn(text: string, from: number): number {
  let at = from
  for (let count = 0; count <= CONTEXT; count++) {
    const next = text.indexOf('\n', at)
    if (next === -1) return text.length
    at = next + 1
  }
  return at
}

function lineOf(text: string, position: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at !== -1 && at < position; at = text.indexOf('\n', at + 1)) line++
  return line
}
