/** The candidate with the fewest edits, at most a third of the word's length; null if none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | null {
  let limit = Math.max(1, Math.floor(word.length / 3))
  let best: string | null = null
  for (const candidate of candidates) {
    if (candidate === word) continue
    const distance = editDistance(word, candidate, limit)
    if (distance > limit) continue
    best = candidate
    limit = distance - 1
    if (limit < 1) break
  }
  return best
}

/**
 * Returns the known key that an unknown one means: the nearest, in any case style, else the one that shares
 * all of its words, or has them all. For `file_path` that is `path`; for `allowedTools`, `allowed-tools`.
 */
export function nearestKey(key: string, known: Iterable<string>): string | null {
  const words = wordsOf(key)
  const wordsByKey = [...known].map(one => [one, wordsOf(one)] as const).filter(([, own]) => own.length > 0)
  const byText = new Map(wordsByKey.map(([one, own]) => [own.join(''), one]))
  const text = words.join('')
  const near = byText.has(text) ? text : nearest(text, byText.keys())
  if (near !== null) return byText.get(near) ?? null
  const sharing = wordsByKey.filter(([, own]) => isWithin(own, words))
  // The noun comes last: a `file_path` is a path, and no file.
  sharing.sort(([, a], [, b]) => b.length - a.length || lastPlace(b, words) - lastPlace(a, words))
  return sharing[0]?.[0] ?? null
}

function isWithin(a: readonly string[], b: readonly string[]): boolean {
  const [fewer, more] = a.length < b.length ? [a, b] : [b, a]
  return fewer.length > 0 && fewer.every(word => more.includes(word))
}

function lastPlace(words: readonly string[], whole: readonly string[]): number {
  return whole.lastIndexOf(words.at(-1) ?? '')
}

/** The words of a key, however they are put together: `oldString`, `old_string`, `old-string`. */
function wordsOf(key: string): string[] {
  const parted = key.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
  return parted.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []
}

/** The edits (insert, delete, replace, swap of neighbours) from `a` to `b`; above `limit`, any number. */
export function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforePrevious: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let smallest = row
    for (let column = 1; column <= b.length; column++) {
      const replaced = at(previous, column - 1) + (a[row - 1] === b[column - 1] ? 0 : 1)
      let cost = Math.min(replaced, at(previous, column) + 1, at(current, column - 1) + 1)
      const swapped = row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      if (swapped) cost = Math.min(cost, at(beforePrevious, column - 2) + 1)
      current.push(cost)
      smallest = Math.min(smallest, cost)
    }
    if (smallest > limit) return limit + 1
    beforePrevious = previous
    previous = current
  }
  return at(previous, b.length)
}

function at(row: number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY
}
