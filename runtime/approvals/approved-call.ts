import { canonicalText } from '../../src/base/canonical-text.js'
import type { CallIds, Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { type Digest, digestOf } from './digest-of.js'

/** A call that a person is asked about. */
export interface Asking {
  readonly tool: ToolDef
  readonly args: unknown
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  readonly envelope: Readonly<CallIds>
  /** The call whose tool makes this one. */
  readonly caller: CallAbove | undefined
  readonly abort: AbortSignal | undefined
  readonly run: { readonly id: string }
  /** When it began, where somebody listens: milliseconds of `performance.now()`. */
  readonly started: number | undefined
  /** Throws RUN_ABORTED once the call is no longer wanted. */
  mustGoOn: () => void
}

/** A call above, as far as it says whose it is. */
interface CallAbove extends Pick<Asking, 'options' | 'envelope' | 'caller'> {
  /** For a middleware: the call that it serves. */
  readonly served?: CallAbove | undefined
}

/** The key of a call among the calls of its tool. */
export interface CallKey {
  /** The whole key, which approvals compare. */
  whole: string
  /** The text that rules compare; undefined where the tool gives none. */
  text: string | undefined
  /** As a person is shown it. */
  shown: string
  /** The arguments that it leaves out. */
  ignored: string[]
}

/** A call as approvals know it: what an answer is for, and what it is bound to. */
export interface ApprovedCall {
  readonly asking: Asking
  readonly key: CallKey
  readonly digest: Digest
  /** Who asks and for whom, with the tool, its digest and the key. */
  readonly identity: string
  /** True where a tool that an agent called gives ids of its own: what was approved for these is not for it. */
  readonly isOthers: boolean
}

export async function approvedCall(asking: Asking, key: CallKey): Promise<ApprovedCall> {
  const { tool, globals, envelope } = asking
  const { sessionId, userId, agentId } = envelope
  const digest = await digestOf(tool, globals)
  const ids = [sessionId, userId, agentId]
  const above = idsAbove(asking) ?? ids
  const isOthers = above.some((id, place) => id !== ids[place])
  const about = [...ids, tool.name, digest.text, key.whole, ...(isOthers ? above : [])]
  return { asking, key, digest, identity: canonicalText(about), isOthers }
}

/** The ids that the host gave, of the outermost agent's call above; null where none is. */
function idsAbove({ caller }: Pick<Asking, 'caller'>): (string | undefined)[] | null {
  let ids: (string | undefined)[] | null = null
  for (let one = caller; one; one = one.served ?? one.caller) {
    const { sessionId, userId, agentId } = one.envelope
    if (one.options?.as === 'agent') ids = [sessionId, userId, agentId]
  }
  return ids
}
