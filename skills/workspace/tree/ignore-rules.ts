import { compileGlob, GlobProblem } from '../../../src/patterns/glob.js'
import { type GlobProgram, matchGlob } from '../../../src/patterns/match-glob.js'

/** The rules of one ignore file. */
export interface IgnoreRules {
  /** The folder that it is in, relative to where the walk's paths begin, with a `/` at its end; empty there. */
  folder: string
  rules: readonly Rule[]
}

interface Rule {
  /** True if it takes back what an earlier rule ignores. */
  isBack: boolean
  isForFolders: boolean
  fits: (name: string, path: string) => boolean
}

/** The files that rules are read from; of two in one folder, the later one decides. */
export const IGNORE_FILES = ['.gitignore', '.ignore']

/**
 * Reads an ignore file, as git does. Each line becomes a glob that is matched in linear time; one that no glob
 * can say matches nothing, as in git.
 */
export function readIgnoreRules(text: string, folder: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap(line => {
    const rule = readRule(line)
    return rule ? [rule] : []
  })
  return { folder, rules }
}

/** True for an item that the nearest rule about it ignores. */
export function isIgnored(
  all: readonly IgnoreRules[],
  path: string,
  name: string,
  isFolder: boolean,
): boolean {
  for (let at = all.length - 1; at >= 0; at--) {
    const { folder, rules } = all[at] as IgnoreRules
    const inside = folder === '' ? path : path.slice(folder.length)
    for (let number = rules.length - 1; number >= 0; number--) {
      const rule = rules[number] as Rule
      if (rule.isForFolders && !isFolder) continue
      if (rule.fits(name, inside)) return !rule.isBack
    }
  }
  return false
}

function readRule(line: string): Rule | null {
  // Spaces at the end do not count unless they are escaped.
  let text = line.replace(/(?<!\\)[ \t]+$/, '')
  if (text === '' || text.startsWith('#')) return null
  const isBack = text.startsWith('!')
  if (isBack) text = text.slice(1)
  const isForFolders = text.endsWith('/')
  text = text.replace(/\/+$/, '')
  if (text === '') return null
  const isAnchored = text.includes('/')
  const pattern = text.replace(/^\/+/, '')
  const fits = isAnchored ? pathTest(pattern) : nameTest(pattern)
  return fits && { isBack, isForFolders, fits }
}

function nameTest(pattern: string): Rule['fits'] | null {
  if (!/[*?[\\]/.test(pattern)) return name => name === pattern
  const ending = /^\*([^*?[\\]+)$/.exec(pattern)?.[1]
  if (ending !== undefined) return name => name.endsWith(ending)
  const program = programOf(pattern)
  return program && (name => matchGlob(program, name))
}

function pathTest(pattern: string): Rule['fits'] | null {
  if (!/[*?[\\]/.test(pattern)) return (_name, path) => path === pattern
  // `folder/**` is what is in it, and not the folder itself.
  const program = programOf(pattern.replace(/\/\*\*$/, '/**/*'))
  return program && ((_name, path) => matchGlob(program, path))
}

/** A line's glob in our syntax, in which more characters have a meaning; null where there is none. */
function programOf(pattern: string): GlobProgram | null {
  const ours = pattern.split('/').map(segment => (segment === '**' ? segment : inOurSyntax(segment)))
  try {
    return compileGlob(ours.join('/'))
  } catch (error) {
    if (error instanceof GlobProblem) return null
    throw error
  }
}

function inOurSyntax(segment: string): string {
  return segment.replace(/\\(.)|\[[!^]?\]?[^\]]*\]|\*\*+|[{}()!|+,]/gs, (found, escaped?: string) => {
    if (escaped !== undefined) return /\w/.test(escaped) ? escaped : `\\${escaped}`
    if (found.startsWith('[')) return found.replace(/^\[!/, '[^').replace(/^(\[\^?)\]/, '$1\\]')
    return found.startsWith('*') ? '*' : `\\${found}`
  })
}
