import type { Globals } from '../state/context.js'
import { projectRoot } from './project-root.js'
import { addTrusted, trustedProjects } from './trusted-projects.js'

/** True where a project was trusted in an earlier process: as it is now, or without `digest` at any time. */
export async function isRemembered(own: Globals, digest?: string): Promise<boolean> {
  const root = projectRoot(own)
  const known = await trustedProjects([root])
  return known.some(one => one.root === root && (digest === undefined || one.digest === digest))
}

/** Remembers an answer past the process, if the host lets answers be remembered so. */
export async function remember(own: Globals, digest: string): Promise<void> {
  if (own.config.policy?.approval?.remember === 'project') await addTrusted(projectRoot(own), digest)
}
