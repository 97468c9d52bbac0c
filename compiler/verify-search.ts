import { join } from 'node:path'
import { type IndexRecords, isBroken, type NameRecord, type ToolRecord } from '../src/index/index-format.js'
import { isShardDigest } from '../src/index/read-index.js'
import { encodeSearch, searchFile } from '../src/search/search-file.js'
import { searchedTexts } from '../src/search/searched-texts.js'
import { TermStore } from '../src/search/term-store.js'
import { toolTerms } from '../src/search/tool-terms.js'
import { readSkillFile } from './files/regular-file.js'
import { holds } from './index/index-directory.js'
import { indexFiles } from './index/index-files.js'

/**
 * Compares a search file with the terms of the skills, which were compared with the index before.
 *
 * @param digest the one that the header has
 * @param tools the records of the index
 * @returns the difference; null if it has the terms of these tools and no others
 */
export function searchDifference(
  directory: string,
  digest: string,
  tools: ReadonlyMap<string, IndexRecords['tools'][string]>,
): string | null {
  const store = new TermStore()
  const named = [...tools].filter((one): one is [string, NameRecord] => !('names' in one[1])).sort(byName)
  const rows = named.map(([name, record]) => ({ name, isBroken: isBroken(record) }))
  const terms = named.map(([, record]) =>
    isBroken(record)
      ? null
      : store.add(toolTerms(searchedTexts(record.frontmatter, contentOf(directory, record)))),
  )
  const made = encodeSearch(rows, store.index(terms), null, indexFiles.digestOf)
  const isSame = isShardDigest(digest) && made.digest === digest
  return isSame && holds(directory, searchFile(digest), made.bytes)
    ? null
    : 'does not have the terms of the skills'
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

function contentOf(directory: string, { file, content }: ToolRecord): string {
  return content
    ? readSkillFile(join(directory, file))
        .subarray(...content)
        .toString()
    : ''
}
