import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, isStringArray } from '../../src/base/json.js'
import type { Ask, Question } from '../../src/own/question.js'
import { visibleText } from '../../src/policy/shown-text.js'
import { ABORTED, askHost, askInTurn } from '../approvals/ask-host.js'
import type { Context, Globals } from '../state/context.js'
import type { PromptRequest } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'

/** The asking call or hook. */
interface Asker {
  readonly globals: Globals
  readonly envelope: Partial<Pick<Context['envelope'], 'agentId' | 'sessionId' | 'userId'>>
  /** Throws once the answer is no longer needed. */
  throwIfAborted: () => void
}

/**
 * Asks a person on behalf of a tool. The host gets the tool's name and only the known fields of the question, so that
 * it cannot pass for an approval.
 *
 * @throws OPTIONS_INVALID for a malformed question; INTERACTION_UNAVAILABLE without a valid answer; RUN_ABORTED if
 *   the call is aborted
 */
export function askFor(tool: ToolDef, ctx: Asker, abort: () => AbortSignal | undefined): Ask {
  const ask = async (question: Question): Promise<string | boolean> => {
    const asked = checkQuestion(tool, question)
    const { agentId, sessionId, userId } = ctx.envelope
    const { layer } = tool.origin
    const about = { id: crypto.randomUUID(), tool: tool.name, layer, agentId, sessionId, userId }
    const { globals, envelope } = ctx
    const signal = abort()
    const outcome = await askInTurn(globals, envelope, signal, () =>
      askHost(globals.config, { ...asked, ...about }, signal),
    )
    ctx.throwIfAborted()
    if (!outcome?.answered) throw unavailable(tool, (outcome ?? ABORTED).reason)
    const { answer } = outcome
    const given = isJsonObject(answer) && 'answer' in answer ? answer.answer : answer
    if (isAnswer(asked, given)) return given
    throw unavailable(
      tool,
      given === null || given === undefined ? 'it was not answered' : NO_ANSWER[asked.kind],
    )
  }
  return ask as Ask
}

const NO_ANSWER: Record<Question['kind'], string> = {
  text: 'the answer is not a string',
  choice: 'the answer is not one of its choices',
  confirm: 'the answer is neither true nor false',
}

function isAnswer(question: Asked, given: unknown): given is string | boolean {
  if (question.kind === 'confirm') return typeof given === 'boolean'
  return typeof given === 'string' && (question.kind === 'text' || question.choices.includes(given))
}

/** A question as the host gets it, without the fields about the tool. */
type Asked = Question & Pick<PromptRequest, 'kind'>

const FIELDS: Record<Question['kind'], readonly string[]> = {
  text: ['kind', 'message', 'default'],
  choice: ['kind', 'message', 'choices', 'default'],
  confirm: ['kind', 'message', 'default'],
}

function checkQuestion(tool: ToolDef, question: Question): Asked {
  const refuse = (what: string): AgentAppsError =>
    new AgentAppsError('OPTIONS_INVALID', `The question of "${tool.name}" ${what}.`, {
      hint: "Write `ctx.ask({ kind: 'text', message })`, with `choices` for `choice`, or `kind: 'confirm'`.",
      tool: tool.name,
    })
  if (!isJsonObject(question)) throw refuse('is not an object')
  const { kind, message, default: suggested, choices } = question as Record<string, unknown>
  const fields = Object.hasOwn(FIELDS, String(kind)) ? FIELDS[kind as Question['kind']] : null
  if (fields === null) throw refuse('has a `kind` that is not `text`, `choice` or `confirm`')
  const unknown = Object.keys(question).find(field => !fields.includes(field))
  if (unknown !== undefined) throw refuse(`has the field "${unknown}", which no \`${kind}\` has`)
  if (typeof message !== 'string' || message === '') throw refuse('has no `message`')
  if (kind === 'choice' && (!isStringArray(choices) || choices.length === 0))
    throw refuse('has no array of strings `choices`')
  const asked = {
    kind,
    message: shown(message),
    ...(kind === 'choice' && { choices: [...(choices as string[])] }),
  }
  if (suggested === undefined) return asked as unknown as Asked
  if (!isAnswer(asked as unknown as Asked, suggested))
    throw refuse('has a `default` that is not an answer to it')
  return { ...asked, default: suggested } as unknown as Asked
}

/** Escapes control and direction characters, which could make the message look like another question. */
function shown(message: string): string {
  return message.split('\n').map(visibleText).join('\n')
}

function unavailable(tool: ToolDef, reason: string): AgentAppsError {
  return new AgentAppsError(
    'INTERACTION_UNAVAILABLE',
    `The question of "${tool.name}" was not answered: ${reason}.`,
    {
      hint: 'Give `createRuntime` the function `interact`, which also answers questions of tools.',
      tool: tool.name,
    },
  )
}
