import { AgentAppsError, type AgentSkill, type Context, isAgentAppsError } from 'agent-apps'
import type { AgentRun, AgentStep } from 'agent-apps/ai-sdk'

/** The key by which calls below an agent's call find its run. */
const RUN: unique symbol = Symbol.for('agent-apps.agent-run')

type WithRun = { [RUN]?: Run }

/** A skill or file that an agent's model opened. */
interface Opened {
  call: string
  skill: string
  path: string | undefined
}

/** The functions by which a model manages its own run, for the tool `context-manager`. */
export type ManagedRun = Pick<Run, 'skill' | 'finish' | 'fail' | 'check' | 'replace'>

/**
 * One run of an agent, with its limits. The tokens of the agents that it starts count as its own, so that starting others
 * bypasses no limit.
 */
export class Run implements AgentRun {
  readonly id: string
  readonly maxSteps: number
  ending: AgentRun['ending'] = null
  #steps = 0
  #tokens = 0
  readonly #above: Run | undefined
  readonly #end = new AbortController()
  readonly #timer: ReturnType<typeof setTimeout>
  readonly #opened: Opened[] = []
  readonly #instead = new Map<string, string>()
  readonly #calls: AbortSignal

  /**
   * @param ctx the call that the agent works for
   * @param name its name in messages
   */
  constructor(
    readonly ctx: Context,
    readonly name: string,
    readonly skill: AgentSkill,
  ) {
    this.id = ctx.run.id
    this.maxSteps = skill.maxSteps
    this.#above = (ctx.nonlocals as WithRun)[RUN]
    Object.defineProperty(ctx.nonlocals, RUN, { value: this, configurable: true })
    const late = (): void =>
      this.#end.abort(this.#limit('timeoutMs', `took longer than ${skill.timeoutMs} ms`))
    this.#timer = setTimeout(late, skill.timeoutMs)
    this.#calls = ctx.run.signal
    this.#calls.addEventListener('abort', this.#abort)
    if (this.#calls.aborted) this.#abort()
  }

  get step(): number {
    return this.#steps
  }

  get signal(): AbortSignal {
    return this.#end.signal
  }

  get tokensLeft(): number {
    return Math.min(this.skill.maxTokens - this.#tokens, this.#above?.tokensLeft ?? Number.POSITIVE_INFINITY)
  }

  readonly finish = (result: unknown): void => {
    this.ending ??= { result }
  }

  readonly fail = (reason: string): void => {
    this.ending ??= {
      error: new AgentAppsError('AGENT_FAILED', `The agent of "${this.name}" gave up: ${reason}`, {
        hint: 'Provide what it lacks, and run it again.',
        tool: this.ctx.run.tool.name,
      }),
    }
  }

  /**
   * Checks its result against the schema.
   *
   * @param hint the model's hint for a result that does not fit
   * @throws RESULT_INVALID
   */
  readonly check = (result: unknown, hint: string): Promise<void> =>
    this.skill.check(result).catch(error => {
      throw forModel(error, hint)
    })

  readonly noteOpened = (callId: string, skill: string, path?: string): void => {
    this.#opened.push({ call: callKey(this.step, callId), skill, path })
  }

  /**
   * Replaces an opened skill with all of its files, or one of the files, by a text. Returns the number of replaced texts, and
   * the skills that are still open.
   */
  readonly replace = (text: string, skill: string, path?: string): { replaced: number; open: string[] } => {
    const isMeant = (one: Opened): boolean => one.skill === skill && (path === undefined || one.path === path)
    const meant = this.#opened.filter(one => isMeant(one) && !this.#instead.has(one.call))
    for (const [at, { call }] of meant.entries())
      this.#instead.set(call, at === 0 ? text : '(The same as for the first text of this skill.)')
    const open = this.#opened.filter(({ call }) => !this.#instead.has(call))
    return { replaced: meant.length, open: [...new Set(open.map(one => one.skill))] }
  }

  readonly shownInstead = (step: number, callId: string): string | undefined =>
    this.#instead.get(callKey(step, callId))

  readonly endStep = ({ text, calls, tokens }: AgentStep): void => {
    this.#steps++
    this.#spend(tokens)
    this.ctx.run.update({
      title: calls.length === 0 ? `Step ${this.#steps}` : `Step ${this.#steps}: ${calls.join(', ')}`,
      progress: this.#steps,
      total: this.maxSteps,
      metadata: { step: this.#steps, text, calls, tokens: this.#tokens },
    })
  }

  readonly throwIfOver = (): void => {
    this.signal.throwIfAborted()
    for (let run: Run | undefined = this; run; run = run.#above) run.#throwIfOutOfTokens()
  }

  readonly unfinished = (why: 'steps' | 'cut' | 'refused'): AgentAppsError => {
    const { returns } = this.skill
    if (why === 'cut') return this.#limit('maxTokens', 'reached the token limit in the middle of its answer')
    if (why === 'steps' && !returns)
      return this.#limit('maxSteps', `was not done after ${this.maxSteps} steps`)
    const what =
      why === 'steps' ? `no result that fits \`returns\` within ${this.maxSteps} steps` : 'no answer'
    return new AgentAppsError('AGENT_NO_RESULT', `The agent of "${this.name}" gave ${what}.`, {
      hint: 'Describe the result in the skill, raise `maxSteps` of `agent`, or use a model that calls tools better.',
      tool: this.ctx.run.tool.name,
    })
  }

  /** Aborts whatever is still running. */
  close(): void {
    clearTimeout(this.#timer)
    this.#calls.removeEventListener('abort', this.#abort)
    this.#end.abort(aborted(this.name, 'its agent has ended'))
  }

  readonly #abort = (): void => {
    const { reason } = this.#calls
    this.#end.abort(isAgentAppsError(reason) ? reason : aborted(this.name, 'its signal was aborted', reason))
  }

  #spend(tokens: number): void {
    for (let run: Run | undefined = this; run; run = run.#above) run.#tokens += tokens
  }

  #throwIfOutOfTokens(): void {
    const { maxTokens } = this.skill
    if (this.#tokens >= maxTokens)
      throw this.#limit('maxTokens', `used ${this.#tokens} of ${maxTokens} tokens`)
  }

  #limit(setting: string, what: string): AgentAppsError {
    return new AgentAppsError('AGENT_LIMIT', `The agent of "${this.name}" ${what}.`, {
      hint: `Raise \`${setting}\` under \`agent\` of the skill that it follows, or give it less to do.`,
      modelHint: 'Give it less to do.',
      tool: this.ctx.run.tool.name,
    })
  }
}

/** A fault of the result with a hint for the model instead of the skill's author. */
function forModel(error: unknown, hint: string): unknown {
  if (!isAgentAppsError(error) || error.code !== 'RESULT_INVALID') return error
  const { message, issues = [] } = error
  return new AgentAppsError('RESULT_INVALID', message, { hint, modelHint: hint, issues, cause: error })
}

/** A unique key, since some models number the calls of each answer from zero. */
function callKey(step: number, callId: string): string {
  return `${step}:${callId}`
}

/** The run of the agent that makes a call directly; null for any other call. */
export function runOfCaller(ctx: Context): ManagedRun | null {
  const run = (ctx.nonlocals as WithRun)[RUN]
  return run && run.ctx === ctx.envelope.caller && ctx.envelope.as === 'agent' ? run : null
}

function aborted(name: string, why: string, cause?: unknown): AgentAppsError {
  return new AgentAppsError('RUN_ABORTED', `The run of "${name}" was aborted: ${why}.`, {
    hint: 'The caller no longer wants its result.',
    tool: name,
    cause,
  })
}
