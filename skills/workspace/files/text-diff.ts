import { structuredPatch } from 'diff'

/** The lines around a change that are shown. */
const CONTEXT = 3
/** The most characters of a diff. */
const DIFF_MAX = 20_000
/** Milliseconds after which two texts are too different to be compared. */
const TIME_MAX = 50
/** The most characters, of both texts together, that are compared. */
const COMPARED_MAX = 500_000

/**
 * What differs between two texts, in the unified format. Only what lies between their common beginning and
 * end is compared, so that a small change of a large file takes no longer than that of a small one.
 */
export function textDiff(path: string, old: string, text: string): string {
  if (old === text) return ''
  const { start, line, ends } = changedPart(old, text)
  const [before, after] = [old.slice(start, ends[0]), text.slice(start, ends[1])]
  const tooMuch = `[${path} was changed from line ${line} on, too much to be shown.]`
  if (before.length + after.length > COMPARED_MAX) return tooMuch
  const patch = structuredPatch(path, path, before, after, undefined, undefined, {
    context: CONTEXT,
    timeout: TIME_MAX,
  })
  if (!patch) return tooMuch
  const hunks = patch.hunks.map(({ oldStart, oldLines, newStart, newLines, lines }) => {
    // The last hunk may lack a line break only since the texts were cut there.
    const shown = lines.filter(one => one !== NO_BREAK || reachesEnd(ends, old, text))
    // What is empty stands behind the line before it.
    const at = (from: number, count: number): string => `${from + line - (count === 0 ? 2 : 1)},${count}`
    return `@@ -${at(oldStart, oldLines)} +${at(newStart, newLines)} @@\n${shown.join('\n')}\n`
  })
  const diff = `--- ${path}\n+++ ${path}\n${hunks.join('')}`
  if (diff.length <= DIFF_MAX) return diff
  return `${diff.slice(0, diff.lastIndexOf('\n', DIFF_MAX) + 1)}[The diff is cut.]\n`
}

const NO_BREAK = '\\ No newline at end of file'

function reachesEnd([oldEnd, newEnd]: readonly [number, number], old: string, text: string): boolean {
  return oldEnd === old.length && newEnd === text.length
}

/** Where two texts begin to differ and where that ends, widened to whole lines and their context. */
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

/** The beginning of the line that is `CONTEXT` lines before a position's. */
function linesBack(text: string, from: number): number {
  let at = from
  for (let count = 0; count <= CONTEXT; count++) {
    const before = at === 0 ? -1 : text.lastIndexOf('\n', at - 1)
    if (before === -1) return 0
    at = before
  }
  return at + 1
}

/** The end of the line that is `CONTEXT` lines behind a position's, with its line break. */
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
