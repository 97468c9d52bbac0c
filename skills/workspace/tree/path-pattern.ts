import { AgentAppsError } from 'agent-apps'
import { compileGlob, GlobProblem } from '../../../src/patterns/glob.js'
import { type GlobProgram, matchGlob } from '../../../src/patterns/match-glob.js'

/** A pattern over the paths of a tree. */
export interface PathPattern {
  matches: (path: string) => boolean
  /** False for a folder that cannot contain matches. */
  mayEnter: (path: string, depth: number) => boolean
}

/**
 * Compiles a call's pattern, which is matched in linear time.
 *
 * @param anywhere whether a pattern without `/` matches names in any folder
 * @throws PATTERN_REFUSED
 */
export function pathPattern(written: string, anywhere = false): PathPattern {
  const pattern = written.replace(/^(?:\.\/+)+/, '').replace(/\[!/g, '[^')
  const segments = pattern.split('/')
  if (pattern.startsWith('/') || segments.includes('..'))
    throw patternRefused(written, 'it leads out of the folder', 'Give the folder as `path`.')
  const own = anywhere && segments.length === 1 ? `**/${pattern}` : pattern
  const program = compiled(own, written)
  const fixed = fixedSegments(own)
  const depths =
    own.includes('**') || /\{[^}]*\//.test(own) ? Number.POSITIVE_INFINITY : own.split('/').length
  return {
    matches: pathTest(own, program),
    mayEnter: (path, depth) => {
      if (depth + 1 >= depths) return false
      if (depth >= fixed.length) return true
      return path === fixed.slice(0, depth + 1).join('/')
    },
  }
}

function compiled(pattern: string, written: string): GlobProgram {
  try {
    return compileGlob(pattern)
  } catch (error) {
    if (!(error instanceof GlobProblem)) throw error
    throw patternRefused(written, error.message, 'Use `*`, `**`, `?`, `[a-z]` and `{a,b}`.')
  }
}

/** A test for paths. Most patterns are about the ends of names below a fixed folder, and need no glob program. */
function pathTest(pattern: string, program: GlobProgram): PathPattern['matches'] {
  const [, folder = '', stars, ending] = ENDING.exec(pattern) ?? []
  if (ending === undefined) return path => matchGlob(program, path)
  const endings = endingsOf(ending)
  return path =>
    endings.some(one => path.endsWith(one)) &&
    path.startsWith(folder) &&
    (stars !== undefined || !path.includes('/', folder.length))
}

/** A fixed folder, an optional `**`, and `*` with one or several endings. */
const ENDING =
  /^((?:[\w.-]*[\w-][\w.-]*\/)*)(\*\*\/)?\*((?:\.[\w-]+)*(?:\.\{[\w.-]+(?:,[\w.-]+)+\}|\.[\w-]+))$/

function endingsOf(ending: string): string[] {
  const [, start = ending, several] = /^(.*)\{(.*)\}$/.exec(ending) ?? []
  return several === undefined ? [ending] : several.split(',').map(one => start + one)
}

/** The leading folders of a pattern without wildcards. */
function fixedSegments(pattern: string): string[] {
  const segments = pattern.split('/').slice(0, -1)
  const end = segments.findIndex(segment => /[*?[\]{}!\\()]/.test(segment))
  return end === -1 ? segments : segments.slice(0, end)
}

export function patternRefused(pattern: string, why: string, hint: string): AgentAppsError {
  const message = `The pattern ${JSON.stringify(pattern)} cannot be used: ${why}.`
  return new AgentAppsError('PATTERN_REFUSED', message, { hint })
}
