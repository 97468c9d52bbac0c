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
/** Private keys of SSH with copies of them, and of services' accounts. */
const SECRET_FORMS = [/^id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?$/, /^service[-_]account(?:[-_.].*)?\.json$/]
const SECRET_ENDINGS = /\.(?:env|pem|key|ppk|p12|pfx|jks|keystore)$/

/** True for the names that private keys and environments with passwords usually have, in whatever case. */
export function looksSecret(name: string): boolean {
  const lower = name.toLowerCase()
  if (/\.pub$|^(?:example|sample|template)\.env$/.test(lower)) return false
  if (lower.startsWith('.env.')) return !/\.(?:example|sample|template|dist)$/.test(lower)
  return SECRET_NAMES.has(lower) || SECRET_ENDINGS.test(lower) || SECRET_FORMS.some(form => form.test(lower))
}

/** So many bytes of a file are enough to know a private key by. */
export const KEY_BYTES = 64

/** True for what begins as private keys do in PEM, whatever the file is called. */
export function holdsPrivateKey(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, KEY_BYTES))
  return /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/.test(start)
}
