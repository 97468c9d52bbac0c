import { compileGlob, GlobProblem } from '../../../src/patterns/glob.js'
import { type GlobProgram, matchGlob } from '../../../src/patterns/match-glob.js'

export interface IgnoreRules {
  /** Its folder, relative to the root of the walk's paths, with a trailing `/`; empty for the root. */
  folder: string
  rules: readonly Rule[]
}

interface Rule {
  /** True for a `!` rule. */
  isNegated: boolean
  isForFolders: boolean
  fits: (name: string, path: string) => boolean
}

/** The names of ignore files; in a folder, the later one wins. */
export const IGNORE_FILES = ['.gitignore', '.ignore']

/**
 * Parses an ignore file as git does. Each line becomes a glob, which is matched in linear time; an invalid one matches
 * nothing.
 */
export function readIgnoreRules(text: string, folder: string): IgnoreRules {
  const rules = text.split(/\r?\n/).flatMap(line => {
    const rule = readRule(line)
    return rule ? [rule] : []
  })
  return { folder, rules }
}

/** True if the nearest rule about an item ignores it. */
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
      if (rule.fits(name, inside)) return !rule.isNegated
    }
  }
  return false
}

function readRule(line: string): Rule | null {
  // Trailing spaces are ignored unless they are escaped.
  let text = line.replace(/(?<!\\)[ \t]+$/, '')
  if (text === '' || text.startsWith('#')) return null
  const isNegated = text.startsWith('!')
  if (isNegated) text = text.slice(1)
  const isForFolders = text.endsWith('/')
  text = text.replace(/\/+$/, '')
  if (text === '') return null
  const isAnchored = text.includes('/')
  const pattern = text.replace(/^\/+/, '')
  const fits = isAnchored ? pathTest(pattern) : nameTest(pattern)
  return fits && { isNegated, isForFolders, fits }
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
  // `folder/**` matches what is in the folder, but not the folder itself.
  const program = programOf(pattern.replace(/\/\*\*$/, '/**/*'))
  return program && ((_name, path) => matchGlob(program, path))
}

/** A line's glob in our syntax, in which more characters are special; null if it is invalid. */
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
