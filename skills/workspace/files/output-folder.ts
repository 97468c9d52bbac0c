import { rmSync } from 'node:fs'
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '../wall/workspace.js'

/** The most characters of a tool's output that a model is shown. */
export const OUTPUT_MAX = 50_000

/** An output as a model is shown it. */
export interface BoundedOutput {
  output: string
  truncated: boolean
  /** Where all of it is; null where nothing is left out. */
  file: string | null
}

/**
 * Cuts an output at a line's end where it is too long, and keeps the whole of it in the session's folder.
 *
 * @param name of the tool
 */
export async function boundedOutput(text: string, name: string, session: Session): Promise<BoundedOutput> {
  if (text.length <= OUTPUT_MAX) return { output: text, truncated: false, file: null }
  const file = await keptOutput(text, name, session)
  const end = text.lastIndexOf('\n', OUTPUT_MAX)
  const shown = text.slice(0, end > 0 ? end : OUTPUT_MAX)
  return {
    output: `${shown}\n[Cut. The whole output is in ${file}: read it, or search it with grep.]`,
    truncated: true,
    file,
  }
}

/** Writes a whole output into the session's folder. Returns its path. */
export async function keptOutput(text: string | Uint8Array, name: string, session: Session): Promise<string> {
  session.output ??= makeFolder()
  const file = join(await session.output, `${name}-${crypto.randomUUID()}.txt`)
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  return file
}

/** Removes the folder of a session that has ended. */
export async function removeOutput(session: Session): Promise<void> {
  const { output } = session
  delete session.output
  if (output === undefined) return
  const folder = await output
  made.delete(folder)
  await rm(folder, { recursive: true, force: true })
}

/** The folders of this process. */
const made = new Set<string>()

async function makeFolder(): Promise<string> {
  // Only this user may look into it.
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'agent-apps-output-')))
  if (made.size === 0) process.once('exit', removeAll)
  made.add(folder)
  return folder
}

function removeAll(): void {
  for (const folder of made) rmSync(folder, { recursive: true, force: true })
}
