import { disk } from '#disk'
import { addRevocation, addUserLine, userLines } from '../approvals/user-lines.js'

/** A file of the user: a line for each trusted project and each revocation. */
const FILE = 'trust.jsonl'

/** A project whose code a person let agents run. */
export interface TrustedProject {
  /** Its folder, absolute. */
  root: string
  /** The digest of its tools and its configuration. */
  digest: string
  /** When the answer was given, as ISO 8601. */
  at: string
}

/** The trusted projects. Empty if the user's state cannot be trusted. */
export async function trustedProjects(roots: readonly string[] = []): Promise<TrustedProject[]> {
  const projects = new Map<string, TrustedProject>()
  for (const { root, digest, at, revoked } of await userLines(FILE, roots)) {
    const isTrusted = typeof root === 'string' && typeof digest === 'string' && typeof at === 'string'
    if (isTrusted && revoked === undefined) projects.set(`${root}\0${digest}`, { root, digest, at })
    // A damaged line may be a revocation.
    else for (const [key, one] of projects) if (revoked !== true || one.root === root) projects.delete(key)
  }
  return [...projects.values()]
}

/** Stores that a project is trusted. False if it cannot be stored. */
export async function addTrusted(root: string, digest: string): Promise<boolean> {
  // The disk is full or read-only: the answer then holds for the process.
  return addUserLine(FILE, root, { root, digest, at: now() }).catch(() => false)
}

/**
 * Revokes the trust in a project and in the folders inside it, and returns what was revoked.
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
