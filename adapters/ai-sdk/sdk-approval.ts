import { AgentAppsError } from 'agent-apps'
import type { Runtime } from 'agent-apps/runtime'
import type { ModelMessage } from 'ai'
import { giveAnswer } from '../skill-tools/give-answer.js'
import type { ToolCall } from '../skill-tools/model-tool.js'
import type { Approval, AskedCall } from './ai-tool.js'

/** The used approvals that are remembered, for those that only a signature proves. */
const USED_MAX = 10_000

/** The approvals that this process has used, by runtime, oldest first. */
const used = new WeakMap<Runtime['globals'], Set<string>>()

/**
 * Approval by the SDK's requests. Messages are untrusted: an answer in them counts only for a request of ours, which the
 * runtime's store has or the secret has signed.
 *
 * @throws APPROVAL_UNSIGNED without a store or a secret
 */
export function sdkApproval({ globals }: Runtime, secret: string | Uint8Array | undefined): Approval {
  const hasStore = globals.config.store !== undefined
  if (!hasStore && secret === undefined) throw unsigned()
  const known = used.get(globals) ?? new Set<string>()
  used.set(globals, known)
  return {
    needed,
    async grant(call, asked) {
      const given = approvedRequest(asked)
      if (!given) return 'not-asked'
      if (secret !== undefined && !(await isSigned({ ...asked, ...given }, given.signature, secret)))
        return 'refused'
      const id = JSON.stringify([given.approvalId, asked.toolCallId])
      const isGranted =
        (await giveAnswer(call, asked.toolCallId, 'allow-once')) ||
        (!hasStore && !known.has(id) && (await answerAnew(call, asked)))
      if (isGranted) remember(known, id)
      return isGranted ? 'granted' : 'refused'
    },
  }
}

/**
 * The question to a person about a call; null if it needs no approval. For a call that was asked about before, only call and
 * policy decide: the SDK checks again once there is an answer, and then refuses calls that need none.
 */
async function needed({ agent, ref, args }: ToolCall, asked: AskedCall): Promise<string | null> {
  try {
    // A request that only the messages claim must not be kept.
    if (!isInMessages(asked)) {
      const { request } = await agent.authorize(ref, args, { callId: asked.toolCallId })
      return request?.text ?? null
    }
    const last = (await agent.authorize(ref, args)).steps.at(-1)
    // Step 1 asks about the project, which the runtime does itself.
    return last?.decision === 'ask' && last.step > 1 ? last.reason : null
  } catch {
    // The call itself fails in the same way, and tells the model.
    return null
  }
}

/** Grants a call that another process asked about, whose request is signed. */
async function answerAnew(call: ToolCall, asked: AskedCall): Promise<boolean> {
  const { request } = await call.agent.authorize(call.ref, call.args, { callId: asked.toolCallId })
  return request !== undefined && giveAnswer(call, asked.toolCallId, 'allow-once')
}

function remember(known: Set<string>, id: string): void {
  known.add(id)
  for (const oldest of known) {
    if (known.size <= USED_MAX) return
    known.delete(oldest)
  }
}

/** The call's request, if the last message approves it. */
function approvedRequest({
  messages,
  toolCallId,
}: AskedCall): { approvalId: string; signature: unknown } | null {
  const last = messages.at(-1)
  if (last?.role !== 'tool') return null
  for (const part of assistantParts(messages)) {
    if (part.type !== 'tool-approval-request' || part.toolCallId !== toolCallId) continue
    const { approvalId } = part
    const answers = last.content.flatMap(one =>
      one.type === 'tool-approval-response' && one.approvalId === approvalId ? [one.approved] : [],
    )
    if (answers.length > 0 && answers.every(approved => approved === true))
      return { approvalId, signature: (part as { signature?: unknown }).signature }
  }
  return null
}

/** True for a call that is already in the messages, which the SDK continues after asking. */
function isInMessages({ messages, toolCallId }: AskedCall): boolean {
  return assistantParts(messages).some(part => part.type === 'tool-call' && part.toolCallId === toolCallId)
}

function assistantParts(messages: readonly ModelMessage[]) {
  return messages.flatMap(({ role, content }) =>
    role === 'assistant' && typeof content !== 'string' ? content : [],
  )
}

function unsigned(): AgentAppsError {
  return new AgentAppsError(
    'APPROVAL_UNSIGNED',
    "`skillTools` with `approval: 'sdk'` cannot tell an approval from a forged message.",
    {
      hint: 'Give createRuntime a `store`, such as `fileStore`, or skillTools the `secret` that the SDK signs with.',
    },
  )
}

/** The fields of an approval request that the SDK signs. */
interface SignedRequest {
  approvalId: string
  toolCallId: string
  toolName: string
  input: unknown
}

/**
 * True if the SDK signed a request with this secret. The SDK checks this itself if it has the secret; this check protects
 * an application that gave the secret only to `skillTools`.
 */
async function isSigned(
  request: SignedRequest,
  signature: unknown,
  secret: string | Uint8Array,
): Promise<boolean> {
  const bytes = typeof signature === 'string' ? bytesOf(signature) : null
  if (!bytes) return false
  const { approvalId, toolCallId, toolName, input } = request
  const digest = toBase64Url(await crypto.subtle.digest('SHA-256', encoded(sortedJson(input))))
  const fields = [approvalId, toolCallId, toolName, digest]
  const key = await crypto.subtle.importKey(
    'raw',
    typeof secret === 'string' ? encoded(secret) : new Uint8Array(secret),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['verify'],
  )
  const isOf = (text: string): Promise<boolean> => crypto.subtle.verify('HMAC', key, bytes, encoded(text))
  // Version 7 signs the first. Version 6 signs the second, in which a line break could move between fields.
  if (await isOf(JSON.stringify(['ai-sdk-tool-approval-v1', ...fields]))) return true
  return !fields.some(field => field.includes('\n')) && isOf(fields.join('\n'))
}

/** JSON with sorted keys, as the SDK makes it. */
function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(sortedJson).join(',')}]`
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, one]) => `${JSON.stringify(key)}:${sortedJson(one)}`).join(',')}}`
}

function encoded(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(text))
}

function toBase64Url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** The bytes of a Base64 string, of either alphabet; null for any other string. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), one => one.charCodeAt(0))
  } catch {
    return null
  }
}
