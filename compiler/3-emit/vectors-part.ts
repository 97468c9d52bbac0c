import type { VectorPart } from '../../src/index/encode-index.js'
import type { ToolRecord } from '../../src/index/index-format.js'
import { type Embedder, embeddedText, embedTexts } from '../../src/search/embedder.js'
import { encodeVectors, type ToolVectors, textDigest } from '../../src/search/vector-file.js'
import { indexFiles } from '../index/index-files.js'
import type { LineStore } from '../index/line-store.js'
import type { LinkedDirectory } from '../records/linked-directory.js'
import { isReadAnew, type UnitTool } from '../records/skill-unit.js'

/**
 * The vectors of a directory's tools. Those of texts that have one already are kept.
 *
 * @param embedder null where none may run; then the result is null if a vector is missing
 * @param known the vectors before, of the same model; they must have the tools that were not read anew
 * @throws EMBEDDER_FAILED
 */
export async function vectorsPart(
  { names }: LinkedDirectory,
  store: LineStore,
  embedder: Embedder | null,
  model: string,
  known: ToolVectors | null,
): Promise<VectorPart | null> {
  const byText = new Map([...(known ?? [])].map(([, { text, vector }]) => [text, vector]))
  const digests = new Map<string, string>()
  const texts = new Map<string, string>()
  for (const name of [...names.keys()].sort()) {
    const tool = names.get(name)?.tool
    if (!tool) continue
    const before = isReadAnew(tool) ? undefined : known?.get(name)
    const text = before ? '' : textOf(name, tool, store)
    const digest = before?.text ?? textDigest(text, indexFiles.digestOf)
    digests.set(name, digest)
    if (!byText.has(digest)) texts.set(digest, text)
  }
  if (texts.size > 0 && !embedder) return null
  const [first] = byText.values()
  const made = embedder ? await embedTexts(embedder.embed, [...texts.values()], first?.length ?? null) : []
  for (const [at, digest] of [...texts.keys()].entries()) byText.set(digest, made[at] as Int8Array)
  const vectors = new Map(
    [...digests].map(([name, text]) => [name, { text, vector: byText.get(text) as Int8Array }]),
  )
  return { model, ...encodeVectors(model, vectors, indexFiles.digestOf) }
}

function textOf(name: string, { fresh, lines }: UnitTool, store: LineStore): string {
  if (fresh) return embeddedText(fresh.record.frontmatter)
  if (!lines) throw new Error(`The record of "${name}" is missing.`)
  const line = store.bytes(lines.record).toString()
  const record = JSON.parse(line.slice(JSON.stringify(name).length + 1)) as ToolRecord
  return embeddedText(record.frontmatter)
}
