import { type GlobProgram, matchGlob } from './match-glob.js'

export interface PathGlob {
  glob: GlobProgram
  /** Removes empty and `.` segments, which the path's target does not have either. */
  place: GlobProgram
}

/**
 * True if a path matches both as written and by its target, however a host resolves it.
 * An absolute path matches only a glob that is absolute itself.
 */
export function isPathWithin({ glob, place }: PathGlob, path: string): boolean {
  const fits = (program: GlobProgram, text: string): boolean =>
    matchGlob(program, text, { root: ROOT.exec(text)?.[0].length ?? 0 })
  return fits(glob, path) && readings(path).every(reading => fits(place, reading))
}

/**
 * True if a path, as a host may resolve it, can lead to a match of a glob. Nothing here knows in which
 * directory a path begins: one from a root, or out of that directory, may lead back to where the glob begins,
 * or to any root.
 */
export function mayLeadTo(place: GlobProgram, path: string): boolean {
  return readings(path).some(reading => {
    if (matchGlob(place, reading, { acrossSlashes: true })) return true
    const inside = reading.replace(OUTSIDE, '')
    const isOutside = inside.length < reading.length
    return isOutside && matchGlob(place, `/${inside}`, { acrossSlashes: true, anywhere: true })
  })
}

const ROOT = /^(?:[A-Za-z]:)?\/*/
const OUTSIDE = /^(?:[A-Za-z]:)?(?:\.\.(?:\/|$))*\/?/

export function withoutIdleSegments(glob: string): string {
  const plain = glob
    .replace(/\/(?:\.?\/)+/g, '/')
    .replace(/^\.\//, '')
    .replace(/([^\\])\/\.?$/, '$1')
  return plain === '' ? '.' : plain
}

/**
 * The readings of a path in words: for hosts to which `\` is a character of a name, and for those to which it
 * is a `/`.
 */
function readings(path: string): string[] {
  return path.includes('\\') ? [resolved(path), resolved(path.replaceAll('\\', '/'))] : [resolved(path)]
}

/** A path without empty and `.` segments, and with `..` only at its beginning. */
function resolved(path: string): string {
  const [, drive = '', slashes = ''] = /^([A-Za-z]:)?(\/*)/.exec(path) ?? []
  const segments: string[] = []
  for (const segment of path.slice(drive.length + slashes.length).split('/')) {
    if (segment === '' || segment === '.') continue
    if (segment !== '..') segments.push(segment)
    else if (segments.length > 0 && segments.at(-1) !== '..') segments.pop()
    else if (slashes === '') segments.push(segment)
  }
  return `${drive}${slashes && '/'}${segments.join('/')}` || '.'
}
