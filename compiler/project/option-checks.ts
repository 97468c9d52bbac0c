import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject, isStringArray } from '../../src/base/json.js'
import { nearest } from '../../src/base/nearest.js'
import { type CloserChecks, checkOptions, type OptionTable } from '../../src/base/options.js'
import { PATTERNS } from '../../src/policy/policy-options.js'
import { namespaceProblem } from '../../src/skill/namespaces.js'
import { ruleSettingsProblem } from '../diagnostics/rule-settings.js'
import type { ReportOptions } from './project.js'

/** The options that all functions over a project share. */
const PROJECT_OPTIONS: OptionTable = {
  paths: 'paths',
  cwd: 'string',
  config: 'string',
  external: 'strings',
  hostTools: PATTERNS,
}

/**
 * Checks the options of a function of the compiler.
 *
 * @param own the function's own options, besides a project's
 * @throws OPTIONS_INVALID
 */
export function checkProjectOptions(of: string, options: ReportOptions, own: OptionTable): void {
  checkOptions(of, options, { ...PROJECT_OPTIONS, ...own }, CLOSELY)
  const { external = [], rules = {} } = options
  refuse(
    'external',
    packagesProblem(external),
    'Use its name in package.json; `external` has one for each package.',
  )
  refuse('rules', ruleSettingsProblem(rules), 'See docs/rules.md for the rules.')

  function refuse(option: string, problem: string | null, hint: string): void {
    if (problem === null) return
    const end = problem.endsWith('?') ? '' : '.'
    throw new AgentAppsError('OPTIONS_INVALID', `The option \`${option}\` of \`${of}\` ${problem}${end}`, {
      hint,
    })
  }
}

/**
 * Names the first invalid path entry of an array and its unknown key, as the end of a sentence; empty unless
 * the value is an array.
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

const ENTRY_KEYS = ['dir', 'external', 'layer', 'ignore', 'namespace', 'discover', 'trust']

/** Unknown keys are refused, because a misspelt `external` would let the compiler write into another project's directory. */
function isPathEntry(entry: unknown): boolean {
  if (!isJsonObject(entry)) return typeof entry === 'string' && entry !== ''
  const {
    dir,
    external = false,
    layer = 'project',
    ignore,
    namespace = 'folder',
    discover = false,
    trust = 'ask',
    ...others
  } = entry
  if (Object.keys(others).length > 0) return false
  if (ignore !== undefined) return isStringArray([ignore].flat())
  return (
    typeof dir === 'string' &&
    dir !== '' &&
    typeof external === 'boolean' &&
    typeof discover === 'boolean' &&
    typeof namespace === 'string' &&
    namespaceProblem(namespace) === null &&
    trust === 'ask' &&
    (layer === 'project' || layer === 'global' || layer === 'bundled')
  )
}

export const CLOSELY: CloserChecks = { suggest: nearest, isPathEntry }

/** A package's name, scope and all; not a path, and nothing inside the package. */
const PACKAGE = /^(?:@[\w.~-]+\/)?[\w~-][\w.~-]*$/

/** The fault in names of packages, as the end of a sentence; null if they are valid. */
export function packagesProblem(names: readonly string[]): string | null {
  const wrong = names.find(name => !PACKAGE.test(name))
  return wrong === undefined
    ? null
    : `must be an array of package names, and ${JSON.stringify(wrong)} is none`
}
