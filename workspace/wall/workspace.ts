import { existsSync } from 'node:fs'
import { realpath, rm, stat } from 'node:fs/promises'
import { isAbsolute, resolve } from 'node:path'
import {
  AgentAppsError,
  ctxCwd,
  ctxRuntime,
  type Globals,
  type PreviewContext,
  type WorkspaceOptions,
} from 'agent-apps'
import { checkOptions, type OptionTable } from '../../src/base/options.js'
import type { Inside } from './place.js'
import { processWide } from './process-wide.js'
import { type ProtectedFiles, protectedFiles } from './protected-files.js'

/** The wall around the files that tools may access, as real paths. */
export interface Workspace extends Inside {
  /** The runtime's working directory, which may be the host's project; real. */
  project: string
  protected: ProtectedFiles
  /** The state of each session. */
  sessions: Map<string, Session>
}

/** A file that a session has read or written. */
export interface KnownFile {
  size: number
  /** Its modification time, in milliseconds. */
  time: number
  /** SHA-256. */
  digest: string
}

export interface Session {
  /** The known files, by real path. */
  read: Map<string, KnownFile>
  /** The folder for long outputs, once there is one: real, and read-only for tools. */
  output?: Promise<string>
}

const opened = processWide('opened', () => new WeakMap<Globals, Promise<Workspace>>())

/**
 * Returns the workspace that the host opened for the runtime of a call.
 *
 * @throws WORKSPACE_MISSING
 */
export function workspaceOf(ctx: PreviewContext): Promise<Workspace> {
  const context = ctxRuntime(ctx)
  const { globals } = context
  const all = opened()
  const known = all.get(globals)
  if (known) return known
  const opening = open(globals, ctxCwd(context))
  all.set(globals, opening)
  // A missing folder may exist at the next call.
  opening.catch(() => all.delete(globals))
  return opening
}

/** The state of a call's session. Calls without a session share one. */
export function sessionOf(
  { sessions }: Workspace,
  { sessionId = '' }: Pick<PreviewContext, 'sessionId'>,
): Session {
  const session = sessions.get(sessionId) ?? { read: new Map() }
  sessions.delete(sessionId)
  sessions.set(sessionId, session)
  for (const oldest of sessions.keys()) {
    if (sessions.size <= SESSIONS) break
    // Its outputs are removed with the process.
    sessions.delete(oldest)
  }
  return session
}

/** The most sessions; the least recently used one is dropped first. */
const SESSIONS = 1000

const OPTIONS: OptionTable<keyof WorkspaceOptions> = {
  root: 'string',
  cwd: 'string',
  also: 'strings',
  read: 'strings',
  write: 'strings',
  skills: 'boolean',
}

async function open(globals: Globals, runtimeCwd: string): Promise<Workspace> {
  const { workspace } = globals.config
  if (!workspace) {
    throw new AgentAppsError('WORKSPACE_MISSING', 'The host opened no workspace.', {
      hint: "Create the runtime with `workspace`: createRuntime({ workspace: './repo' }).",
    })
  }
  const options: WorkspaceOptions = typeof workspace === 'string' ? { root: workspace } : workspace
  checkOptions('workspace', options, OPTIONS)
  const cwd = resolve(runtimeCwd, options.cwd ?? '.')
  const root = await realFolder(options.root, cwd)
  const also = await Promise.all((options.also ?? []).map(folder => realFolder(folder, cwd)))
  const sessions = new Map<string, Session>()
  // Agents of an untrusted project have a view of the runtime, which ends with it.
  const { own = globals } = globals
  own.sessionEnds ??= []
  own.sessionEnds.push(id => endSessions(sessions, id === undefined ? [...sessions.keys()] : [id]))
  return {
    root,
    folders: [...new Set([root, ...also])],
    project: existsSync(cwd) ? await realpath(cwd) : cwd,
    protected: await protectedFiles(options, root, globals, cwd),
    sessions,
  }
}

/** Drops sessions and removes their outputs. */
async function endSessions(sessions: Map<string, Session>, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    const output = sessions.get(id)?.output
    sessions.delete(id)
    if (output !== undefined) await rm(await output, { recursive: true, force: true })
  }
}

async function realFolder(folder: string | undefined, cwd: string): Promise<string> {
  if (!folder) {
    throw new AgentAppsError('OPTIONS_INVALID', 'The option `workspace` contains an empty path.', {
      hint: "Write `workspace: './repo'`, or `workspace: { root: './repo' }`.",
    })
  }
  const absolute = isAbsolute(folder) ? folder : resolve(cwd, folder)
  try {
    const real = await realpath(absolute)
    if ((await stat(real)).isDirectory()) return real
    throw new Error('It is not a folder.')
  } catch (cause) {
    throw new AgentAppsError('WORKSPACE_MISSING', `The folder ${absolute} of the workspace cannot be used.`, {
      hint: 'Create it, or name another one in `workspace`.',
      file: absolute,
      cause,
    })
  }
}

/** The folders outside the workspace that a session may read: that of its outputs. */
export async function outputFolders({ output }: Session): Promise<string[]> {
  return output === undefined ? [] : [await output]
}
