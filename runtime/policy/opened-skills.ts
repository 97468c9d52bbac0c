import { filledPatterns } from '../directory/host-folders.js'
import type { CallIds, Globals } from '../state/context.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ToolDef } from '../state/tool-def.js'
import { type Listed, listIn, type PolicyCall, skillRules } from './agent-limits.js'

/** A call, as far as it says whose it is. */
export interface OwnedCall extends PolicyCall {
  readonly envelope: Readonly<CallIds>
}

/** Skills that one agent of a session opened, for one message. */
interface Opened {
  /** The call that opened them was made by this one. */
  caller: PolicyCall | undefined
  messageId: string | undefined
  skills: Set<ToolDef>
}

/** The open skills of a runtime: by session, user and agent. */
class OpenSkills {
  readonly byAgent = new Map<string, Opened>()
  turns = 0
}

const openSkills = perRuntime(() => new OpenSkills())

/** Agents whose opened skills are known. The one that opened least recently is forgotten. */
const AGENTS_MAX = 1000

/**
 * Remembers that an agent opened a skill, for the calls that the skill's `allowed-tools` matches. It counts
 * until another message begins or the turn ends; without either, not at all.
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

/** The `allowed-tools` of the skills that are open for a call: what they match is not asked about. */
export function openLists({ globals, caller, envelope }: OwnedCall): Listed[] {
  const known = openSkills(globals).byAgent.get(agentOf(envelope))
  if (!known || known.messageId !== envelope.messageId || known.caller !== caller) return []
  return [...known.skills].flatMap(tool => {
    const patterns = filledPatterns(tool, globals)
    return patterns === undefined ? [] : [listIn(tool, skillRules(patterns))]
  })
}

/** Runs work as a turn, at whose end no skill is open any more. */
export async function withOpenSkills<Result>(globals: Globals, work: () => Promise<Result>): Promise<Result> {
  const open = openSkills(globals)
  open.turns++
  try {
    return await work()
  } finally {
    open.turns--
    // Turns at the same time cannot be told apart: what is asked once too often does no harm.
    open.byAgent.clear()
  }
}

/** A server's skills approve nothing, nor do those of a project that is not trusted. */
function mayApprove({ origin }: ToolDef, { isUntrusted }: Globals): boolean {
  return origin.layer !== 'remote' && !(origin.layer === 'project' && isUntrusted)
}

function agentOf({ sessionId, userId, agentId }: Readonly<CallIds>): string {
  return JSON.stringify([sessionId, userId, agentId])
}
