import { checkProjectOptions } from './option-checks.js'
import { type ProjectOptions, readProject, shownPath } from './project.js'
import { verifyDirectory } from './verify-directory.js'

/** Which project `verify` looks at. */
export interface VerifyOptions extends ProjectOptions {}

/** A file that is not what an index says. */
export interface Deviation {
  /** As shown: relative to `cwd`, `/`-separated. */
  file: string
  /** What is wrong with it. */
  reason: string
  /** What to do about it. */
  note: string
}

/** How the files of a project's indexes stand. */
export interface VerifyResult {
  /** The files that were looked at, and those of them that were not there. */
  counts: { directories: number; files: number; absent: number }
  /** In order of directory and file; none where all is as it was compiled. */
  deviations: Deviation[]
  /** Sources that were not there to be checked, as shown paths: what is compiled does without them. */
  absent: string[]
}

/** Holds everything that a project's indexes name against them, without compiling: shards, modules, sources, resources. */
export async function verify(options: VerifyOptions = {}): Promise<VerifyResult> {
  checkProjectOptions('verify', options, {})
  const { directories } = await readProject(options)
  const deviations: Deviation[] = []
  const absent: string[] = []
  let files = 0
  for (const directory of directories) {
    const found = verifyDirectory(directory.dir)
    files += found.files
    absent.push(...found.absent.map(path => shownPath(directory, path)))
    deviations.push(
      ...found.deviations.map(({ file, reason }) => ({
        file: shownPath(directory, file),
        reason,
        note: 'Restore it, or run `agent-apps compile --force` if the change is meant.',
      })),
    )
  }
  return {
    counts: { directories: directories.length, files, absent: absent.length },
    deviations,
    absent,
  }
}
