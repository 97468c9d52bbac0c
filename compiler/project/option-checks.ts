import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, isTexts } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { checkOptions, type OptionTable, PACKAGES, PATHS } from '../../src/base/options.js'
import type { ProjectOptions } from './project.js'

/** What the options must be that `compile`, `check` and `clean` share. */
const PROJECT_OPTIONS: OptionTable = {
  paths: PATHS,
  cwd: 'a string',
  config: 'a string',
  external: PACKAGES,
}

/**
 * Looks at what a caller of the compiler gives.
 *
 * @throws OPTIONS_INVALID
 */
export function checkProjectOptions(
  of: string,
  options: ProjectOptions & { keep?: unknown },
  own: OptionTable,
): void {
  // Null is reported below.
  const { paths, external, keep } = options ?? {}
  // Null is what no option may be.
  const strict = {
    ...(paths !== undefined && !isPathList(paths) && { paths: null }),
    ...(external !== undefined && !isTexts(external) && { external: null }),
    ...(keep !== undefined && !isTexts(keep) && { keep: null }),
  }
  checkOptions(of, options && { ...options, ...strict }, { ...PROJECT_OPTIONS, ...own }, nearest)
  const wrong = external?.find(name => !PACKAGE.test(name))
  if (wrong === undefined) return
  throw new AgentAppsError(
    'OPTIONS_INVALID',
    `The option \`external\` of \`${of}\` must be ${PACKAGES}, and ${JSON.stringify(wrong)} is none.`,
    { hint: 'Give its name as it stands in package.json; `external` has one for each package.' },
  )
}

export function isPathList(value: unknown): boolean {
  return Array.isArray(value) && value.every(isPathEntry)
}

/**
 * Which entry of a list of paths is none, and its key that is not known, as the end of a sentence; empty
 * where it is no list.
 */
export function wrongPathEntry(value: unknown): string {
  if (!Array.isArray(value)) return ''
  const entry: unknown = value.find(one => !isPathEntry(one))
  const key = isJsonObject(entry) ? Object.keys(entry).find(one => !ENTRY_KEYS.includes(one)) : undefined
  const near = key === undefined ? null : nearest(key, ENTRY_KEYS)
  return [
    `, and ${JSON.stringify(entry)} is none`,
    ...(key === undefined ? [] : [`: it has a key \`${key}\``]),
    ...(near === null ? [] : [`; did you mean \`${near}\`?`]),
  ].join('')
}

const ENTRY_KEYS = ['dir', 'external', 'layer', 'ignore']

/** A misspelt `external` would have somebody else's directory written to, so nothing unknown is let pass. */
function isPathEntry(entry: unknown): boolean {
  if (!isJsonObject(entry)) return typeof entry === 'string' && entry !== ''
  const { dir, external = false, layer = 'project', ignore, ...others } = entry
  if (Object.keys(others).length > 0) return false
  if (ignore !== undefined) return isTexts([ignore].flat())
  return (
    typeof dir === 'string' &&
    dir !== '' &&
    typeof external === 'boolean' &&
    (layer === 'project' || layer === 'global' || layer === 'bundled')
  )
}

/** A package's name, scope and all; not a path, and nothing inside the package. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/

export function isPackageList(value: unknown): boolean {
  return isTexts(value) && value.every(name => PACKAGE.test(name))
}
