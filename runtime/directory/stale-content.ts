import { AgentAppsError } from '../../src/base/error.js'
import { isBroken } from '../../src/index/index-format.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolSource } from '../state/tool-source.js'
import { decode, readBytes } from './read-content.js'
import { readAlone } from './read-files.js'

/**
 * Reads the current content of a tool whose file, at `path`, changed after it was compiled.
 */
export async function readStale(
  { state, record }: ToolSource,
  path: string,
  globals: Globals,
): Promise<string> {
  addDiagnostic(globals, {
    file: path,
    line: 1,
    column: 1,
    rule: 'index-stale',
    severity: 'warning',
    reason: 'The file changed after it was compiled',
    note: 'Run `agent-apps compile`. Until then the file itself is read.',
  })
  const now = await readAlone(state, record.file, globals)
  const anew = now?.tool(record.frontmatter.name)
  const again = anew && !isBroken(anew) && (await readBytes(path, anew))
  if (again) return decode(again)
  throw new AgentAppsError(
    'INDEX_STALE',
    `The content of "${record.frontmatter.name}" is no longer where the index says.`,
    {
      hint: `Run \`agent-apps compile\`; ${path} changed after it was compiled.`,
      tool: record.frontmatter.name,
      file: path,
    },
  )
}
