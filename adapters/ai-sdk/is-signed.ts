/** The fields of an approval request that the SDK signs. */
export interface SignedRequest {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
}

/**
 * True if the SDK signed a request with this secret. It checks that itself where it has the secret: this is for an
 * application that gave it to `skillTools` alone, and would otherwise take any message for an approval.
 */
export async function isSigned(
  request: SignedRequest,
  signature: unknown,
  secret: string | Uint8Array,
): Promise<boolean> {
  const bytes = typeof signature === 'string' ? bytesOf(signature) : null
  if (!bytes) return false
  const { approvalId, toolCallId, toolName, input } = request
  const digest = toBase64Url(await crypto.subtle.digest('SHA-256', encoded(sortedJson(input))))
  const fields = [approvalId, toolCallId, toolName, digest]
  const key = await crypto.subtle.importKey(
    'raw',
    typeof secret === 'string' ? encoded(secret) : new Uint8Array(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const isOf = (text: string): Promise<boolean> => crypto.subtle.verify('HMAC', key, bytes, encoded(text))
  // Version 7 signs the first, version 6 the second, in which a line break could move from one field to the next.
  if (await isOf(JSON.stringify(['ai-sdk-tool-approval-v1', ...fields]))) return true
  return !fields.some(field => field.includes('\n')) && isOf(fields.join('\n'))
}

/** JSON with sorted keys, as the SDK makes it. */
function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${sortedJson(one)}`).join(',')}}`
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

function toBase64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The bytes of a text in Base64, of either alphabet; null for any other text. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), one => one.charCodeAt(0))
  } catch {
    return null
  }
}
