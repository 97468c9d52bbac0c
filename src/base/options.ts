import { AgentAppsError } from './error.js'

/** What each option of a function must be, as the end of a sentence: `a string`, `a list of …`, `"this" or "that"`. */
export type OptionTable = Record<string, string>

export const PATHS = 'a list of directories, { dir, external?, layer? } and { ignore }'
export const PACKAGES = "a list of packages' names"
export const PATTERNS = 'a list of patterns'
export const VARIABLES = "a list of variables' names"
export const FRESHNESS = '"trust" or "check"'

/**
 * Looks at the options that a caller gives, so that a misspelt one is not silently left out.
 *
 * @param suggest the known name that one which is not known was meant to be
 * @throws OPTIONS_INVALID
 */
export function checkOptions(
  of: string,
  options: object,
  table: OptionTable,
  suggest: (name: string, names: string[]) => string | null = startingAlike,
): void {
  const names = Object.keys(table)
  const known = `Its options are ${names.join(', ')}.`
  if (typeOf(options) !== 'object')
    throw new AgentAppsError('OPTIONS_INVALID', `The options of \`${of}\` must be an object.`, {
      hint: known,
    })
  for (const [name, value] of Object.entries(options)) {
    const expected = names.includes(name) ? table[name] : undefined
    if (expected && (value === undefined || isExpected(value, expected))) continue
    const near = expected ? null : suggest(name, names)
    throw new AgentAppsError(
      'OPTIONS_INVALID',
      `The option \`${name}\` of \`${of}\` ${expected ? `must be ${expected}` : 'is not known'}.`,
      { hint: near ? `Did you mean \`${near}\`?` : known },
    )
  }
}

/** Good enough where few bytes count. */
function startingAlike(name: string, names: string[]): string | null {
  return names.find(known => known.startsWith(name.slice(0, 3))) ?? null
}

/** True for a value of the type that a text names, and for a text that stands in it in quotes. */
export function isExpected(value: unknown, expected: string): boolean {
  const type = typeOf(value)
  return expected.includes(type) || (type === 'string' && expected.split(' or ').includes(`"${value}"`))
}

function typeOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value
}
