import { readdirSync, readlinkSync } from 'node:fs'
import { createRuntime, type Runtime, type RuntimeOptions, type ToolResult } from 'agent-apps'

/** A runtime whose tools work in a folder. */
export function workspaceRuntime(root: string, options: RuntimeOptions = {}): Runtime {
  return createRuntime({ paths: [], workspace: root, ...options })
}

/** The result of a tool of the library. */
export async function call(
  runtime: Runtime,
  tool: string,
  args: Record<string, unknown>,
  options: { signal?: AbortSignal; sessionId?: string } = {},
): Promise<ToolResult & { output: string }> {
  return (await runtime.invoke(tool, args, options)) as never
}

/** What a promise gives, or the code of what it throws. */
export function codeOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => 'no error',
    (error: { code?: string }) => error.code ?? error,
  )
}

/** The processes of this machine that run in a folder or below it. */
export function processesIn(root: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter(id => Number.isInteger(id) && id !== process.pid && runsIn(id, root))
}

/** A process that has ended runs nowhere, also as long as nobody has waited for it. */
function runsIn(id: number, root: string): boolean {
  try {
    return `${readlinkSync(`/proc/${id}/cwd`)}/`.startsWith(`${root}/`)
  } catch {
    return false
  }
}
