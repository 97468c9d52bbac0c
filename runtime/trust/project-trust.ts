import { disk } from '#disk'
import { isAgentAppsError, runtimeClosed } from '../../src/base/error.js'
import { PERMISSIONS } from '../../src/base/permissions.js'
import { searchDirectories } from '../../src/skill/path-entry.js'
import { ABORTED, askHost, askInTurn, type Outcome, outcomeOf } from '../approvals/ask-host.js'
import { notify } from '../approvals/notify.js'
import { chainOf } from '../cascade/chain-of.js'
import { everyTool } from '../find/all-tools.js'
import { checkLimits } from '../options/check-limits.js'
import { guardsOf } from '../policy/guards-of.js'
import type { CallIds, Globals, RuntimeConfig } from '../state/context.js'
import { isAsked } from '../state/directory-state.js'
import type { RunEvent } from '../state/events.js'
import { emptyFindings } from '../state/globals.js'
import { perRuntime } from '../state/per-runtime.js'
import type { ProjectRequest, UntrustedTool } from '../state/policy.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { askedConfiguration, digestOfTools, projectRoot } from './project-digest.js'
import { addTrusted, trustedProjects } from './trusted-projects.js'

/** Decides whether agents get the code of a runtime's project, and has their view until then. */
export class ProjectTrust {
  /** True for digests of the project that were allowed, false for denied ones. */
  readonly #answers = new Map<string, boolean>()
  /** Open questions by digest: concurrent calls wait for the same answer. */
  readonly #asking = new Map<string, Promise<Outcome>>()
  /** Names of tools that agents did not get. */
  readonly withheld = new Set<string>()

  /** @param own the runtime as it is once the project is trusted */
  constructor(readonly own: Globals) {}

  /** The runtime without the project's code. */
  get view(): Globals {
    return untrustedView(this.own)
  }

  /** True if a person can still be asked. */
  get canAsk(): boolean {
    const { policy, interact } = this.own.config
    return (policy?.trust?.project ?? 'ask') === 'ask' && interact !== undefined
  }

  /** True if the project in its current state is trusted. Asks no person. */
  async isTrusted(): Promise<boolean> {
    if (this.own.config.policy?.trust?.project === 'deny') return false
    if (![...this.#answers.values()].includes(true) && !(await isRemembered(this.own))) return false
    return this.#isAllowed(await this.#digest())
  }

  async isWithheld(tool: ToolDef): Promise<boolean> {
    if (!(await this.isCodeOfProject(tool))) return false
    return !this.canAsk || (this.#answers.size > 0 && this.#answers.get(await this.#digest(tool)) === false)
  }

  /** True for a tool of the project for which code runs. */
  async isCodeOfProject(tool: ToolDef): Promise<boolean> {
    const source = sourceOf(tool)
    if (!source || !isAsked(source.state, this.own.config)) return false
    if (source.record.permissionsUnknown) requireAll(tool)
    return isCodeTool(tool, this.view)
  }

  /**
   * Asks whether the project is trusted, unless an answer is known.
   *
   * @param call what waits for the answer
   * @returns null if it is; otherwise why not
   */
  async ask(call: ProjectQuestion): Promise<string | null> {
    const { config } = this.own
    if (config.policy?.trust?.project === 'deny') return 'the host denies it'
    const digest = await this.#digest(call.tool)
    // Checked without an await before asking, so that no answer given meanwhile is missed.
    if ((await this.#isAllowed(digest)) || this.#answers.get(digest) === true) return null
    if (this.#answers.get(digest) === false) return 'it was denied'
    if (!this.canAsk) return 'no person can be asked'
    const waiting = this.#asking.get(digest)
    const { answer, reason } = await (waiting ?? this.#asked(call, digest))
    if (answer === 'deny') return reason === '' ? 'it was denied' : `it was denied: ${reason}`
    if (!answer.startsWith('allow-')) return reason
    // `allow-once` applies to the other call, which this one waited for.
    if (waiting && answer === 'allow-once') return this.ask(call)
    // An edit while the person was asked makes it another question.
    return (await this.#digest(call.tool)) === digest ? null : this.ask(call)
  }

  async #asked(call: ProjectQuestion, digest: string): Promise<Outcome> {
    const asking = this.#question(call, digest)
    this.#asking.set(digest, asking)
    try {
      const outcome = await asking
      if (outcome.answer === 'allow-project') await remember(this.own, digest)
      if (outcome.answer === 'allow-session' || outcome.answer === 'allow-project')
        this.#answers.set(digest, true)
      if (outcome.answer === 'deny') this.#answers.set(digest, false)
      return outcome
    } finally {
      this.#asking.delete(digest)
    }
  }

  async #question(call: ProjectQuestion, digest: string): Promise<Outcome> {
    const tools = await this.#codeTools()
    const listed = call.tool && !tools.includes(call.tool) ? [...tools, call.tool] : tools
    const request = {
      kind: 'project' as const,
      id: crypto.randomUUID(),
      root: projectRoot(this.own),
      digest,
      tools: listed.map(tool => untrustedTool(tool)),
      configuration: askedConfiguration(this.own.config),
    }
    const answer = await askInTurn(this.own, call.ids, call.signal, () => shown(request, call, this.own))
    return answer ?? ABORTED
  }

  async #isAllowed(digest: string): Promise<boolean> {
    return this.#answers.get(digest) === true || (await isRemembered(this.own, digest))
  }

  /** @param tool a tool that is found by its name although it is in no list */
  async #digest(tool?: ToolDef): Promise<string> {
    return digestOfTools(await this.#projectTools(tool), this.view)
  }

  async #projectTools(also?: ToolDef): Promise<ToolDef[]> {
    const { view } = this
    const all = new Set([...(await everyTool(view)), ...(also ? [also] : [])])
    return [...all].filter(tool => {
      const state = sourceOf(tool)?.state
      return state !== undefined && isAsked(state, view.config)
    })
  }

  async #codeTools(): Promise<ToolDef[]> {
    const code: ToolDef[] = []
    for (const tool of await this.#projectTools()) if (await this.isCodeOfProject(tool)) code.push(tool)
    return code
  }
}

/** Permissions that only running the code would tell count as all. */
function requireAll(tool: ToolDef): void {
  const { frontmatter } = tool
  const permissions = { required: [...PERMISSIONS] }
  tool.frontmatter = { ...frontmatter, metadata: { ...frontmatter.metadata, permissions } }
}

const trusts = perRuntime(own => new ProjectTrust(own))

/** The trust that a runtime's project needs; null if the program chose all skills and their configuration. */
export async function trustOf(globals: Globals): Promise<ProjectTrust | null> {
  if (globals.configure) await globals.configure()
  if (globals.closed) throw runtimeClosed()
  const { own = globals } = globals
  checkLimits(own)
  return (await needsTrust(own.config)) ? trusts(own) : null
}

async function needsTrust(config: RuntimeConfig): Promise<boolean> {
  if (config.policy?.trust?.project === 'allow') return false
  await chooseOwn(config)
  const isConfigured = Object.values(askedConfiguration(config)).some(value => value !== undefined)
  return (
    config.isProjects === true ||
    isConfigured ||
    searchDirectories(config.paths).some(({ trust }) => trust === 'ask')
  )
}

/** A program that is part of the project has chosen it, unless the host sets `trust.project`. */
async function chooseOwn(config: RuntimeConfig): Promise<void> {
  const { projects, policy } = config
  if (!projects || policy?.trust?.project !== undefined) return
  config.isOwnProgram ??= (await disk.isProgramOf?.(projects.root)) ?? false
  if (config.isOwnProgram) config.isProjects = false
}

/** True for a tool for which code runs: its own, or that of middleware, a delegate or a directive. */
async function isCodeTool(tool: ToolDef, view: Globals): Promise<boolean> {
  const { kind, frontmatter } = tool
  const { delegate = null, agent = null } = frontmatter.metadata
  if (kind === 'code' || delegate !== null || agent !== null) return true
  if (sourceOf(tool)?.record.directives) return true
  try {
    const { steps, body } = await chainOf(tool, view)
    return steps.length > 0 || body !== undefined
  } catch (error) {
    // It does not run, trusted or not.
    if (isAgentAppsError(error) && (error.code === 'CASCADE_INVALID' || error.code === 'TOOL_BROKEN'))
      return false
    throw error
  }
}

/** True if an earlier process trusted the project: in this state, or without `digest` in any. */
async function isRemembered(own: Globals, digest?: string): Promise<boolean> {
  const root = projectRoot(own)
  const known = await trustedProjects([root])
  return known.some(one => one.root === root && (digest === undefined || one.digest === digest))
}

/** Stores an answer past the process, if the host's policy allows that. */
async function remember(own: Globals, digest: string): Promise<void> {
  if (own.config.policy?.approval?.remember === 'project') await addTrusted(projectRoot(own), digest)
}

/** A tool as shown to the person who decides about its project. */
function untrustedTool(tool: ToolDef): UntrustedTool {
  const { name, origin } = tool
  const { required, optional, gated = null } = guardsOf(tool)
  return {
    name,
    file: disk.resolve(origin.entry, origin.file),
    permissions: { required, optional },
    gated,
    shadows: origin.shadows,
  }
}

/** The call that waits for an answer. */
export interface ProjectQuestion {
  /** The called tool; absent if an agent of the project was chosen. */
  tool?: ToolDef
  ids: CallIds
  signal?: AbortSignal | undefined
}

/** Asks a person whether a project is trusted, and notifies listeners. */
async function shown(
  request: Omit<ProjectRequest, 'signal' | 'expires'>,
  { tool, ids, signal }: ProjectQuestion,
  globals: Globals,
): Promise<Outcome> {
  const started = performance.now()
  const about = { request, tool, ids, started }
  notifyOfTrust('trust:asked', about, globals)
  const answer = outcomeOf(await askHost(globals.config, request, signal))
  notifyOfTrust('trust:answered', { ...about, answer }, globals)
  return answer
}

interface TrustEvent {
  request: Omit<ProjectRequest, 'signal' | 'expires'>
  tool: ToolDef | undefined
  ids: CallIds
  started: number
  answer?: { answer: string; reason: string }
}

function notifyOfTrust(
  type: 'trust:asked' | 'trust:answered',
  { request, tool, ids, started, answer }: TrustEvent,
  globals: Globals,
): void {
  if (!globals.events.listeners.has(type)) return
  const { id, root, digest, tools } = request
  const event: RunEvent = {
    type,
    run: id,
    tool: tool?.name ?? '',
    layer: tool?.origin.layer ?? 'project',
    duration: performance.now() - started,
    origin: tool?.origin,
    agentId: ids.agentId,
    sessionId: ids.sessionId,
    userId: ids.userId,
    metadata: { root, digest, tools, ...answer },
  }
  notify(event, globals)
}

/**
 * The runtime without the code of an untrusted project: tools are found by what their files say, none of their code is
 * run, and the project's promotions reach its own tools alone. Everything that does not depend on that is the runtime's.
 */
function untrustedView(own: Globals): Globals {
  const { byName, ...found } = emptyFindings()
  const view: View =
    own.untrustedView ?? Object.assign(Object.create(own), { own, isUntrusted: true, byName })
  own.untrustedView = view
  const { version } = own.tools.programmaticTools
  // A registered tool came or went, and with it what was found before.
  if (view.seen !== version) Object.assign(view, found, { seen: version })
  const { project: _, ...config } = own.config
  const { env } = askedConfiguration(own.config)
  view.config = { ...config, ...(env !== undefined && config.env === env && { env: [] }) }
  return view
}

interface View extends Globals {
  /** The version of the registered tools that its findings are of. */
  seen?: number
}
