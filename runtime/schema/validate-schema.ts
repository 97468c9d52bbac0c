import { attempt } from '../../src/base/attempt.js'
import { type ErrorCode, type Issue, isAgentAppsError } from '../../src/base/error.js'
import type { JsonObject } from '../../src/base/json.js'
import { type CheckedSchema, checkSchema } from '../../src/schema/check-schema.js'
import {
  AJV_MODULES,
  type AJV_OPTIONS,
  configured,
  fromFactory,
  renewing,
  type Validate,
  type ValidatorFactory,
  withoutNames,
} from '../../src/schema/compile-schema.js'
import { applyDefaults, CloneRefused, cloneValue, roomForCopies } from '../../src/schema/defaults.js'
import { interpretSchema } from '../../src/schema/interpret-schema.js'
import { issueOf, shownPath } from '../../src/schema/issues.js'
import type { Dialect } from '../../src/schema/keywords.js'
import { PatternWork } from '../../src/schema/linear-pattern.js'
import { isFailure, isToolResult } from '../../src/skill/tool-result.js'

/** A value and the schema to check it against. */
export interface Comparison {
  tool: string
  part: 'params' | 'returns'
  schema: JsonObject
  value: unknown
}

export interface Verdict {
  /** A copy of the value; of arguments with defaults filled in. */
  value: unknown
  /** The error to throw. */
  fault?: { code: ErrorCode; message: string; hint: string; modelHint?: string; issues?: Issue[] }
}

interface ReadySchema {
  schema: JsonObject
  checked: CheckedSchema
  validate: Validate | null
  hasDefaults: boolean
}

/** A schema that is ready, or why it cannot be used. */
type Made = ReadySchema | { problem: string }

/** The tools' own schemas. */
const ready = new WeakMap<JsonObject, Promise<Made>>()

/** Schemas that were not compiled, by their JSON: equal ones are shared. */
const byContent = new Map<string, Promise<Made>>()

/** The least recently used schema is dropped first. */
const KEPT_MAX = 100

/**
 * Checks a value against a schema: with compiled code, with Ajv if it is installed and the host allows code from
 * strings, or by interpreting the schema. All three agree.
 *
 * @param compiled imports the code of a tool's own schema; null for a schema that was resolved for this call
 */
export async function compareWith(
  { tool, part, schema, value: given }: Comparison,
  compiled: (() => Promise<unknown>) | null,
): Promise<Verdict> {
  const made = await (compiled ? ownSchema(schema, compiled) : schemaOfContent(schema))
  if ('problem' in made) {
    const message = `The schema "${part}" of "${tool}" cannot be used: ${made.problem}`
    const hint = 'Correct the schema. Until then the tool does not run.'
    return { value: given, fault: { code: 'SCHEMA_INVALID', message, hint } }
  }
  // The schema of a structured result describes its `output`.
  const isStructured = part === 'returns' && isToolResult(given)
  const { value, issues } = compare(made, isStructured ? given.output : given, part)
  // `returns` describes success; a failure passes to the model as it is.
  if (issues.length === 0 || (part === 'returns' && isFailure(given))) return { value }
  const faults = issues.map(({ message }) => message).join('; ')
  const fault =
    part === 'params'
      ? ({
          code: 'ARGS_INVALID',
          message: `The arguments of "${tool}" are invalid: ${faults}`,
          hint: `\`agent-apps describe ${tool}\` shows its \`params\`.`,
          modelHint: 'Call it again with arguments that its schema allows.',
        } as const)
      : ({
          code: 'RESULT_INVALID',
          message: `The result of "${tool}" is invalid: ${faults}`,
          hint: 'Correct the tool, or its `returns`.',
        } as const)
  return { value, fault: { ...fault, issues } }
}

function ownSchema(schema: JsonObject, compiled: () => Promise<unknown>): Promise<Made> {
  const known = ready.get(schema)
  if (known) return known
  const making = fromModule(compiled)
    .then(validate => (validate ? makeReady(schema, validate) : schemaOfContent(schema)))
    .catch(error => {
      // The next call tries again.
      ready.delete(schema)
      throw error
    })
  ready.set(schema, making)
  return making
}

function schemaOfContent(schema: JsonObject): Promise<Made> {
  const text = attempt(() => JSON.stringify(schema, onlyJson))
  // Circular or not JSON, which `makeReady` reports.
  if (text === undefined) return makeReady(schema, null)
  // A copy, since its owner may change the object.
  const making = byContent.get(text) ?? makeReady(JSON.parse(text), null)
  byContent.delete(text)
  byContent.set(text, making)
  for (const oldest of byContent.keys()) {
    if (byContent.size <= KEPT_MAX) break
    byContent.delete(oldest)
  }
  return making
}

/** Throws for values that `JSON.stringify` leaves out silently. */
function onlyJson(_: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('no JSON')
  return value
}

async function makeReady(schema: JsonObject, compiled: Validate | null): Promise<Made> {
  const checked = checkSchema(schema)
  if ('problem' in checked) {
    const { path, reason } = checked.problem
    return { problem: path.length === 0 ? reason : `${shownPath(path)}: ${reason}` }
  }
  const validate = compiled ?? (checked.isCompilable ? await ajvValidate(schema, checked) : null)
  return { schema, checked, validate, hasDefaults: JSON.stringify(schema).includes('"default":') }
}

function compare(
  { schema, checked, validate, hasDefaults }: ReadySchema,
  given: unknown,
  part: Comparison['part'],
): { value: unknown; issues: Issue[] } {
  try {
    const room = roomForCopies()
    const value = cloneValue(given, room)
    if (part === 'params' && hasDefaults) applyDefaults(schema, checked.targets, value, room)
    const decision = validate && decide(validate, value)
    if (decision) return { value, issues: [] }
    const issues = interpretSchema(schema, checked, value)
    // The compiled code decides; the interpreter only explains.
    if (issues.length === 0 && decision === false) issues.push(issueOf([], 'what its schema says', value))
    return { value, issues }
  } catch (error) {
    // A schema that applies many others to each level of a deep value exhausts the stack.
    if (!(error instanceof CloneRefused || error instanceof RangeError)) throw error
    const expected = error instanceof CloneRefused ? error.message : 'of fewer levels'
    // Reading the value may throw.
    const issue = attempt(
      () => issueOf([], expected, given),
      () => issueOf([], expected, {}),
    )
    return { value: given, issues: [issue] }
  }
}

/** The validator of a compiled module; null if the module is missing or of another version. */
async function fromModule(compiled: () => Promise<unknown>): Promise<Validate | null> {
  try {
    const factory = await compiled()
    return typeof factory === 'function' ? fromFactory(factory as ValidatorFactory) : null
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    return null
  }
}

/** Null if the code cannot decide: the value is too long for a pattern, or has its own `toString`. */
function decide(validate: Validate, value: unknown): boolean | null {
  try {
    return validate(value)
  } catch {
    return null
  }
}

type AjvModule = { default: AjvClass | { default: AjvClass } }
type AjvClass = new (
  options: typeof AJV_OPTIONS,
) => {
  compile: (schema: JsonObject) => Validate
  addKeyword: (keyword: string) => unknown
}

const loaded = new Map<Dialect, Promise<AjvClass | null>>()

/** Null without Ajv, on a host that forbids code from strings, and for a schema that Ajv cannot compile. */
async function ajvValidate(schema: JsonObject, { dialect }: CheckedSchema): Promise<Validate | null> {
  const loading = loaded.get(dialect) ?? loadAjv(dialect)
  loaded.set(dialect, loading)
  try {
    const Class = await loading
    if (Class === null) return null
    const work = new PatternWork()
    // One instance for each schema: an Ajv keeps something of every schema that it has compiled.
    return renewing(work, configured(Class, work).compile(withoutNames(schema)))
  } catch {
    return null
  }
}

async function loadAjv(dialect: Dialect): Promise<AjvClass | null> {
  try {
    // Throws if the host forbids code from strings.
    new Function('')
    // A name that bundlers do not follow: an application must not include what it may never need.
    const module: AjvModule = await import(/* @vite-ignore */ [AJV_MODULES[dialect]].join())
    return 'default' in module.default ? module.default.default : module.default
  } catch {
    return null
  }
}
