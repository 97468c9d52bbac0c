import type { Stats } from 'node:fs'
import { AgentAppsError, type Context, type ToolContext } from 'agent-apps'
import { RUNTIME_CONTEXT, toolContextOf } from '../src/skill/tool-context.js'
import { throwIfAborted } from './files/aborted.js'
import { bytesOf, textOf } from './files/file-bytes.js'
import { oneAtATime } from './files/one-at-a-time.js'
import { openToRead } from './files/open-to-read.js'
import { replaceFile } from './files/replace-file.js'
import { inFolderOf, notFile, statItem } from './wall/open-place.js'
import { type Place, placeOf } from './wall/place.js'
import { expectReadable, expectWritable } from './wall/protected-files.js'
import { outputFolders, sessionOf, type Workspace, workspaceOf } from './wall/workspace.js'

/** The place that a path leads to. */
export interface WorkspacePath {
  /** The shown path: relative to the root, with `/`; absolute in another folder of the workspace. */
  path: string
  /** Absolute, without links up to where it exists. */
  real: string
  /** True if there is a file or a folder. */
  exists: boolean
}

/**
 * The workspace of a call. Paths are relative to its root, and all methods refuse what the built-in tools refuse:
 * PATH_OUTSIDE, FILE_PROTECTED, FILE_NOT_FOUND, FILE_UNUSABLE.
 */
export interface ToolWorkspace {
  /** The root, without links. */
  readonly root: string
  /** All folders that paths may lead to, without links, the root first. */
  readonly folders: readonly string[]
  /**
   * Finds where a path leads. Nothing is held open: a part of the path may be replaced by a link before `real` is used,
   * which `read`, `write` and `change` notice.
   *
   * @param access whether the path will be read or written
   */
  resolve(path: string, access?: 'read' | 'write'): Promise<WorkspacePath>
  /** Reads a file of at most 64 MiB. */
  read(path: string): Promise<Uint8Array>
  /** Reads UTF-8 text, whose first character may be a byte order mark. */
  readText(path: string): Promise<string>
  /** Creates a file with missing folders, or replaces all of it. */
  write(path: string, content: string | Uint8Array): Promise<WorkspacePath>
  /**
   * Replaces the text of a file by the result of a function. Other calls that change this file wait meanwhile, so the
   * function must not make any. Throws FILE_CHANGED if the file was changed otherwise.
   *
   * @returns whether the text changed
   */
  change(path: string, change: (text: string) => string | Promise<string>): Promise<boolean>
}

/** The most bytes to read, since models choose paths. */
const READ_MAX = 64 * 1024 * 1024

/**
 * Returns the workspace that the host opened for the runtime of a call.
 *
 * @param ctx the context of `execute` or of a function
 * @throws WORKSPACE_MISSING if the host opened none; CONTEXT_MISSING
 */
export async function ctxWorkspace(ctx: ToolContext<unknown> | Context): Promise<ToolWorkspace> {
  const call = RUNTIME_CONTEXT in ctx ? (ctx as ToolContext) : toolContextOf(ctx)
  const workspace = await workspaceOf(call)
  const read = (path: string): Promise<{ place: Place; bytes: Buffer; stat: Stats }> =>
    readFile(path, workspace, call)
  return {
    root: workspace.root,
    folders: workspace.folders,
    resolve: (path, access = 'read') => resolve(path, access, workspace, call),
    read: async path => (await read(path)).bytes,
    readText: async path => {
      const { place, bytes } = await read(path)
      return expectText(bytes, place)
    },
    write: (path, content) => write(path, content, workspace, call),
    change: (path, change) => changeText(path, change, workspace, call),
  }
}

async function resolve(
  path: string,
  access: 'read' | 'write',
  workspace: Workspace,
  ctx: ToolContext,
): Promise<WorkspacePath> {
  if (access !== 'read' && access !== 'write') {
    throw new AgentAppsError('OPTIONS_INVALID', `\`resolve\` takes no access ${JSON.stringify(access)}.`, {
      hint: "Give 'read' or 'write'.",
    })
  }
  const place = await placeOf(path, workspace, access === 'read' ? await outputs(workspace, ctx) : [])
  if (access === 'read') expectReadable(workspace.protected, place)
  else expectWritable(workspace.protected, place)
  return shown(place)
}

/** The folder of the session's outputs, which may be read. */
function outputs(workspace: Workspace, ctx: ToolContext): Promise<string[]> {
  return outputFolders(sessionOf(workspace, ctx))
}

function shown({ path, real, exists }: Place): WorkspacePath {
  return { path, real, exists }
}

async function readFile(
  path: string,
  workspace: Workspace,
  ctx: ToolContext,
): Promise<{ place: Place; bytes: Buffer; stat: Stats }> {
  const place = await placeOf(path, workspace, await outputs(workspace, ctx))
  const { handle, stat } = await openToRead(place, workspace)
  try {
    if (stat.size > READ_MAX) throw notFile(place, `is too large: ${stat.size} bytes`)
    throwIfAborted(ctx)
    return { place, bytes: await bytesOf(handle, stat.size), stat }
  } finally {
    await handle.close()
  }
}

function expectText(bytes: Buffer, place: Place): string {
  const text = textOf(bytes)
  if (text === null) throw notFile(place, 'is not text')
  return text
}

function write(
  path: string,
  content: string | Uint8Array,
  workspace: Workspace,
  ctx: ToolContext,
): Promise<WorkspacePath> {
  return oneAtATime(path, workspace, ctx, async place => {
    const before = place.exists ? await inFolderOf(place, item => statItem(item, place)) : null
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    await replaceFile(place, bytes, before, () => throwIfAborted(ctx))
    return { ...shown(place), exists: true }
  })
}

function changeText(
  path: string,
  change: (text: string) => string | Promise<string>,
  workspace: Workspace,
  ctx: ToolContext,
): Promise<boolean> {
  return oneAtATime(path, workspace, ctx, async place => {
    const { bytes, stat } = await readFile(path, workspace, ctx)
    const text = expectText(bytes, place)
    const changed = await change(text)
    if (changed === text) return false
    await replaceFile(place, Buffer.from(changed), stat, () => throwIfAborted(ctx))
    return true
  })
}
