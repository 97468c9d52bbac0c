/** A parsed content type. `kind` is null for anything but text. */
interface MediaType {
  kind: 'html' | 'text' | null
  charset: string | null
}

const HTML = /^(?:text\/html|application\/xhtml\+xml)$/
const TEXT =
  /^(?:text\/.+|.+\+(?:json|xml|yaml)|application\/(?:json|jsonl|ndjson|x-ndjson|xml|yaml|x-yaml|toml|javascript|x-javascript|typescript|x-sh|sql|graphql))$/

export function mediaTypeOf(contentType: string | null): MediaType {
  const [type = '', ...parameters] = (contentType ?? '').split(';').map(part => part.trim())
  const charset = parameters.find(parameter => /^charset=/i.test(parameter))?.slice('charset='.length)
  const name = type.toLowerCase()
  return {
    kind: HTML.test(name) ? 'html' : TEXT.test(name) ? 'text' : null,
    charset: charset?.replace(/^"|"$/g, '') ?? null,
  }
}

/**
 * Decodes a page by its byte order mark, the server's charset, or its own `<meta>`; otherwise, and for an unknown encoding, as
 * UTF-8.
 */
export function decodeText(bytes: Uint8Array, { charset, kind }: MediaType): string {
  const own = kind === 'html' && charset === null ? charsetWithin(bytes) : null
  return decoderOf(byteOrderOf(bytes) ?? charset ?? own ?? 'utf-8').decode(bytes)
}

/** The encoding of a UTF-16 byte order mark. */
function byteOrderOf([first, second]: Uint8Array): string | null {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** The encoding of a `<meta>` in the first 1,024 bytes. */
function charsetWithin(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /<meta[^>]{1,200}charset\s*=\s*["']?([\w-]+)/i.exec(start)?.[1] ?? null
}

function decoderOf(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}
