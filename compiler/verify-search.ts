import { join } from 'node:path'
import {
  type IndexHeader,
  type IndexRecords,
  isBroken,
  type NameRecord,
  type ToolRecord,
} from '../src/index/index-format.js'
import { isShardDigest } from '../src/index/read-index.js'
import { embeddedText } from '../src/search/embedder.js'
import { encodeSearch, searchFile } from '../src/search/search-file.js'
import { searchedTexts } from '../src/search/searched-texts.js'
import { TermStore } from '../src/search/term-store.js'
import { toolTerms } from '../src/search/tool-terms.js'
import { textDigest } from '../src/search/vector-file.js'
import { readSkillFile } from './files/regular-file.js'
import { holds } from './index/index-directory.js'
import { indexFiles, readVectors } from './index/index-files.js'

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

/**
 * Compares the vectors of an index with the texts of its skills. The vectors themselves only their embedder could make again: the
 * header has the digest of their file.
 *
 * @param tools the records of the index, which were compared with the skills before
 * @returns the difference; null without one
 */
export function vectorsDifference(
  directory: string,
  header: IndexHeader,
  tools: ReadonlyMap<string, IndexRecords['tools'][string]>,
): string | null {
  const vectors = readVectors(directory, header)
  if (!vectors) return 'is not what was compiled'
  const texts = [...vectors].map(([name, { text }]) => `${name} ${text}`)
  const expected = [...tools].flatMap(([name, record]) =>
    'names' in record || isBroken(record)
      ? []
      : [`${name} ${textDigest(embeddedText(record.frontmatter), indexFiles.digestOf)}`],
  )
  return texts.join() === expected.sort().join() ? null : 'does not have the vectors of the skills'
}
