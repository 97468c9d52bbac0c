import { canonicalJson } from '../base/canonical-text.js'
import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import { isPermission, PERMISSIONS, type Permission } from '../base/permissions.js'
import { parsePatterns, type ToolRule } from '../patterns/tool-pattern.js'
import { pathProblem, pathQuery } from '../values/path-expression.js'

/** The guards in a tool's own metadata: `gated`, `permissions` and `trust`. */
export interface Guards {
  /** True if its calls need approval. Undefined: they do if it is granted more than `read`. */
  gated: boolean | undefined
  required: readonly Permission[]
  optional: readonly Permission[]
  /** `trust.rules`. */
  rules: readonly ToolRule[]
  /** How the key of a call is made: by a template, or by the tool's code. Undefined: of all arguments. */
  approvalKey: KeyTemplate | 'derived' | undefined
  /** Their faults, for which the tool is not run. */
  faults: readonly GuardFault[]
}

export interface GuardFault {
  path: (string | number)[]
  message: string
  hint: string
}

/** The keys of metadata that are guards. */
const GUARDS: readonly string[] = ['approval-key', 'gated', 'permissions', 'trust']

/** True for a key whose value must be looked at before its tool may run. */
export function isGuard(key: string): boolean {
  return GUARDS.includes(key)
}

/** Reads a tool's guards. A faulty one, whose tool does not run, counts as the strictest that there is. */
export function readGuards(metadata: JsonObject): Guards {
  const { gated = null, permissions = null, trust = null, 'approval-key': key = null } = metadata
  const faults = GUARDS.flatMap(key => guardFaults(key, metadata[key] ?? null))
  const isFaulty = guardFaults('permissions', permissions).length > 0
  const declared = isJsonObject(permissions) ? permissions : {}
  const listed = (value: JsonValue | undefined): Permission[] =>
    Array.isArray(value) ? value.filter(isPermission) : []
  return {
    gated: gated === null ? undefined : gated !== false,
    required: isFaulty ? PERMISSIONS : listed(declared.required),
    optional: listed(declared.optional),
    rules: isJsonObject(trust) ? rulesOf(trust.rules) : [],
    approvalKey: key === true ? 'derived' : templateOf(key),
    faults,
  }
}

/** The guards of metadata that has none. */
export const UNGUARDED: Guards = Object.freeze(readGuards({}))

/** The faults of a guard's value. Null counts as absent. */
export function guardFaults(key: string, value: JsonValue): GuardFault[] {
  if (value === null) return []
  if (key === 'gated') return typeof value === 'boolean' ? [] : [mustBe(['gated'], 'true or false')]
  if (key === 'approval-key') return keyFaults(value)
  return key === 'permissions' ? permissionFaults(value) : trustFaults(value)
}

function permissionFaults(value: JsonValue): GuardFault[] {
  const shape = 'an object with the arrays "required" and "optional"'
  if (!isJsonObject(value)) return [mustBe(['permissions'], shape)]
  return Object.entries(value).flatMap(([key, list]) => {
    const path = ['permissions', key]
    if (key !== 'required' && key !== 'optional') return [mustBe(path, shape, key)]
    if (!Array.isArray(list)) return [mustBe(path, 'an array of permissions')]
    return [...list.entries()].flatMap(([index, item]) =>
      isPermission(item) ? [] : [unknownPermission([...path, index], item)],
    )
  })
}

function unknownPermission(path: GuardFault['path'], item: JsonValue): GuardFault {
  const near = typeof item === 'string' ? nearest(item, PERMISSIONS) : null
  return {
    path,
    message: `${JSON.stringify(item)} is not a permission`,
    hint: near ? `Did you mean "${near}"?` : `The permissions are ${PERMISSIONS.join(', ')}.`,
  }
}

function trustFaults(value: JsonValue): GuardFault[] {
  const shape = 'an object with "rules", a string or an array of strings'
  if (!isJsonObject(value)) return [mustBe(['trust'], shape)]
  const unknown = Object.keys(value).find(key => key !== 'rules')
  if (unknown !== undefined) return [mustBe(['trust', unknown], shape, unknown)]
  const { rules } = value
  if (typeof rules !== 'string' && !isStringArray(rules)) return [mustBe(['trust'], shape)]
  const faulty = rulesOf(rules).find(({ problem }) => problem)
  if (!faulty?.problem) return []
  return [
    {
      path: ['trust', 'rules'],
      message: `"trust" has the pattern ${JSON.stringify(faulty.text)}, which cannot be read: ${faulty.problem.message}`,
      hint: 'Correct the pattern: until then it is unknown what it guards.',
    },
  ]
}

function templateOf(value: JsonValue): KeyTemplate | undefined {
  const template = typeof value === 'string' ? parseKeyTemplate(value) : undefined
  return template && 'fault' in template ? undefined : template
}

/** `defineTool` writes true for a function that derives the key. */
function keyFaults(value: JsonValue): GuardFault[] {
  if (value === true) return []
  if (typeof value !== 'string') return [mustBe(['approval-key'], 'a template, such as "${args.command}"')]
  const template = parseKeyTemplate(value)
  return 'fault' in template
    ? [
        {
          path: ['approval-key'],
          message: `"approval-key" ${template.fault}`,
          hint: 'Write the arguments that a call is known by, as in "${args.command}". Until then the tool is not run.',
        },
      ]
    : []
}

function rulesOf(rules: JsonValue | undefined): ToolRule[] {
  return [rules].flat().flatMap(list => (typeof list === 'string' ? parsePatterns(list) : []))
}

function mustBe(path: GuardFault['path'], expected: string, unknown?: string): GuardFault {
  const [key = ''] = path
  const found = unknown === undefined ? '' : `, and has the unknown key ${JSON.stringify(unknown)}`
  return {
    path,
    message: `"${unknown === undefined ? path.join('.') : key}" must be ${expected}${found}`,
    hint: 'Correct it, or take it out. Until then the tool is not run.',
  }
}

/** A tool's `approval-key`: literal text, and paths into the arguments. */
type KeyTemplate = readonly (string | { path: string })[]

const EXPRESSION = /\$\{([^{}]*)\}/
const ARGUMENT = /^args(?=$|[.[])/

/** Reads a template, or returns why it is invalid. */
function parseKeyTemplate(written: string): KeyTemplate | { fault: string } {
  const parts = written
    .split(EXPRESSION)
    .map((part, index) => (index % 2 === 0 ? part : { path: part.trim() }))
    .filter(part => part !== '')
  const paths = parts.flatMap(part => (typeof part === 'string' ? [] : [part.path]))
  if (paths.length === 0) return { fault: 'names no argument, so that all calls would have one key' }
  for (const path of paths) {
    if (!ARGUMENT.test(path)) return { fault: `has \${${path}}, and may name arguments only` }
    const problem = pathProblem(path)
    if (problem) return { fault: `has \${${path}}, which is not a path: ${problem.message}` }
  }
  return parts
}

/**
 * The key of a call, as plain text or JSON: `42` and `"42"` are two keys. In a key of several parts, each value is JSON,
 * so that none can imitate the text around it.
 */
export function fillKey(template: KeyTemplate, args: JsonValue): { text: string; form: 'text' | 'json' } {
  const [only] = template
  if (template.length === 1 && typeof only === 'object') {
    const value = valueAt(only.path, args)
    return typeof value === 'string'
      ? { text: value, form: 'text' }
      : { text: canonicalJson(value), form: 'json' }
  }
  const texts = template.map(part =>
    typeof part === 'string' ? part : canonicalJson(valueAt(part.path, args)),
  )
  return { text: texts.join(''), form: 'text' }
}

/** The value at a path: null for nothing, an array for several values. */
function valueAt(path: string, args: JsonValue): JsonValue {
  const found = pathQuery({ args }, path) as JsonValue[]
  return found.length > 1 ? found : (found[0] ?? null)
}

/** The arguments that a key does not contain as a whole: calls that differ in them share a key. */
export function ignoredArguments(template: KeyTemplate, args: JsonValue): string[] {
  const paths = template.flatMap(part => (typeof part === 'string' ? [] : [part.path]))
  if (paths.includes('args') || !isJsonObject(args)) return []
  return Object.keys(args).filter(
    name => !paths.some(path => path === `args.${name}` || path === `args[${JSON.stringify(name)}]`),
  )
}
