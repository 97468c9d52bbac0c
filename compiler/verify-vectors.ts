import { type IndexHeader, type IndexRecords, isBroken } from '../src/index/index-format.js'
import { embeddedText } from '../src/search/embedder.js'
import { textDigest } from '../src/search/vector-file.js'
import { indexFiles, readVectors } from './index/index-files.js'

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
