import {
  type Dirent,
  lstatSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { orNull } from '../../../src/base/attempt.js'
import { byCodePoint } from '../../../src/base/code-point-order.js'
import { isRefusal } from '../../../src/base/refusal.js'
import { FILE_START, type Finding, finding } from '../../diagnostics/diagnostics.js'
import { type FileStat, pickStat, systemReason } from '../../files/regular-file.js'

/**
 * The entries of a directory, in code-point order of their names.
 *
 * @throws the system's error where it cannot be read
 */
export function listDirectory(directory: string): Dirent[] {
  const items = readdirSync(directory, { withFileTypes: true })
  // Systems with UTF-8 names mostly list them in this order already.
  const isOrdered = items.every(({ name }, index) => byCodePoint(items[index - 1]?.name ?? '', name) <= 0)
  return isOrdered ? items : items.sort((a, b) => byCodePoint(a.name, b.name))
}

/** The entries of a directory that is only looked into; none where it cannot be read. */
export function peekDirectory(directory: string): Dirent[] {
  return orNull(() => listDirectory(directory)) ?? []
}

/** The real path of a directory; the path itself where the system denies access to it. */
export function realPath(directory: string): string {
  try {
    return realpathSync.native(directory)
  } catch (error) {
    if (isRefusal(error)) return directory
    throw error
  }
}

/** True for a directory and for a link to one; false also without permission to look. */
export function isDirectory(path: string): boolean {
  return resolveLink(path)?.stat.isDirectory() === true
}

/** True for a directory, false for a link to one. */
export function isOwnDirectory(path: string): boolean {
  return orNull(() => lstatSync(path).isDirectory()) === true
}

/** The stat of a regular file, or why the file cannot be read. */
export function statFile(file: string): FileStat | Finding {
  try {
    const stat = statSync(file)
    return stat.isFile() ? pickStat(stat) : notRegular()
  } catch (error) {
    return finding('file-unreadable', FILE_START, systemReason(error))
  }
}

/** The stat of a link, which may lead only to a file in the given real folder. */
export function statLink(link: string, realFolder: string): FileStat | Finding {
  const target = resolveLink(link)
  if (target === null) return finding('link-broken', FILE_START)
  if (!isWithin(target.real, realFolder)) return finding('link-escapes', FILE_START)
  return statFile(link)
}

/** The finding for a skill's name that is not a file. */
export function notRegular(): Finding {
  return finding('file-unreadable', FILE_START, 'not a regular file')
}

/** The real path and stat of a link's target; null where the link dangles or leads round in a circle. */
export function resolveLink(link: string): { real: string; stat: Stats } | null {
  return orNull(() => {
    const real = realpathSync.native(link)
    return { real, stat: statSync(real) }
  })
}

/** The last part of a broken link's target. */
export function targetName(link: string): string {
  return basename(orNull(() => readlinkSync(link)) ?? link)
}

/** True for a real path that is a folder or lies in it. */
export function isWithin(real: string, folder: string): boolean {
  return real === folder || real.startsWith(folder.endsWith('/') ? folder : join(folder, '/'))
}

/** A path in the walked directory; `directory` is empty for that directory itself. */
export function below(directory: string, name: string): string {
  return directory === '' ? name : `${directory}/${name}`
}
