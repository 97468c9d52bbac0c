/** A line of a search result. */
export interface FoundLine {
  /** The file's path from the searched folder, with `/`. */
  path: string
  number: number
  text: string
  /** False for a line around a match. */
  isMatch: boolean
}

/** The pattern of a search, and the limits of its output. */
export interface Search {
  pattern: string
  ignoreCase: boolean
  mode: 'content' | 'files' | 'count'
  /** Lines around each match. */
  context: number
  /** The most matching lines or files. */
  limit: number
}

/** The result of a search. */
export interface Found {
  /** With `content`: the lines, grouped by file. */
  lines: FoundLine[]
  /** With `files` and `count`: the files, and their numbers of matching lines. */
  files: { path: string; count: number }[]
  /** True if there may be more. */
  truncated: boolean
  /** The number of lines that were skipped, since they are too long for the pattern. */
  passed: number
}

/** The most characters of a line that are shown. */
const LINE_MAX = 500

/** A result as text for a model. */
export function foundText({ lines, files }: Found, mode: Search['mode'], prefix: string): string {
  if (mode === 'files') return files.map(({ path }) => prefix + path).join('\n')
  if (mode === 'count') return files.map(({ path, count }) => `${prefix}${path}:${count}`).join('\n')
  const shown: string[] = []
  let last: FoundLine | undefined
  for (const line of lines) {
    if (line.path !== last?.path) shown.push(...(last ? [''] : []), `${prefix}${line.path}`)
    // Matches without context need no separator.
    else if (line.number > last.number + 1 && !(line.isMatch && last.isMatch)) shown.push('--')
    const text = line.text.length > LINE_MAX ? `${line.text.slice(0, LINE_MAX)}…` : line.text
    shown.push(`${line.number}${line.isMatch ? ':' : '-'}${text}`)
    last = line
  }
  return shown.join('\n')
}

export function sortFound(found: Found): void {
  const byPath = (a: { path: string }, b: { path: string }): number =>
    a.path < b.path ? -1 : a.path > b.path ? 1 : 0
  found.lines.sort(byPath)
  found.files.sort(byPath)
}
