const SECRET_NAMES = new Set([
  '.netrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_dsa',
  'id_ecdsa',
  'id_ed25519',
])
const SECRET_ENDINGS = /\.(?:pem|key|p12|pfx|jks|keystore)$/i

/** True for the names that private keys and environments with passwords usually have. */
export function looksSecret(name: string): boolean {
  if (name === '.env' || name.startsWith('.env.')) return !/\.(?:example|sample|template|dist)$/.test(name)
  return SECRET_NAMES.has(name) || SECRET_ENDINGS.test(name)
}
