/** The SHA-256 of a text, hexadecimal, on every host: bundles have no `#disk` that digests. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}
