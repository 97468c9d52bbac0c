import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import { INDEX_FILE } from '../src/index/index-format.js'
import { PROJECT_FILE } from '../src/index/project-file.js'
import { isProjectWritten } from './3-emit/write-project.js'
import { isThere } from './files/regular-file.js'
import { readProject } from './pipeline/read-project.js'
import { checkProjectOptions } from './project/option-checks.js'
import { type ProjectDirectory, type ProjectOptions, type ProjectText, shownPath } from './project/project.js'
import { verifyDirectory } from './verify-directory.js'

/** The options of `verify`. */
export interface VerifyOptions extends ProjectOptions {}

/** A file that differs from its record in an index. */
export interface Deviation {
  /** Relative to `cwd`, `/`-separated. */
  file: string
  /** The difference, as a sentence. */
  reason: string
  /** The remedy. */
  note: string
}

/** The result of comparing a project's files with its indexes. */
export interface VerifyResult {
  /** The compared files, and the missing ones among them. */
  counts: { directories: number; files: number; absent: number }
  /** In order of directory and file; none where all is as it was compiled. */
  deviations: Deviation[]
  /** Missing sources, as shown paths: compiled output works without them. */
  absent: string[]
}

/**
 * Compares all files that a project's indexes name (shards, modules, sources, resources) with the indexes, and
 * the project's file with its configuration, without compiling.
 */
export async function verify(options: VerifyOptions = {}): Promise<VerifyResult> {
  checkProjectOptions('verify', options, {})
  const { directories, projectFile } = await readProject(options, false).catch(refuseBundle)
  const deviations: Deviation[] = []
  const absent: string[] = []
  let files = 0
  for (const directory of directories) {
    const found = verifyDirectory(directory)
    const note = found.deviations.length > 0 ? await whatToDo(directory) : ''
    files += found.files
    for (const path of found.absent) absent.push(shownPath(directory, path))
    for (const { file, reason } of found.deviations)
      deviations.push({ file: shownPath(directory, file), reason, note })
  }
  if (projectFile !== null) {
    files++
    if (!isProjectWritten(projectFile)) deviations.push(projectDeviation(projectFile))
  }
  return {
    counts: { directories: directories.length, files, absent: absent.length },
    deviations,
    absent,
  }
}

function projectDeviation(projectFile: ProjectText): Deviation {
  const isMissing = !isThere(join(projectFile.dir, PROJECT_FILE))
  return {
    file: shownPath(projectFile, PROJECT_FILE),
    reason: isMissing ? 'is missing' : 'does not say what the configuration says',
    note: 'Restore it, or run `agent-apps compile` if the change is intended.',
  }
}

/** Rethrows an error; for the folder of a bundle, with a hint. */
async function refuseBundle(error: unknown): Promise<never> {
  if (!isAgentAppsError(error) || error.code !== 'DIRECTORY_NOT_FOUND' || !error.file) throw error
  const { isBundle } = await import('./4-bundle/write/check-place.js')
  if (!isBundle(error.file)) throw error
  throw new AgentAppsError('DIRECTORY_NOT_FOUND', error.message, {
    hint: 'It is a bundle, which no index describes. Where it was made, `agent-apps compile --check --bundle <file>` says whether it is up to date.',
    file: error.file,
  })
}

/** The hint for a directory that differs from its index. */
async function whatToDo(directory: ProjectDirectory): Promise<string> {
  const { dir } = directory
  try {
    if (lstatSync(join(dir, INDEX_FILE), { throwIfNoEntry: false }) !== undefined)
      return 'Restore it, or run `agent-apps compile --force` if the change is intended.'
  } catch {
    return 'Let this user read the directory.'
  }
  const { bundleIn } = await import('./4-bundle/write/bundle-list.js')
  const bundle = bundleIn(dir)
  return bundle === null
    ? 'Restore it, or run `agent-apps compile` if nothing was compiled here yet.'
    : `The folder has a bundle, which no index describes. Where it was made, \`agent-apps compile --check --bundle ${shownPath(directory, bundle)}\` says whether it is up to date.`
}
