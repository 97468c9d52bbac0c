/**
 * Files that hold passwords, keys or tokens, by their lowercase names. Sources: the manuals of the programs that write
 * them, and the entries for secrets in GitHub's collection of ignore files (github.com/github/gitignore).
 */
const SECRET_NAMES = new Set([
  // curl, PostgreSQL, Git, direnv, Docker (before 1.7), Apache
  ...['.netrc', '_netrc', '.pgpass', '.git-credentials', '.envrc', '.dockercfg', '.htpasswd'],
  // npm, PyPI, HashiCorp Vault; Google Cloud's for programs
  ...['.npmrc', '.pypirc', '.vault-token', 'application_default_credentials.json'],
  // Wrangler: developers.cloudflare.com/workers/configuration/secrets
  '.dev.vars',
])

const SECRET_FORMS = [
  // Variables of the environment, of Wrangler's environments too
  /^(?:.*\.env|\.(?:env|dev\.vars)\..*)$/,
  /\.(?:pem|key|ppk|p12|pfx|jks|keystore)$/,
  // Private SSH keys: man ssh-keygen
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:[._-].*)?$/,
  // Keys of service accounts: cloud.google.com/iam/docs/keys-create-delete, firebase.google.com/docs/admin/setup
  /^service[-_]?account(?:[-_.]?keys?)?(?:[-_.].*)?\.json$/,
  /-firebase-adminsdk-.*\.json$/,
  // Terraform: developer.hashicorp.com/terraform/language/state/sensitive-data
  /\.tfstate(?:\..*)?$/,
]

/** Files with common names, with the folders that they are in. */
const SECRET_PLACES = [
  // git-config: addresses with passwords, `http.extraHeader`; of submodules and worktrees too
  /(?:^|\/)\.git\/(?:.*\/)?config(?:\.worktree)?$/,
  // docs.aws.amazon.com/cli/latest/userguide/cli-configure-files.html
  /(?:^|\/)\.aws\/credentials$/,
  // docs.docker.com/reference/cli/docker/login
  /(?:^|\/)\.docker\/config\.json$/,
  // kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig
  /(?:^|\/)\.kube\/config$/,
  // doc.rust-lang.org/cargo/reference/config.html#credentials, guides.rubygems.org/api-key-scopes
  /(?:^|\/)\.(?:cargo|gem)\/credentials(?:\.toml)?$/,
  // cli.github.com/manual/gh_auth_login
  /(?:^|\/)\.config\/gh\/hosts\.yml$/,
]

/** Endings of copies that editors and people make. */
const COPY = /(?:~|\.(?:bak|backup|copy|old|orig|save|sw[a-p]))+$/
const SAMPLE =
  /^(?:example|sample|template)\.env$|^\.(?:env|dev\.vars)\.(?:.*\.)?(?:example|sample|template|dist)$|\.pub$/

/**
 * True for a path whose end is one that private keys and files with passwords usually have, and for copies of such
 * files, in upper or lower case.
 */
export function looksSecret(path: string): boolean {
  const place = path.toLowerCase().replaceAll('\\', '/').replace(COPY, '')
  const name = place.slice(place.lastIndexOf('/') + 1)
  if (SAMPLE.test(name)) return false
  return (
    SECRET_NAMES.has(name) ||
    SECRET_FORMS.some(form => form.test(name)) ||
    SECRET_PLACES.some(form => form.test(place))
  )
}

/** This many bytes of a file are enough to recognize a private key. */
export const KEY_BYTES = 64

/** True for bytes that begin like a private key in PEM. */
export function containsPrivateKey(bytes: Uint8Array): boolean {
  const start = new TextDecoder().decode(bytes.subarray(0, KEY_BYTES))
  return /^-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY/.test(start)
}
