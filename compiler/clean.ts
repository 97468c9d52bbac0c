import { readdirSync, rmdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AgentAppsError } from '../src/base/error.js'
import type { OptionTable } from '../src/base/options.js'
import { INDEX_DIRECTORY, INDEX_FILE } from '../src/index/index-format.js'
import { madeFiles } from './3-emit/write-index.js'
import { madeProject } from './3-emit/write-project.js'
import { abandonedDirectoryLock } from './index/index-directory.js'
import { readProject } from './pipeline/read-project.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type ProjectDirectory, type ProjectOptions, shownPath } from './project/project.js'

/** The options of `clean`. */
export interface CleanOptions extends ProjectOptions {
  /** Remove nothing; `removed` then lists the files that would be removed. */
  dryRun?: boolean | undefined
}

const OPTIONS: OptionTable<Exclude<keyof CleanOptions, keyof ProjectOptions>> = {
  dryRun: 'boolean',
}

/** The result of `clean`. */
export interface CleanResult {
  /** The files removed, as shown paths. */
  removed: string[]
}

/**
 * Removes the files that `compile` made in the project's directories and beside its configuration, and no
 * others.
 *
 * @throws OPTIONS_INVALID, DIRECTORY_NOT_FOUND, NO_SKILL_PATHS, CONFIG_*, INDEX_NOT_WRITABLE
 */
export async function clean(options: CleanOptions = {}): Promise<CleanResult> {
  checkProjectOptions('clean', options, OPTIONS)
  const { directories, projectFile } = await readProject(options, false)
  const removed: string[] = []
  const cleanOne = (
    directory: Pick<ProjectDirectory, 'dir' | 'shown'>,
    made: (dir: string) => string[],
  ): void => {
    const files = filesToRemove(directory.dir, made)
    for (const file of files) removed.push(shownPath(directory, file))
    if (options.dryRun) return
    for (const file of files) remove(directory.dir, file, path => rmSync(path, { force: true }))
    remove(directory.dir, INDEX_DIRECTORY, removeIfEmpty)
  }
  for (const directory of directories)
    cleanOne(directory, dir => [...madeFiles(dir), ...abandonedDirectoryLock(dir)])
  if (projectFile !== null) cleanOne(projectFile, madeProject)
  return { removed }
}

function filesToRemove(directory: string, made: (dir: string) => string[]): string[] {
  try {
    return made(directory)
  } catch (error) {
    throw notRemovable(join(directory, INDEX_FILE), error)
  }
}

function remove(directory: string, file: string, removeFrom: (path: string) => void): void {
  const path = join(directory, file)
  try {
    removeFrom(path)
  } catch (error) {
    throw notRemovable(path, error)
  }
}

function notRemovable(path: string, error: unknown): AgentAppsError {
  return new AgentAppsError('INDEX_NOT_WRITABLE', `${path} cannot be removed: ${(error as Error).message}`, {
    hint: 'Make the directory writable, or mark it `external` in the paths. What is left goes with the next `clean`.',
    file: path,
    cause: error,
  })
}

function removeIfEmpty(folder: string): void {
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory()
  if (exists && readdirSync(folder).length === 0) rmdirSync(folder)
}
