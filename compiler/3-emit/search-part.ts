import type { EncodedPart } from '../../src/index/encode-index.js'
import { encodeSearch, type WholeSearch } from '../../src/search/search-file.js'
import type { TermStore } from '../../src/search/term-store.js'
import { indexFiles } from '../index/index-files.js'
import { addTerms } from '../records/encode-tools.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { isReadAnew } from '../records/skill-unit.js'

/** The search file of a directory's index. Tools that were not read anew keep their terms in that of the last compile. */
export function searchPart(
  { names }: LinkedDirectory,
  terms: TermStore,
  previous: WholeSearch | null,
): EncodedPart {
  const sorted = [...names.keys()].sort()
  const rows = sorted.map(name => ({ name, isBroken: names.get(name)?.broken !== undefined }))
  const stored = sorted.map(name => {
    const tool = names.get(name)?.tool
    if (tool?.fresh) return addTerms(tool.fresh, terms)
    return tool?.terms ?? null
  })
  const isKept = (name: string): boolean => {
    const tool = names.get(name)?.tool
    return tool !== undefined && !isReadAnew(tool)
  }
  return encodeSearch(rows, terms.index(stored), previous && { file: previous, isKept }, indexFiles.digestOf)
}
