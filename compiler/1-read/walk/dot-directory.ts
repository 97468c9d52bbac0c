import { basename, dirname, join } from 'node:path'
import { limits } from '../../files/limits.js'
import { below, isOwnDirectory, peekDirectory } from './look.js'
import { isSingleFile, isSkillMd } from './skill-names.js'

/**
 * The skill files below `skills` in a dot directory, such as `.claude/skills`. They are not loaded, but they
 * are reported, so that no author wonders why they are missing.
 *
 * @param isPassed true for a real path whose files are not to be reported
 * @param mayLook called for each file and folder; false ends the search of a folder
 */
export function skillsInDotDirectory(
  { path, absolute, real }: { path: string; absolute: string; real: string },
  isPassed: (real: string) => boolean,
  mayLook: () => boolean,
): string[] {
  const folder = join(absolute, 'skills')
  // A link could lead anywhere, even to the root of the file system.
  if (!isOwnDirectory(folder)) return []
  const files: string[] = []
  const seen = new Set<string>()
  const search = (directory: string, at: string, realDirectory: string, depth: number): void => {
    if (seen.has(realDirectory) || isPassed(realDirectory) || depth > limits.walkDepth) return
    seen.add(realDirectory)
    for (const item of peekDirectory(directory)) {
      if (!mayLook()) return
      const { name } = item
      if (item.isDirectory() && name !== 'node_modules')
        search(join(directory, name), below(at, name), join(realDirectory, name), depth + 1)
      else if (item.isFile() && (isSkillMd(name) || isSingleFile(name))) files.push(below(at, name))
    }
  }
  search(folder, below(path, 'skills'), join(real, 'skills'), 0)
  return files
}

const CURATED = new Set(['.curated', '.experimental', '.system'])

/** True for the dot directories that are searched: parts of a collection in a directory called `skills`. */
export function isCurated(absolute: string, name: string): boolean {
  return CURATED.has(name) && basename(dirname(absolute)) === 'skills'
}
