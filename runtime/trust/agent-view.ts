import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolDef } from '../state/tool-def.js'
import type { ProjectQuestion } from './ask-project.js'
import { projectRoot } from './project-root.js'
import { type ProjectTrust, trustOf } from './project-trust.js'

/** The runtime as agents have it. */
export interface AgentView {
  /** The runtime, or as long as its project is not trusted, the runtime without the project's code. */
  globals: Globals
  /** The tools of these that agents may know of. */
  shown: (tools: readonly ToolDef[]) => Promise<readonly ToolDef[]>
}

/** The runtime as agents see it. Nobody is asked for that, and nothing of an untrusted project is run. */
export async function agentView(globals: Globals): Promise<AgentView> {
  const trust = await trustOf(globals)
  if (!trust) return whole(globals)
  return (await trust.isTrusted()) ? whole(trust.own) : viewOf(trust)
}

/** A runtime with all that it has. */
function whole(globals: Globals): AgentView {
  return { globals, shown: async tools => tools }
}

function viewOf(trust: ProjectTrust): AgentView {
  return { globals: trust.view, shown: tools => notWithheld(tools, trust) }
}

async function notWithheld(tools: readonly ToolDef[], trust: ProjectTrust): Promise<ToolDef[]> {
  const shown: ToolDef[] = []
  for (const tool of tools) if (!(await trust.isWithheld(tool))) shown.push(tool)
  if (shown.length < tools.length) noteWithheld('nobody could be asked, or it was denied', trust)
  return shown
}

/** The tool of a name as the view of an untrusted project has it; undefined where there is none. */
export type FindTool = (globals: Globals) => Promise<ToolDef | undefined>

/**
 * The runtime that an agent's call is made in. A person is asked first where the call is for code of a project
 * that is not trusted. Null where that is denied, so that the tool is not there.
 */
export async function callView(
  globals: Globals,
  find: FindTool,
  call: Omit<ProjectQuestion, 'tool'>,
): Promise<AgentView | null> {
  const trust = await trustOf(globals)
  if (!trust) return whole(globals)
  const tool = await find(trust.view)
  if (tool && (await trust.isCodeOfProject(tool))) {
    const why = await trust.ask({ ...call, tool })
    if (why === null) return whole(trust.own)
    noteWithheld(why, trust)
    return null
  }
  return (await trust.isTrusted()) ? whole(trust.own) : viewOf(trust)
}

/** True where a call would first have a person asked about its project. */
export async function isAskedFirst(globals: Globals, tool: ToolDef): Promise<boolean> {
  const trust = await trustOf(globals)
  return trust !== null && !(await trust.isTrusted()) && (await trust.isCodeOfProject(tool))
}

function noteWithheld(why: string, { own }: ProjectTrust): void {
  addDiagnostic(own, {
    file: projectRoot(own),
    line: 1,
    column: 1,
    rule: 'project-untrusted',
    severity: 'info',
    reason: `Agents do not get the tools of this project that run code, as it is not trusted: ${why}`,
    note: "Give createRuntime the function `interact`, or `policy: { trust: { project: 'allow' } }` if the project is yours.",
  })
}
