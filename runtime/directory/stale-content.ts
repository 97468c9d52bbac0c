import { canonicalText } from '../../src/base/canonical-text.js'
import { AgentAppsError } from '../../src/base/error.js'
import { isBroken, type ToolRecord } from '../../src/index/index-format.js'
import { isGuard } from '../../src/policy/guards.js'
import type { Globals } from '../state/context.js'
import { addDiagnostic } from '../state/globals.js'
import type { ToolSource } from '../state/tool-source.js'
import { decode, readBytes } from './read-content.js'
import { readAlone } from './read-files.js'

/**
 * Reads the current content of a tool whose file, at `path`, changed after it was compiled.
 *
 * @throws INDEX_STALE if the file no longer holds the tool, or its guards changed: a call was decided by the old ones
 */
export async function readStale(
  { state, record }: ToolSource,
  path: string,
  globals: Globals,
): Promise<string> {
  addDiagnostic(globals, {
    file: path,
    rule: 'index-stale',
    severity: 'warning',
    reason: 'The file changed after it was compiled',
    note: 'Run `agent-apps compile`. Until then the file itself is read.',
  })
  const now = await readAlone(state, record.file, globals)
  const anew = now?.tool(record.frontmatter.name)
  const isKnown = anew && !isBroken(anew)
  const isGuardedAlike = isKnown && guardsIn(anew) === guardsIn(record)
  const again = isGuardedAlike && (await readBytes(path, anew))
  if (again) return decode(again)
  throw new AgentAppsError(
    'INDEX_STALE',
    isKnown && !isGuardedAlike
      ? `The guards of "${record.frontmatter.name}" changed after it was compiled.`
      : `The content of "${record.frontmatter.name}" is no longer where the index says.`,
    {
      hint: `Run \`agent-apps compile\`; ${path} changed after it was compiled.`,
      tool: record.frontmatter.name,
      file: path,
    },
  )
}

/** All that decides who may call a tool, as text. */
function guardsIn({ frontmatter }: ToolRecord): string {
  const { role, visibility, metadata } = frontmatter
  const guards = Object.entries(metadata).filter(([key]) => isGuard(key) || key === 'enabled')
  return canonicalText([role, visibility, frontmatter['allowed-tools'], Object.fromEntries(guards)])
}
