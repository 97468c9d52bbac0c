import { thrownText } from '../../src/base/attempt.js'
import { canonicalJson } from '../../src/base/canonical-json.js'
import type { JsonValue } from '../../src/base/json.js'
import type { Decision } from '../../src/policy/decide.js'
import { maskSecrets } from '../../src/policy/mask-secrets.js'
import { definitionOf } from '../../src/skill/define-tool.js'
import { freezeArguments } from '../schema/freeze-arguments.js'
import type { ApprovalRequest } from '../state/policy.js'
import type { ApprovedCall, Asking } from './approved-call.js'

/** Milliseconds that a tool has to show what its call would do. */
const PREVIEW_MS = 5_000
/** A preview is for a person to look through. */
const PREVIEW_MAX = 100_000

/** What a person is asked, but for when an answer comes too late. */
export async function approvalRequest(
  { asking, key, digest }: ApprovedCall,
  { reason, rule }: Decision,
  id: string,
): Promise<Omit<ApprovalRequest, 'signal' | 'expires'>> {
  const { tool, args, envelope } = asking
  const { sessionId, userId, agentId } = envelope
  return {
    ...{ kind: 'approval', id, tool: tool.name, layer: tool.origin.layer, origin: tool.origin },
    ...{
      digest: digest.text,
      key: key.shown,
      args: freezeArguments(maskSecrets((args ?? {}) as JsonValue)) as JsonValue,
    },
    ...{ ignored: key.ignored, preview: await previewOf(asking), reason, rule },
    ...{ agentId, sessionId, userId },
  }
}

/** What the tool shows of the call; null where it shows nothing. A preview that fails is said to. */
async function previewOf({ tool, args, envelope, abort }: Asking): Promise<string | null> {
  if (tool.frontmatter.metadata['approval-preview'] !== true) return null
  const ended = new AbortController()
  const signal = abort ? AbortSignal.any([abort, ended.signal]) : ended.signal
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const { preview } = (await definitionOf(tool.load ? await tool.load() : tool.fn)) ?? {}
    if (typeof preview !== 'function') return null
    const { callId, sessionId, messageId, agentId, userId, workspaceId } = envelope
    const context = { signal, callId, sessionId, messageId, agentId, userId, workspaceId }
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error(`it took longer than ${PREVIEW_MS} ms`)), PREVIEW_MS)
    })
    const shown: unknown = await Promise.race([preview(args as never, context), late])
    if (typeof shown !== 'string') throw new Error('it is no string')
    return shown.length > PREVIEW_MAX ? `${shown.slice(0, PREVIEW_MAX)}…` : shown
  } catch (error) {
    return `(no preview: ${thrownText(error)})`
  } finally {
    clearTimeout(timer)
    ended.abort()
  }
}

/** The arguments as the text that an answer from elsewhere is bound to. */
export function argumentsText(args: unknown): string {
  return canonicalJson((args ?? {}) as JsonValue)
}
