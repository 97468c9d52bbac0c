import { rmSync } from 'node:fs'
import { mkdtemp, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolContext } from 'agent-apps'
import type { Session } from '../../../workspace/wall/workspace.js'

/** The setting `maxOutput` in the `config` of a tool. */
export const MAX_OUTPUT = {
  ...{ type: 'integer', minimum: 1000, default: 50_000 },
  description: 'Characters that a model is shown.',
} as const

/** The most characters of a tool's output that a model is shown. */
export function outputMax({ config }: Pick<ToolContext, 'config'>): number {
  return typeof config.maxOutput === 'number' ? config.maxOutput : MAX_OUTPUT.default
}

/** An output for a model. */
interface BoundedOutput {
  output: string
  truncated: boolean
  /** The file with the whole output; null if nothing is left out. */
  file: string | null
}

/**
 * Cuts a long output at the end of a line, and stores the whole output in the session's folder.
 *
 * @param name the tool
 * @param most the most characters to show
 */
export async function boundedOutput(
  text: string,
  name: string,
  session: Session,
  most: number,
): Promise<BoundedOutput> {
  if (text.length <= most) return { output: text, truncated: false, file: null }
  const file = await keptOutput(text, name, session)
  const end = text.lastIndexOf('\n', most)
  const shown = text.slice(0, end > 0 ? end : most)
  return {
    output: `${shown}\n[Cut. The whole output is in ${file}: read it, or search it with grep.]`,
    truncated: true,
    file,
  }
}

/** Stores an output in the session's folder. Returns its path. */
export async function keptOutput(text: string | Uint8Array, name: string, session: Session): Promise<string> {
  session.output ??= makeFolder()
  const file = join(await session.output, `${name}-${crypto.randomUUID()}.txt`)
  await writeFile(file, text, { mode: 0o600, flag: 'wx' })
  return file
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
