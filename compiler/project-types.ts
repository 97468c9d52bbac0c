import { relative, resolve } from 'node:path'
import { AgentAppsError } from '../src/base/error.js'
import { projectTools } from './4-bundle/collect/project-tools.js'
import { declareProjectTools, shownTools, TYPES_MARK } from './4-bundle/types/declare-tools.js'
import { areTypesWritten, writeTypes } from './4-bundle/types/write-types.js'
import { checkOutside, checkReplaceable } from './4-bundle/write/check-place.js'
import type { Project } from './project/project.js'
import type { Job } from './project/stage.js'

/**
 * The file for declarations, absolute.
 *
 * @throws OPTIONS_INVALID, BUNDLE_PLACE
 */
export function typesPlace({ cwd, directories }: Project, types: string): string {
  if (!types.endsWith('.d.ts')) {
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `Declarations cannot be written to ${JSON.stringify(types)}.`,
      {
        hint: 'Give `types` a name that ends in `.d.ts`.',
      },
    )
  }
  const file = resolve(cwd, types)
  checkOutside(file, directories, 'declarations')
  checkReplaceable(file, TYPES_MARK, 'declarations')
  return file
}

/**
 * Writes the types of a project's tools, which are made of its indexes.
 *
 * @param file absolute
 * @param outdated files of the indexes that are out of date: then the types are too
 * @param withLibrary whether they have the library's tools
 * @returns the file, as a shown path, where it is out of date and `check` is set
 * @throws BUNDLE_NOT_WRITABLE
 */
export async function emitTypes(
  project: Project,
  file: string,
  outdated: readonly string[],
  { check, written }: Job,
  withLibrary = false,
): Promise<string[]> {
  const shown = relative(project.cwd, file).replaceAll('\\', '/')
  if (check && outdated.length > 0) return [shown]
  const { tools, bareNames } = await projectTools(project)
  const text = declareProjectTools({ tools: shownTools(tools, withLibrary), bareNames }, file)
  if (check) return areTypesWritten(file, text) ? [] : [shown]
  if (await writeTypes(file, text)) written.add(shown)
  return []
}
