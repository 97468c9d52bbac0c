import { thrownText } from '../../src/base/attempt.js'
import { canonicalJson, canonicalText } from '../../src/base/canonical-text.js'
import { isAgentAppsError } from '../../src/base/error.js'
import type { JsonValue } from '../../src/base/json.js'
import type { Decision } from '../../src/policy/decide.js'
import { maskSecrets } from '../../src/policy/mask-secrets.js'
import { questionText } from '../../src/policy/question-text.js'
import { definitionOf } from '../../src/skill/define-tool.js'
import { RUNTIME_CONTEXT } from '../../src/skill/tool-context.js'
import { freezeArguments } from '../schema/check-arguments.js'
import type { CallIds, Globals, InvokeOptions } from '../state/context.js'
import type { ApprovalRequest } from '../state/policy.js'
import { storeOf } from '../state/runtime-store.js'
import { openSession } from '../state/session-record.js'
import type { ToolDef } from '../state/tool-def.js'
import { type Digest, digestOf } from './digest-of.js'

/** A call that a person is asked about. */
export interface PendingCall {
  readonly tool: ToolDef
  readonly args: unknown
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  readonly envelope: Readonly<CallIds>
  /** The call whose tool makes this one. */
  readonly caller: CallAbove | undefined
  readonly abort: AbortSignal | undefined
  readonly run: { readonly id: string }
  /** The start in milliseconds of `performance.now()`, if there are listeners. */
  readonly started: number | undefined
  /** Throws RUN_ABORTED once the call is aborted. */
  throwIfAborted: () => void
}

/** A call above: its ids, and whether an agent made it. */
interface CallAbove extends Pick<PendingCall, 'options' | 'envelope' | 'caller'> {
  /** For a middleware: the call that it serves. */
  readonly served?: CallAbove | undefined
}

/** The key of a call among the calls of its tool. */
export interface CallKey {
  /** The whole key, which approvals compare. */
  whole: string
  /** The text that rules compare; undefined where the tool gives none. */
  text: string | undefined
  /** The text for a person. */
  shown: string
  /** The names of the arguments that it leaves out. */
  ignored: string[]
}

/** A call with everything that an approval of it is bound to. */
export interface IdentifiedCall {
  readonly pending: PendingCall
  readonly key: CallKey
  readonly digest: Digest
  /** The generation of its session; null without a session. */
  readonly generation: string | null
  /** The ids of the agent and its user and the generation of the session, with the tool, its digest and the key. */
  readonly identity: string
  /** True if a tool that an agent called gave this call other ids: approvals of these ids do not apply to it. */
  readonly isOthers: boolean
}

/**
 * The call with the current digest of its tool.
 *
 * @param known the generation of its session, if the call was made in an earlier one than the current
 */
export async function identifiedCall(
  pending: PendingCall,
  key: CallKey,
  known?: string | null,
): Promise<IdentifiedCall> {
  const { tool, globals, envelope } = pending
  const { sessionId, userId, agentId } = envelope
  const digest = await digestOf(tool, globals)
  const generation =
    known ?? (sessionId === undefined ? null : await openSession(sessionId, storeOf(globals)))
  const ids = [sessionId, userId, agentId]
  const above = idsAbove(pending) ?? ids
  const isOthers = above.some((id, place) => id !== ids[place])
  const about = [...ids, generation, tool.name, digest.text, key.whole, ...(isOthers ? above : [])]
  return { pending, key, digest, generation, identity: canonicalText(about), isOthers }
}

/** The ids that the host gave the outermost agent's call above; null if no agent is above. */
function idsAbove({ caller }: Pick<PendingCall, 'caller'>): (string | undefined)[] | null {
  let ids: (string | undefined)[] | null = null
  for (let one = caller; one; one = one.served ?? one.caller) {
    const { sessionId, userId, agentId } = one.envelope
    if (one.options?.as === 'agent') ids = [sessionId, userId, agentId]
  }
  return ids
}

/** Milliseconds. */
const PREVIEW_MS = 5_000
const PREVIEW_MAX = 100_000

/** The question for a person, without the deadline. */
export function approvalRequest(
  { pending, key, digest }: IdentifiedCall,
  { reason, rule }: Pick<Decision, 'reason' | 'rule'>,
  id: string,
  preview: string | null,
): Omit<ApprovalRequest, 'signal' | 'expires'> {
  const { tool, args, envelope } = pending
  const { sessionId, userId, agentId } = envelope
  const call = {
    ...{ tool: tool.name, layer: tool.origin.layer, key: key.shown, ignored: key.ignored, preview, reason },
    args: freezeArguments(maskSecrets((args ?? {}) as JsonValue)) as JsonValue,
  }
  const text = questionText({ ...call, key: key.text === undefined ? null : key.shown })
  return {
    ...{ kind: 'approval', id, ...call, text, rule },
    ...{ origin: tool.origin, digest: digest.text, agentId, sessionId, userId },
  }
}

export function hasPreview({ frontmatter }: Pick<ToolDef, 'frontmatter'>): boolean {
  return frontmatter.metadata['approval-preview'] === true
}

/**
 * The tool's preview of the call, or the reason why it failed; null for a tool without previews.
 *
 * @throws an AgentAppsError that the preview throws: the call cannot work, so no person is asked
 */
export async function previewOf(pending: PendingCall): Promise<string | null> {
  const { tool, args, envelope, abort } = pending
  if (!hasPreview(tool)) return null
  const ended = new AbortController()
  const signal = abort ? AbortSignal.any([abort, ended.signal]) : ended.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const { preview } = (await definitionOf(tool.load ? await tool.load() : tool.fn)) ?? {}
    if (typeof preview !== 'function') return null
    const { callId, sessionId, messageId, agentId, userId, workspaceId } = envelope
    const ids = { callId, sessionId, messageId, agentId, userId, workspaceId }
    const context = { signal, ...ids, [RUNTIME_CONTEXT]: pending }
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${PREVIEW_MS} ms`)), PREVIEW_MS)
    })
    const shown: unknown = await Promise.race([preview(args as never, context), late])
    if (typeof shown !== 'string') throw new Error('it is not a string')
    return shown.length > PREVIEW_MAX ? `${shown.slice(0, PREVIEW_MAX)}…` : shown
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    return `(no preview: ${thrownText(error)})`
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

/** The arguments as text, to which an answer given elsewhere is bound. */
export function argumentsText(args: unknown): string {
  return canonicalJson((args ?? {}) as JsonValue)
}
