import { visibleText } from '../../src/policy/shown-text.js'
import type { Globals } from '../state/context.js'
import { isAsked } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import { sourceOf } from '../state/tool-source.js'
import { projectRoot } from './project-digest.js'
import { type ProjectQuestion, type ProjectTrust, trustOf } from './project-trust.js'

/** The runtime as agents have it. */
export interface AgentView {
  /** The runtime, or as long as its project is not trusted, the runtime without the project's code. */
  globals: Globals
  /** The tools of these that agents may know of. */
  shown: (tools: readonly ToolDef[]) => Promise<readonly ToolDef[]>
  /** The reason why others are not shown, with advice; absent where all are. */
  hint?: string
}

/** The runtime as agents see it. Nobody is asked for that, and nothing of an untrusted project is run. */
export async function agentView(globals: Globals): Promise<AgentView> {
  const trust = await trustOf(globals)
  if (!trust) return whole(globals)
  return (await trust.isTrusted()) ? whole(trusted(globals)) : viewOf(trust)
}

/** The runtime that a view is of; one that is not a view itself. */
function trusted(globals: Globals): Globals {
  return globals.isUntrusted ? (globals.own ?? globals) : globals
}

/** A runtime with all that it has. */
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

/** The tool of a name as the view of an untrusted project has it; undefined where there is none. */
export type FindTool = (globals: Globals) => Promise<ToolDef | undefined>

/**
 * The runtime that an agent's call is made in. A person is asked first where the call is for code of a project
 * that is not trusted. A hint where that is denied, so that the tool is not there.
 */
export async function callView(
  globals: Globals,
  find: FindTool,
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

/** True where a call would first have a person asked about its project. */
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

/** True where the host has neither said whether the project is trusted, nor how a person is asked. */
function isUnforeseen({ own: { config } }: ProjectTrust): boolean {
  return config.policy?.trust?.project === undefined && config.interact === undefined
}

/** So many tools are named at most. */
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

/** The runtime as a tool's own needs reach it: those of others reach no code of an untrusted project. */
export async function reachOf(tool: ToolDef, own: Globals): Promise<Globals> {
  const source = sourceOf(tool)
  if (source && isAsked(source.state, own.config)) return own
  return (await agentView(own)).globals
}
