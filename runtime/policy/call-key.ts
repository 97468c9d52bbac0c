import { thrownText } from '../../src/base/attempt.js'
import { canonicalJson } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, type JsonValue } from '../../src/base/json.js'
import { fillKey, ignoredArguments } from '../../src/policy/guards.js'
import { maskSecrets } from '../../src/policy/mask-secrets.js'
import { shownText } from '../../src/policy/shown-text.js'
import { definitionOf } from '../../src/skill/define-tool.js'
import type { CallKey } from '../approvals/pending-call.js'
import type { ToolDef } from '../state/tool-def.js'
import { guardsOf } from './guards-of.js'

const KEY_MAX = 100_000
/** Milliseconds. */
const DERIVING_MAX = 100

/** Tools whose function took too long. */
const slow = new WeakSet<ToolDef>()

/**
 * The key of a call: derived from the arguments by the tool's code or template, or the arguments as JSON.
 *
 * @throws APPROVAL_KEY_INVALID
 */
export async function callKey(tool: ToolDef, given: unknown): Promise<CallKey> {
  const { approvalKey } = guardsOf(tool)
  const args = (given ?? {}) as JsonValue
  if (approvalKey === 'derived') {
    const text = expectShort(tool, await derivedKey(tool, args))
    return { whole: `derived ${text}`, text, shown: shownText(text), ignored: [] }
  }
  const masked = maskSecrets(args)
  if (approvalKey === undefined) {
    const whole = canonicalJson(args)
    return { whole: `args ${whole}`, text: undefined, shown: shownText(canonicalJson(masked)), ignored: [] }
  }
  const { text, form } = fillKey(approvalKey, args)
  const shown = shownText(fillKey(approvalKey, masked).text)
  return {
    whole: `${form} ${expectShort(tool, text)}`,
    text,
    shown,
    ignored: ignoredArguments(approvalKey, withDeclared(tool, args)),
  }
}

/** The arguments with those that the call leaves out, which another call with the same key may have. */
function withDeclared({ frontmatter: { params } }: ToolDef, args: JsonValue): JsonValue {
  return isJsonObject(args) && isJsonObject(params?.properties) ? { ...params.properties, ...args } : args
}

/**
 * The key of a call that a person is asked about.
 *
 * @throws APPROVAL_KEY_INVALID, also if it is too long
 */
export async function approvalKey(tool: ToolDef, args: unknown): Promise<CallKey> {
  const key = await callKey(tool, args)
  expectShort(tool, key.whole)
  return key
}

function expectShort(tool: ToolDef, key: string): string {
  if (key.length <= KEY_MAX) return key
  throw keyInvalid(tool, `it has ${key.length} characters, more than ${KEY_MAX}`)
}

/** Runs the tool's function with frozen arguments. It decides what an approval covers, so each fault of it is an error. */
async function derivedKey(tool: ToolDef, args: JsonValue): Promise<string> {
  const { deriveApprovalKey } = (await definitionOf(tool.load ? await tool.load() : tool.fn)) ?? {}
  if (typeof deriveApprovalKey !== 'function')
    throw keyInvalid(tool, 'its code has no function `deriveApprovalKey`')
  if (slow.has(tool))
    throw keyInvalid(tool, `\`deriveApprovalKey\` took longer than ${DERIVING_MAX} ms before`)
  const began = performance.now()
  let key: unknown
  try {
    key = deriveApprovalKey(args as never)
  } catch (error) {
    throw keyInvalid(tool, `\`deriveApprovalKey\` throws: ${thrownText(error)}`, error)
  }
  if (performance.now() - began > DERIVING_MAX) {
    slow.add(tool)
    throw keyInvalid(tool, `\`deriveApprovalKey\` took longer than ${DERIVING_MAX} ms`)
  }
  if (typeof key === 'string') return key
  // A rejection must not end the process.
  if (key instanceof Promise) key.catch(() => {})
  throw keyInvalid(tool, '`deriveApprovalKey` did not return a string')
}

function keyInvalid({ name }: ToolDef, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('APPROVAL_KEY_INVALID', `The call of "${name}" has no approval key: ${why}.`, {
    hint: 'Correct the tool: without a key, no approval can cover the call.',
    tool: name,
    cause,
  })
}
