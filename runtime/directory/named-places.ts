import { disk } from '#disk'
import { INDEX_FILE } from '../../src/index/index-format.js'
import { isInside } from '../../src/index/inside-path.js'
import { labelOf } from '../../src/skill/names.js'
import type { Globals } from '../state/context.js'
import type { DirectoryState, Found } from '../state/directory-state.js'
import { addDiagnostic } from '../state/globals.js'
import { loadParser, readAlone } from './read-files.js'

/** The most paths that are tried for a name that an index lacks. */
const PLACES_MAX = 1000

/** The endings of skill files, after the name. */
const SKILL_FILES = ['/SKILL.md', ...['md', 'ts', 'js', 'mts', 'mjs'].map(end => `.skill.${end}`)]

/**
 * Looks for a name that an index lacks at the paths that it suggests, beside the skills of the index:
 * `<name>/SKILL.md`, `<name>.skill.md` and so on.
 */
export async function lookWhereNamed(
  state: DirectoryState,
  name: string,
  globals: Globals,
): Promise<Found | null> {
  const { index } = state
  // The package's own skills do not change, and under `verify` only the index counts.
  if (!index || state.library || globals.config.verify) return null
  const { folders = [], units = [] } = index.header
  const label = labelOf(name)
  const around = ['', ...units.map(({ path }) => path), ...folders].slice(0, PLACES_MAX)
  // An index may name any folder.
  const inside = around.filter(folder => folder === '' || isInside(folder))
  const places = [...new Set(inside)].flatMap(folder =>
    SKILL_FILES.map(file => `${folder && `${folder}/`}${label}${file}`),
  )
  if (places.length > PLACES_MAX) noteCut(state, name, globals)
  for (const place of places.slice(0, PLACES_MAX)) {
    if (disk.stat(disk.resolve(state.dir, place)) === null || index.file(place)) continue
    const parser = await loadParser(globals)
    if (!parser || parser.isIgnored(state, place)) continue
    const names = await readAlone(state, place, globals)
    const record = names?.tool(name)
    if (names && record) return { state, names, record }
  }
  return null
}

function noteCut({ dir }: DirectoryState, name: string, globals: Globals): void {
  addDiagnostic(globals, {
    file: disk.resolve(dir, INDEX_FILE),
    rule: 'search-cut',
    severity: 'info',
    reason: `"${name}" is not in the index, and was looked for in only ${PLACES_MAX} places: the directory has more folders with skills`,
    note: 'Run `agent-apps compile` after adding skills.',
  })
}
