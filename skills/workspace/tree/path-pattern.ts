import { AgentAppsError } from 'agent-apps'
import { compileGlob, GlobProblem } from '../../../src/patterns/glob.js'
import { matchGlob } from '../../../src/patterns/match-glob.js'

/** A pattern over the paths of a tree. */
export interface PathPattern {
  matches: (path: string) => boolean
  /** False for a folder that nothing it matches can lie in. */
  mayEnter: (path: string, depth: number) => boolean
}

/**
 * Reads a pattern of a call. It is matched in linear time, whatever it is.
 *
 * @param anywhere whether one without `/` is about names, in whatever folder
 * @throws PATTERN_REFUSED
 */
export function pathPattern(written: string, anywhere = false): PathPattern {
  const pattern = written.replace(/^(?:\.\/+)+/, '').replace(/\[!/g, '[^')
  const segments = pattern.split('/')
  if (pattern.startsWith('/') || segments.includes('..'))
    throw patternRefused(written, 'it leads out of the folder', 'Give the folder as `path`.')
  const own = anywhere && segments.length === 1 ? `**/${pattern}` : pattern
  const program = (() => {
    try {
      return compileGlob(own)
    } catch (error) {
      if (!(error instanceof GlobProblem)) throw error
      throw patternRefused(written, error.message, 'Use `*`, `**`, `?`, `[a-z]` and `{a,b}`.')
    }
  })()
  const fixed = fixedSegments(own)
  const depths =
    own.includes('**') || /\{[^}]*\//.test(own) ? Number.POSITIVE_INFINITY : own.split('/').length
  return {
    matches: path => matchGlob(program, path),
    mayEnter: (path, depth) => {
      if (depth + 1 >= depths) return false
      if (depth >= fixed.length) return true
      return path === fixed.slice(0, depth + 1).join('/')
    },
  }
}

/** The names of folders that all matches of a pattern lie in. */
function fixedSegments(pattern: string): string[] {
  const segments = pattern.split('/').slice(0, -1)
  const end = segments.findIndex(segment => /[*?[\]{}!\\()]/.test(segment))
  return end === -1 ? segments : segments.slice(0, end)
}

export function patternRefused(pattern: string, why: string, hint: string): AgentAppsError {
  return new AgentAppsError(
    'PATTERN_REFUSED',
    `The pattern ${JSON.stringify(pattern)} cannot be used: ${why}.`,
    { hint },
  )
}
