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
  readonly abort: AbortSignal | undefined
  readonly run: { readonly id: string }
  /** When it began, where somebody listens: milliseconds of `performance.now()`. */
  readonly started: number | undefined
  /** Throws RUN_ABORTED once the call is no longer wanted. */
  mustGoOn: () => void
}

/** What a call is known by, among the calls of its tool. */
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
}

export async function approvedCall(asking: Asking, key: CallKey): Promise<ApprovedCall> {
  const { tool, globals, envelope } = asking
  const { sessionId, userId, agentId } = envelope
  const digest = await digestOf(tool, globals)
  const identity = canonicalText([sessionId, userId, agentId, tool.name, digest.text, key.whole])
  return { asking, key, digest, identity }
}
