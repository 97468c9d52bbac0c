import { disk } from '#disk'
import { isJsonObject, type JsonObject } from '../../src/base/json.js'
import type { UserState } from '../host/disk-seam.js'

/** Lines of JSON, in the user's own state: each says that a project was trusted, or no longer is. */
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
  const state = await disk.userState(roots)
  return state ? readProjects(state) : []
}

/** Remembers that a project is trusted. False where there is no place for that. */
export async function addTrusted(root: string, digest: string): Promise<boolean> {
  const state = await disk.userState([root])
  return state?.append(FILE, line({ root, digest })) ?? false
}

/** Forgets all that was trusted of a project, and returns that. */
export async function revokeTrusted(root: string): Promise<TrustedProject[]> {
  const state = await disk.userState([root])
  const known = state ? readProjects(state).filter(one => one.root === root) : []
  if (known.length > 0) state?.append(FILE, line({ root, revoked: true }))
  return known
}

function line(said: JsonObject): string {
  return JSON.stringify({ ...said, at: new Date().toISOString() })
}

/** A line that cannot be read says nothing: a disk that was full may have torn it. */
function readProjects(state: UserState): TrustedProject[] {
  const projects = new Map<string, TrustedProject>()
  for (const text of (state.readText(FILE) ?? '').split('\n')) {
    const { root, digest, at, revoked } = parsed(text)
    if (typeof root !== 'string') continue
    if (revoked === true) {
      for (const [key, one] of projects) if (one.root === root) projects.delete(key)
    } else if (typeof digest === 'string' && typeof at === 'string')
      projects.set(`${root}\0${digest}`, { root, digest, at })
  }
  return [...projects.values()]
}

function parsed(text: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : {}
  } catch {
    return {}
  }
}
