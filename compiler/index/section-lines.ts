import { EDITED, IndexRefused, parse } from '../../src/index/read-index.js'

/**
 * The lines of a section by key, `"key":{…}` each, not looked at; what writes an index anew copies them.
 *
 * @param text the section, braces and all
 * @throws IndexRefused where there is not one line for each key
 */
export function sectionLines(text: string): Map<string, string> {
  const lines = new Map<string, string>()
  if (text === '{}') return lines
  const rows = text.split('\n')
  const isFramed = rows.shift() === '{' && rows.pop() === '}'
  for (const [number, row] of rows.entries()) {
    const [key] = KEY.exec(row) ?? []
    const isLast = number === rows.length - 1
    if (!key || !(isLast || row.endsWith(','))) throw new IndexRefused(EDITED)
    lines.set(parse(key.slice(0, -1)) as string, isLast ? row : row.slice(0, -1))
  }
  if (!isFramed || lines.size !== rows.length) throw new IndexRefused(EDITED)
  return lines
}

/** A key at the start of a line. */
const KEY = /^"[^"\\]*(?:\\.[^"\\]*)*":/
