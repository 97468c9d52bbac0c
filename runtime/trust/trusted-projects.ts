import { disk } from '#disk'
import { addRevocation, addUserLine, userLines } from '../approvals/user-lines.js'

/** A file of the user's own: each line says that a project was trusted, or no longer is. */
const FILE = 'trust.jsonl'

/** A project that a person trusts, as it was then. */
export interface TrustedProject {
  /** Its folder, absolute. */
  root: string
  /** The digest of its tools and its configuration. */
  digest: string
  /** When the answer was given, as ISO 8601. */
  at: string
}

/** The projects that are trusted. Empty too where the state of the user is not to be believed. */
export async function trustedProjects(roots: readonly string[] = []): Promise<TrustedProject[]> {
  const projects = new Map<string, TrustedProject>()
  for (const { root, digest, at, revoked } of await userLines(FILE, roots)) {
    const isTrusted = typeof root === 'string' && typeof digest === 'string' && typeof at === 'string'
    if (isTrusted && revoked === undefined) projects.set(`${root}\0${digest}`, { root, digest, at })
    // What is neither an answer nor the end of one may say that something ends.
    else for (const [key, one] of projects) if (revoked !== true || one.root === root) projects.delete(key)
  }
  return [...projects.values()]
}

/** Remembers that a project is trusted. False where there is no place for that. */
export async function addTrusted(root: string, digest: string): Promise<boolean> {
  // A disk that is full or may not be written to: the answer then holds for the process.
  return addUserLine(FILE, root, { root, digest, at: now() }).catch(() => false)
}

/**
 * Forgets all that was trusted of a project and of the folders in it, and returns that.
 *
 * @throws REVOKE_FAILED
 */
export async function revokeTrusted(project: string): Promise<TrustedProject[]> {
  const known = (await trustedProjects([project])).filter(
    ({ root }) => root === project || disk.inside(project, root) !== null,
  )
  for (const root of new Set(known.map(one => one.root)))
    await addRevocation(FILE, root, { root, revoked: true, at: now() })
  return known
}

function now(): string {
  return new Date().toISOString()
}
