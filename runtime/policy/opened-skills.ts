import { filledPatterns } from '../directory/host-folders.js'
import type { CallIds, Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ToolDef } from '../state/tool-def.js'
import { type Listed, listIn, type PolicyCall, skillRules } from './agent-limits.js'

export interface OwnedCall extends PolicyCall {
  readonly envelope: Readonly<CallIds>
}

/** Skills that one agent of a session opened, for one message. */
interface Opened {
  /** The caller of the call that opened them. */
  caller: PolicyCall | undefined
  messageId: string | undefined
  skills: Set<ToolDef>
}

/** Keyed by session, user and agent. */
class OpenSkills {
  readonly byAgent = new Map<string, Opened>()
  turns = 0
}

const openSkills = perRuntime(() => new OpenSkills())

/** The agent that opened a skill least recently is forgotten first. */
const AGENTS_MAX = 1000

/**
 * Remembers that an agent opened a skill, whose `allowed-tools` pre-approves calls until the next message or the end of
 * the turn. Does nothing without a message and a turn.
 */
export function noteOpened(call: OwnedCall): void {
  const { globals, tool, caller, envelope } = call
  const { byAgent, turns } = openSkills(globals)
  const { messageId } = envelope
  if (globals.config.policy?.readAllowedTools !== 'pre-approve' || !mayApprove(tool, globals)) return
  if (messageId === undefined && turns === 0) return
  const key = agentOf(envelope)
  const known = byAgent.get(key)
  const isSame = known && known.messageId === messageId && known.caller === caller
  const skills = isSame ? known.skills : new Set<ToolDef>()
  byAgent.delete(key)
  byAgent.set(key, { caller, messageId, skills: skills.add(tool) })
  for (const oldest of byAgent.keys()) {
    if (byAgent.size <= AGENTS_MAX) break
    byAgent.delete(oldest)
  }
}

/** The `allowed-tools` of the skills that are open for a call: calls that they match need no approval. */
export function openLists({ globals, caller, envelope }: OwnedCall): Listed[] {
  const known = openSkills(globals).byAgent.get(agentOf(envelope))
  if (!known || known.messageId !== envelope.messageId || known.caller !== caller) return []
  return [...known.skills].flatMap(tool => {
    const patterns = filledPatterns(tool, globals)
    return patterns === undefined ? [] : [listIn(tool, skillRules(patterns))]
  })
}

/** Runs work as a turn. All skills are closed at its end. */
export async function withOpenSkills<Result>(globals: Globals, work: () => Promise<Result>): Promise<Result> {
  const open = openSkills(globals)
  open.turns++
  try {
    return await work()
  } finally {
    open.turns--
    // Concurrent turns cannot be told apart; closing too many skills only asks once more.
    open.byAgent.clear()
  }
}

/** False for a server's skills, and those of an untrusted project. */
function mayApprove({ origin }: ToolDef, { isUntrusted }: Globals): boolean {
  return origin.layer !== 'remote' && !(origin.layer === 'project' && isUntrusted)
}

function agentOf({ sessionId, userId, agentId }: Readonly<CallIds>): string {
  return JSON.stringify([sessionId, userId, agentId])
}
