import { join } from 'node:path'
import {
  createRuntime,
  isAgentAppsError,
  type Runtime,
  type ToolResult,
  type WorkspaceOptions,
} from 'agent-apps'
import { makeTree, type Tree } from './tree.js'

export interface OpenedWorkspace {
  /** The folder around it, in which `outside/` lies beside the workspace. */
  around: string
  root: string
  runtime: Runtime
  /** Calls a tool, in a session of all these calls. */
  call: (tool: string, args?: unknown, signal?: AbortSignal) => Promise<ToolResult>
  /** The code of the error that a call throws; null where it throws none. */
  refusal: (tool: string, args?: unknown) => Promise<string | null>
}

/** Makes a workspace `ws/` of a tree, whose paths may begin with `../outside/`. */
export function openWorkspace(
  tree: Tree = {},
  options: Omit<WorkspaceOptions, 'root'> = {},
): OpenedWorkspace {
  const around = makeTree({
    'ws/.keep': '',
    ...Object.fromEntries(Object.entries(tree).map(([path, item]) => [join('ws', path), item])),
  })
  const root = join(around, 'ws')
  const runtime = createRuntime({ cwd: around, paths: ['skills'], workspace: { root, ...options } })
  const call: OpenedWorkspace['call'] = async (tool, args, signal) =>
    (await runtime.invoke(tool, args, { sessionId: 'test', signal })) as ToolResult
  return { around, root, runtime, call, refusal: (tool, args) => refusalOf(call(tool, args)) }
}

/** The code of the error that some work ends with; null where it succeeds. */
export async function refusalOf(work: Promise<unknown>): Promise<string | null> {
  try {
    await work
    return null
  } catch (error) {
    if (isAgentAppsError(error)) return error.code
    throw error
  }
}
