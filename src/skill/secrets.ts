const SECRET_NAMES = new Set([
  '.netrc',
  '_netrc',
  '.pgpass',
  '.git-credentials',
  '.npmrc',
  '.pypirc',
  '.envrc',
  '.dockercfg',
  '.htpasswd',
])
/** Private SSH keys and copies of them, and the keys of service accounts. */
const SECRET_FORMS = [/^id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?$/, /^service[-_]account(?:[-_.].*)?\.json$/]
const SECRET_ENDINGS = /\.(?:env|pem|key|ppk|p12|pfx|jks|keystore)$/

/**
 * True for the names that private keys and environment files with passwords usually have, in upper or lower
 * case.
 */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase()
  if (/\.pub$|^(?:example|sample|template)\.env$/.test(lower)) return false
  if (lower.startsWith('.env.')) return !/\.(?:example|sample|template|dist)$/.test(lower)
  return SECRET_NAMES.has(lower) || SECRET_ENDINGS.test(lower) || SECRET_FORMS.some(form => form.test(lower))
}

/** This many bytes of a file are enough to recognize a private key. */
export const KEY_BYTES = 64

/** True for bytes that begin as private keys do in PEM, whatever the file's name. */
export function holdsPrivateKey(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, KEY_BYTES))
  return /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/.test(start)
}
