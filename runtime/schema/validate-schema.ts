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

/** A value, and the schema that it is held against. */
export interface Comparison {
  /** The tool's name. */
  tool: string
  /** The side of the call: the tool's arguments or its result. */
  part: 'params' | 'returns'
  schema: JsonObject
  value: unknown
}

export interface Verdict {
  /** A copy of the value, in arguments with defaults. */
  value: unknown
  /** The error to throw. */
  fault?: { code: ErrorCode; message: string; hint: string; modelHint?: string; issues?: Issue[] }
}

/** A schema that was made ready. */
interface ReadySchema {
  schema: JsonObject
  checked: CheckedSchema
  validate: Validate | null
  hasDefaults: boolean
}

/** A schema made ready, or the problem why it cannot be used. */
type Made = ReadySchema | { problem: string }

/** The tools' own schemas, made ready. */
const ready = new WeakMap<JsonObject, Promise<Made>>()

/** Schemas that were not compiled, by their text: equal objects share one. */
const byContent = new Map<string, Promise<Made>>()

/** How many of these are kept. The one that was asked for least recently goes first. */
const KEPT_MAX = 100

/**
 * Compares a value with a schema: by compiled code, by Ajv if it is installed and the host makes code, or by
 * interpreting the schema. All give the same verdict.
 *
 * @param compiled imports the code of a tool's own schema; null for a schema that was found for this call
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
  // Of a structured result, the schema is about the output.
  const isStructured = part === 'returns' && isToolResult(given)
  const { value, issues } = compare(made, isStructured ? given.output : given, part)
  // The model gets a failure as it is: `returns` describes success.
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
      // What could not be made ready is by whoever asks next.
      ready.delete(schema)
      throw error
    })
  ready.set(schema, making)
  return making
}

function schemaOfContent(schema: JsonObject): Promise<Made> {
  const text = attempt(() => JSON.stringify(schema, onlyJson))
  // It holds itself, or what JSON has not, which is its problem.
  if (text === undefined) return makeReady(schema, null)
  // Of a copy: the object is somebody else's, who may change it.
  const making = byContent.get(text) ?? makeReady(JSON.parse(text), null)
  byContent.delete(text)
  byContent.set(text, making)
  for (const oldest of byContent.keys()) {
    if (byContent.size <= KEPT_MAX) break
    byContent.delete(oldest)
  }
  return making
}

/** Throws for what JSON leaves out without a word. */
function onlyJson(_: string, value: unknown): unknown {
  if (typeof value === 'function' || typeof value === 'symbol') throw new TypeError('no JSON')
  return value
}

/** @param compiled what it was compiled to, as far as it was */
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
    // Nothing passes that was refused.
    if (issues.length === 0 && decision === false) issues.push(issueOf([], 'what its schema says', value))
    return { value, issues }
  } catch (error) {
    // The stack ends where a schema applies many others to each level of a deep value.
    if (!(error instanceof CloneRefused || error instanceof RangeError)) throw error
    const expected = error instanceof CloneRefused ? error.message : 'of fewer levels'
    // The value may throw when it is read.
    const issue = attempt(
      () => issueOf([], expected, given),
      () => issueOf([], expected, {}),
    )
    return { value: given, issues: [issue] }
  }
}

/** The validator of a compiled module; null where there is no module, or one of another version. */
async function fromModule(compiled: () => Promise<unknown>): Promise<Validate | null> {
  try {
    const factory = await compiled()
    return typeof factory === 'function' ? fromFactory(factory as ValidatorFactory) : null
  } catch (error) {
    if (isAgentAppsError(error)) throw error
    return null
  }
}

/** Null if the value keeps the code from deciding: too long for a pattern, or with its own `toString`. */
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

/** Null without Ajv, on a host that makes no code of strings, and for a schema that Ajv cannot compile. */
async function ajvValidate(schema: JsonObject, { dialect }: CheckedSchema): Promise<Validate | null> {
  const loading = loaded.get(dialect) ?? loadAjv(dialect)
  loaded.set(dialect, loading)
  try {
    const Class = await loading
    if (Class === null) return null
    const work = new PatternWork()
    // Each has one of its own, which goes with it: an Ajv keeps something of every schema that it was ever
    // given.
    return renewing(work, configured(Class, work).compile(withoutNames(schema)))
  } catch {
    return null
  }
}

async function loadAjv(dialect: Dialect): Promise<AjvClass | null> {
  try {
    // Throws where the host makes no code of strings.
    new Function('')
    // By a name that bundlers do not follow: an application must not carry what it may never need.
    const module: AjvModule = await import(/* @vite-ignore */ [AJV_MODULES[dialect]].join())
    return 'default' in module.default ? module.default.default : module.default
  } catch {
    return null
  }
}
