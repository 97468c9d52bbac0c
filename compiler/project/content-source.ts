import { realpathSync, statSync } from 'node:fs'
import { join, posix, resolve, sep } from 'node:path'
import { nearest } from '../../src/base/nearest.js'
import { INCLUDED_BYTES_MAX, includeFailed, includeRefused } from '../../src/content/content-faults.js'
import type { ContentWork, ReadText } from '../../src/content/content-work.js'
import type { DirectiveSource, DirectiveTool } from '../../src/content/directive.js'
import { isBelow } from '../../src/index/unit-around.js'
import { withLabels } from '../../src/skill/near-tool.js'
import { containsPrivateKey, looksSecret } from '../../src/skill/secrets.js'
import { readRealFile } from '../files/regular-file.js'

/**
 * The other files that a directive read, so that a later compile can check whether its result is still valid.
 */
export interface Dependencies {
  /** Files of the directory, relative to it. */
  files: Set<string>
  /**
   * True where it read something that the compiler cannot check later: such a directive runs when it is
   * rendered.
   */
  isOpen: boolean
}

/** The project's tools, as a directive finds them that runs at build time. */
export interface ContentTools {
  find: (ref: string, file: string, dependencies: Dependencies) => Promise<DirectiveTool | null>
  names: () => Promise<Iterable<string>>
}

/**
 * The source that a directive of a file (relative to the directory) reads from while the compiler runs it.
 *
 * @param bound the folder of its unit, relative to the directory; it reads no file outside it
 */
export function contentSource(
  dir: string,
  file: string,
  bound: string,
  tools: ContentTools,
  dependencies: Dependencies,
  work: ContentWork,
): DirectiveSource {
  return {
    file,
    async readText(path) {
      const included = pathOf(file, path, bound)
      const read = await work.readOnce(included, async () => readIncluded(dir, included, bound, path))
      dependencies.files.add(read.file)
      return read
    },
    findTool: ref => tools.find(ref, file, dependencies),
    nearestName: async ref => nearest(ref, withLabels(await tools.names())),
  }
}

/** The path of a file that a directive names, relative to the path entry. */
function pathOf(from: string, path: string, bound: string): string {
  const file = posix.join(posix.dirname(from), path.replaceAll('\\', '/'))
  if (path.startsWith('/') || file.startsWith('../') || file === '..' || !isBelow(file, bound))
    throw includeFailed(path, 'it lies outside of the skills’ directory')
  return file
}

/** The text of a file that a directive names. Links may not lead outside a folder of the path entry. */
function readIncluded(dir: string, file: string, bound: string, path: string): ReadText {
  const absolute = join(dir, file)
  const stat = statSync(absolute, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw includeFailed(path, 'there is no such file')
  const real = realpathSync.native(absolute)
  if (!real.startsWith(resolve(realpathSync.native(join(dir, bound))) + sep))
    throw includeFailed(path, 'it lies outside of the skills’ directory')
  if (looksSecret(real)) throw includeFailed(path, 'it looks like a secret')
  if (stat.size > INCLUDED_BYTES_MAX)
    throw includeFailed(path, `it has more than ${INCLUDED_BYTES_MAX} bytes`)
  const bytes = readBytes(real, path)
  if (containsPrivateKey(bytes)) throw includeFailed(path, 'it looks like a secret')
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), file }
  } catch (error) {
    throw includeFailed(path, 'it is not UTF-8 text', error)
  }
}

function readBytes(real: string, path: string): Uint8Array {
  try {
    return readRealFile(real)
  } catch (error) {
    throw includeRefused(path, error)
  }
}
