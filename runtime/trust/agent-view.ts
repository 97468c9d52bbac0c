import { visibleText } from '../../src/policy/shown-text.js'
import type { Globals } from '../state/context.js'
import { isAsked } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { projectRoot } from './project-digest.js'
import { type ProjectQuestion, type ProjectTrust, trustOf } from './project-trust.js'

export interface AgentView {
  /** The runtime; until its project is trusted, without the project's code. */
  globals: Globals
  /** Leaves out the tools that agents may not know of. */
  shown: (tools: readonly ToolDef[]) => Promise<readonly ToolDef[]>
  /** Why some tools are not shown, with advice. */
  hint?: string
}

/** The runtime as agents see it. No person is asked, and no code of an untrusted project runs. */
export async function agentView(globals: Globals): Promise<AgentView> {
  const trust = await trustOf(globals)
  if (!trust) return whole(globals)
  return (await trust.isTrusted()) ? whole(trusted(globals)) : viewOf(trust)
}

/** The runtime of a view, or the runtime itself. */
function trusted(globals: Globals): Globals {
  return globals.isUntrusted ? (globals.own ?? globals) : globals
}

function whole(globals: Globals): AgentView {
  return { globals, shown: async tools => tools }
}

function viewOf(trust: ProjectTrust): AgentView {
  return {
    globals: trust.view,
    shown: tools => notWithheld(tools, trust),
    hint: hintOf(whyWithheld(trust), trust),
  }
}

async function notWithheld(tools: readonly ToolDef[], trust: ProjectTrust): Promise<ToolDef[]> {
  const shown: ToolDef[] = []
  const withheld: ToolDef[] = []
  for (const tool of tools) ((await trust.isWithheld(tool)) ? withheld : shown).push(tool)
  if (withheld.length > 0) noteWithheld(withheld, whyWithheld(trust), trust)
  return shown
}

function whyWithheld({ own, canAsk }: ProjectTrust): string {
  if (canAsk) return 'it was denied'
  return own.config.policy?.trust?.project === 'deny' ? 'the host denies it' : 'no person can be asked'
}

/**
 * The runtime that an agent's call is made in. A person is asked first if the call needs code of an untrusted project;
 * if that is denied, the tool is hidden, and a hint is returned.
 */
export async function callView(
  globals: Globals,
  find: (globals: Globals) => Promise<ToolDef | undefined>,
  call: Omit<ProjectQuestion, 'tool'>,
): Promise<AgentView | string> {
  const trust = await trustOf(globals)
  if (!trust) return whole(globals)
  const tool = await find(trust.view)
  if (tool && (await trust.isCodeOfProject(tool))) {
    const why = await trust.ask({ ...call, tool })
    if (why === null) return whole(trusted(globals))
    noteWithheld([tool], why, trust)
    return hintOf(why, trust)
  }
  return (await trust.isTrusted()) ? whole(trusted(globals)) : viewOf(trust)
}

/** True if a person must be asked about the tool's project before a call. */
export async function isAskedFirst(globals: Globals, tool: ToolDef): Promise<boolean> {
  const trust = await trustOf(globals)
  return trust !== null && !(await trust.isTrusted()) && (await trust.isCodeOfProject(tool))
}

export const TRUST_ADVICE =
  "If the project is yours, write createRuntime({ policy: { trust: { project: 'allow' } } }), or name its `paths`. `interact` asks a person."

function hintOf(why: string, trust: ProjectTrust): string {
  const hint = `It runs code of the project ${visibleText(projectRoot(trust.own))}, which is not trusted: ${why}.`
  return isUnforeseen(trust) ? `${hint} ${TRUST_ADVICE}` : hint
}

/** True if the host has set neither trust for the project nor `interact`. */
function isUnforeseen({ own: { config } }: ProjectTrust): boolean {
  return config.policy?.trust?.project === undefined && config.interact === undefined
}

const NAMED_MAX = 5

function noteWithheld(tools: readonly ToolDef[], why: string, trust: ProjectTrust): void {
  const { own, withheld } = trust
  const isFirst = withheld.size === 0
  for (const { name } of tools) withheld.add(name)
  const named = [...withheld].slice(0, NAMED_MAX).join(', ')
  const more = withheld.size > NAMED_MAX ? ` and ${withheld.size - NAMED_MAX} more` : ''
  const root = projectRoot(own)
  const reason = `Agents do not get ${named}${more}, code of a project that is not trusted: ${why}`
  addDiagnostic(own, {
    ...{ file: root, line: 1, column: 1, rule: 'project-untrusted', severity: 'info' },
    reason,
    note: TRUST_ADVICE,
  })
  if (isFirst && isUnforeseen(trust))
    console.warn(visibleText(`agent-apps: ${root}: ${reason}. ${TRUST_ADVICE}`))
}

/** The runtime in which a tool's requirements are found: those of other tools reach no code of an untrusted project. */
export async function reachOf(tool: ToolDef, own: Globals): Promise<Globals> {
  const source = sourceOf(tool)
  if (source && isAsked(source.state, own.config)) return own
  return (await agentView(own)).globals
}
