import { lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { AgentAppsError } from '../../src/base/error.js'
import { INDEX_DIRECTORY } from '../../src/index/index-format.js'
import { decodeProject, PROJECT_FILE } from '../../src/index/project-file.js'
import { isFile } from '../files/regular-file.js'
import { nameToBe } from '../files/temporary-files.js'
import { holds, prepareIndexDirectory, writeAtomic } from '../index/index-directory.js'
import { textOf } from '../index/index-files.js'
import type { ProjectText } from '../project/project.js'

/** True where the project's file, and no link, is on disk as it should be. */
export function isProjectWritten({ dir, text }: ProjectText): boolean {
  return holds(dir, PROJECT_FILE, Buffer.from(text))
}

/**
 * Writes a project's file in one step.
 *
 * @throws INDEX_NOT_WRITABLE
 */
export async function writeProject({ dir, text }: ProjectText): Promise<void> {
  prepareIndexDirectory(dir)
  try {
    await writeAtomic(dir, PROJECT_FILE, text)
  } catch (error) {
    const file = join(dir, PROJECT_FILE)
    throw new AgentAppsError('INDEX_NOT_WRITABLE', `${file} cannot be written: ${(error as Error).message}`, {
      hint: 'Make the folder of the configuration writable.',
      file,
      cause: error,
    })
  }
}

/** The project files that compiles left in a folder, whole or half written, relative to it. */
export function madeProject(folder: string): string[] {
  const made = join(folder, INDEX_DIRECTORY)
  if (lstatSync(made, { throwIfNoEntry: false })?.isDirectory() !== true) return []
  const isOurs = (name: string): boolean =>
    nameToBe(name) === basename(PROJECT_FILE) ||
    (name === basename(PROJECT_FILE) && decodeProject(textOf(join(made, name)) ?? '') !== null)
  return readdirSync(made)
    .filter(name => isOurs(name) && isFile(join(made, name)))
    .map(name => `${INDEX_DIRECTORY}/${name}`)
    .sort()
}
