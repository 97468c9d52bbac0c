import { disk } from '#disk'
import type { CallIds, Globals } from '../state/context.js'
import type { IdentifiedCall } from './pending-call.js'
import { addRevocation, addUserLine, sha256, userLines } from './user-lines.js'

/** An answer that holds for more than one call. */
export interface Approval {
  /** The id that `revoke` takes. */
  id: string
  /** `session`: until the session ends. `project`: in this project from now on. */
  scope: 'session' | 'project'
  /** The tool's name. */
  tool: string
  /** The key of the approved calls, as it was shown to the person. */
  key: string
  /** The digest of the tool when the approval was given. */
  digest: string
  /** When it was given, in milliseconds since 1970. */
  time: number
  /** The user who was asked for, if the host said. */
  userId: string | undefined
  /** The agent that it is for, if the host said. */
  agentId: string | undefined
}

/** A file of the user: a line for each approval and each revocation. */
const FILE = 'approvals.jsonl'

interface Line extends Approval {
  project: string
  /** SHA-256 of the whole key. Of the key itself, only the shown text is stored. */
  keyHash: string
}

export async function projectApprovals(
  globals: Globals,
  ids: Pick<CallIds, 'userId' | 'agentId'>,
): Promise<Approval[]> {
  return (await listApprovals(projectOf(globals))).filter(
    ({ userId, agentId }) => userId === ids.userId && agentId === ids.agentId,
  )
}

/** The approvals for a project, of all users and agents. `project` is its folder, absolute. */
export async function listApprovals(project: string): Promise<Approval[]> {
  return (await linesOf(project)).map(({ project: _, keyHash: __, ...approval }) => approval)
}

/** True if a call was approved for its project, and the tool has not changed since. */
export async function isApprovedForProject({ pending, key, digest }: IdentifiedCall): Promise<boolean> {
  const { globals, tool, envelope } = pending
  const lines = digest.isLasting ? await linesOf(projectOf(globals)) : []
  if (lines.length === 0) return false
  const keyHash = await sha256(key.whole)
  return lines.some(
    line =>
      line.tool === tool.name &&
      line.digest === digest.text &&
      line.keyHash === keyHash &&
      line.userId === envelope.userId &&
      line.agentId === envelope.agentId,
  )
}

/**
 * Stores an approval for the project. False if it cannot be stored: the user has no writable folder for it outside
 * the project, or the tool has a registered function, which only this process knows.
 */
export async function approveForProject(
  { pending: { globals }, key, digest }: IdentifiedCall,
  approval: Approval,
): Promise<boolean> {
  if (!digest.isLasting) return false
  const project = projectOf(globals)
  const line: Line = { ...approval, project, keyHash: await sha256(key.whole) }
  // The disk is full or read-only: the answer then holds for the session.
  return addUserLine(FILE, project, line).catch(() => false)
}

/**
 * Revokes an approval for a project. False if none has this id.
 *
 * @throws REVOKE_FAILED
 */
export async function revokeApproval(project: string, id: string): Promise<boolean> {
  if (!(await linesOf(project)).some(line => line.id === id)) return false
  await addRevocation(FILE, project, { revoked: id, time: Date.now() })
  return true
}

/** The folder of the runtime's project, absolute. */
export function projectOf({ config: { cwd = disk.cwd(), project, projects } }: Globals): string {
  return projects?.root ?? disk.resolve(typeof project === 'string' ? project : cwd)
}

async function linesOf(project: string): Promise<Line[]> {
  const lines = new Map<string, Line>()
  for (const line of await userLines(FILE, [project])) {
    if (typeof line.revoked === 'string') lines.delete(line.revoked)
    else if (isLine(line)) lines.set(line.id, line)
    // A damaged line may be a revocation.
    else lines.clear()
  }
  return [...lines.values()].filter(line => line.project === project)
}

function isLine(value: object): value is Line {
  const { id, scope, tool, key, digest, time, userId = '', agentId = '', project, keyHash } = value as Line
  const texts: unknown[] = [id, tool, key, digest, userId, agentId, project, keyHash]
  return scope === 'project' && typeof time === 'number' && texts.every(one => typeof one === 'string')
}
