import { AgentAppsError } from './error.js'
import { isJsonObject, isStringArray } from './json.js'

/** The kind of an option: a type, a kind, or some strings. */
export type OptionKind =
  | 'boolean'
  | 'string'
  | 'number'
  | 'function'
  | keyof typeof KINDS
  | readonly string[]
  | Kind

/** The kinds of a function's options, by name. Checks and messages follow from it. */
export type OptionTable<Name extends string = string> = Readonly<Record<Name, OptionKind>>

/** How messages name a kind, and whether a value is of it. */
export type Kind = readonly [text: string, has: (value: unknown, checks: CloserChecks) => boolean]

const KINDS = {
  object: ['an object', isJsonObject],
  objects: ['an array of objects', value => Array.isArray(value) && value.every(isJsonObject)],
  named: ['a string or an object', value => typeof value === 'string' || isJsonObject(value)],
  strings: ['an array of strings', isStringArray],
  paths: [
    'an array of path entries',
    (value, { isPathEntry }) => Array.isArray(value) && value.every(isPathEntry),
  ],
} satisfies Record<string, Kind>

/** The closer checks that the main entry makes. */
export interface CloserChecks {
  /** Finds the known name nearest to an unknown one. */
  suggest: (name: string, names: string[]) => string | null
  isPathEntry: (entry: unknown) => boolean
}

/** Good enough where few bytes count. */
const BRIEF: CloserChecks = {
  suggest: (name, names) => names.find(known => known.startsWith(name.slice(0, 3))) ?? null,
  isPathEntry: entry =>
    isJsonObject(entry)
      ? typeof entry.dir === 'string' || 'ignore' in entry
      : entry !== '' && typeof entry === 'string',
}

/** Throws OPTIONS_INVALID for an option of the function `of` that is unknown or of the wrong kind. */
export function checkOptions(of: string, options: object, table: OptionTable, checks = BRIEF): void {
  const names = Object.keys(table)
  const refuse = (what: string, near: string | null = null): never => {
    const hint = near ? `Did you mean \`${near}\`?` : `Its options are ${names.join(', ')}.`
    throw new AgentAppsError('OPTIONS_INVALID', `The option${what}.`, { hint })
  }
  if (!isJsonObject(options)) return refuse(`s of \`${of}\` must be an object`)
  for (const [name, value] of Object.entries(options)) {
    const expected = names.includes(name) ? table[name] : undefined
    if (!expected) return refuse(` \`${name}\` of \`${of}\` is not known`, checks.suggest(name, names))
    const problem = kindProblem(value, expected, checks)
    if (problem && value !== undefined) return refuse(` \`${name}\` of \`${of}\` ${problem}`)
  }
}

/** Returns why a value is not of a kind, as the end of a sentence; null if it is. */
export function kindProblem(value: unknown, kind: OptionKind, checks = BRIEF): string | null {
  const [text, has] = kindOf(kind)
  return has(value, checks) ? null : `must be ${text}`
}

function kindOf(kind: OptionKind): Kind {
  if (isKind(kind)) return kind
  if (typeof kind !== 'string')
    return [kind.map(one => `"${one}"`).join(' or '), value => kind.includes(value as string)]
  const known: Readonly<Record<string, Kind>> = KINDS
  return known[kind] ?? [`a ${kind}`, value => typeof value === kind]
}

function isKind(kind: OptionKind): kind is Kind {
  return typeof kind[1] === 'function'
}
