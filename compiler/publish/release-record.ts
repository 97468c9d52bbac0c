import { definedFields } from '../../src/base/json.js'
import { renderContent } from '../../src/content/render-content.js'
import { type ContentPart, type ContentRecord, isContentOf } from '../../src/index/content-record.js'
import type { FileDigest } from '../../src/index/index-format.js'
import type { ReleaseRecord } from '../../src/release/release-format.js'
import { codeIn } from '../../src/release/remote-frontmatter.js'
import { effectiveMetadata, type IndexedTool } from './read-release-source.js'

/** A tool as it is published. */
export interface PublishedTool {
  record: ReleaseRecord
  /** Its text as a reader gets it; empty for code. */
  text: string
}

/**
 * Makes the record of a tool.
 *
 * @param bytes its file; null for code
 * @param resources those of its other files that are published
 * @param addText publishes a text that is not a file of the directory
 */
export async function releaseRecord(
  tool: IndexedTool,
  bytes: Uint8Array | null,
  resources: ReleaseRecord['resources'],
  addText: (text: string) => Promise<FileDigest>,
): Promise<PublishedTool> {
  const { record, details, content: parts } = tool
  const { kind, file, fragment, size, content } = record
  const frontmatter = { ...record.frontmatter, metadata: effectiveMetadata(tool) }
  const own = bytes && content ? decode(bytes.subarray(...content)) : ''
  const rendered = bytes && parts ? await withIncludes(parts, own) : own
  const text = rendered ?? own
  const why = codeIn(kind, frontmatter) ?? whyChained(tool) ?? (rendered === null ? 'has directives' : null)
  return {
    text,
    record: definedFields({
      ...{ kind, file, fragment, frontmatter, size, content, resources },
      sha256: bytes && tool.file ? tool.file.sha256 : '',
      text: text === own ? undefined : await addText(text),
      code: why ?? undefined,
      verbatim: details.verbatim,
      references: details.references,
      placeholders: details.placeholders,
    }) as ReleaseRecord,
  }
}

/** Why more than the text of a tool takes part in a call, as the end of a sentence; null if nothing does. */
function whyChained({ cascade }: IndexedTool): string | null {
  if (!cascade) return null
  if (cascade.problem) return 'has a fault in what it inherits'
  if (cascade.body) return 'has a delegate'
  if (cascade.chain.length > 0) return 'has middleware'
  return cascade.open ? 'depends on tools that only a runtime finds' : null
}

/** The one directive whose results are published. */
const INCLUDE = 'include'

class NotIncluded extends Error {}

/** The text of a content with the results of its includes; null if it has other directives, or a fault. */
async function withIncludes(content: ContentRecord, text: string): Promise<string | null> {
  if (content.problem || !isContentOf(content, text)) return null
  try {
    return await renderContent<null>(
      { text, parts: content.parts, place: null },
      {
        async run({ name, text: result, content: nested }) {
          if (name !== INCLUDE || nested?.problem) throw new NotIncluded()
          if (result !== undefined) return result
          if (nested) return { text: nested.text, parts: nested.parts as readonly ContentPart[], place: null }
          throw new NotIncluded()
        },
        inside: place => place,
        fill: range => range,
      },
    )
  } catch (error) {
    if (error instanceof NotIncluded) return null
    throw error
  }
}

/** Decodes UTF-8. A byte order mark inside content is content. */
function decode(bytes: Uint8Array): string {
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
}
