import { AgentAppsError, type Issue } from '../base/error.js'
import type { JsonObject } from '../base/json.js'
import { describeValue, ISSUES_MAX, type Step, shownPath, valueAt } from './issues.js'
import { isStandardSchema, type StandardIssue, type StandardSchema } from './standard-schema.js'

type SchemaPart = 'params' | 'returns' | 'config' | 'state'

/** A schema of a tool that cannot be described as JSON Schema. */
export class UnsupportedSchema extends AgentAppsError {
  constructor(
    readonly part: SchemaPart,
    tool: string,
    problem: string,
    hint: string,
    cause?: unknown,
  ) {
    super('SCHEMA_UNSUPPORTED', `The schema "${part}" of "${tool}" cannot be used: ${problem}.`, {
      hint,
      tool,
      ...(cause !== undefined && { cause }),
    })
  }
}

/** The remedy for a schema of a library that provides no JSON Schema, by the library's name. */
const INSTEAD = new Map([
  ['zod', 'Use zod 4.2 or later, without its version 3 API.'],
  ['valibot', 'Wrap it: `toStandardJsonSchema(…)` of the package @valibot/to-json-schema.'],
])

const OTHERWISE =
  'Use a version of the library that implements Standard JSON Schema, or write the JSON Schema yourself.'

/**
 * The JSON Schema of a tool's arguments or result, which may be written with a schema library.
 *
 * @throws UnsupportedSchema
 */
export function jsonSchemaOf(
  schema: StandardSchema | JsonObject,
  part: SchemaPart,
  tool: string,
): JsonObject {
  if (!isStandardSchema(schema)) return withoutSchemasInside(schema, part, tool)
  const { jsonSchema: describe, vendor } = schema['~standard']
  if (!describe) {
    const problem = `${vendor} provides no JSON Schema of it`
    throw new UnsupportedSchema(part, tool, problem, INSTEAD.get(vendor) ?? OTHERWISE)
  }
  const side = part === 'returns' ? 'output' : 'input'
  try {
    return describe[side]({ target: 'draft-2020-12' }) as JsonObject
  } catch (error) {
    const problem = `${vendor} cannot describe it as JSON Schema: ${messageOf(error)}`
    throw new UnsupportedSchema(part, tool, problem, 'Use types that JSON has: a date is a string.', error)
  }
}

/** Refuses an object of a library's schemas, which is not a schema itself. */
function withoutSchemasInside(schema: JsonObject, part: SchemaPart, tool: string): JsonObject {
  const inside: unknown = Object.values(schema).find(isStandardSchema)
  if (!isStandardSchema(inside)) return schema
  const { vendor } = inside['~standard']
  const problem = `it is an object of ${vendor} schemas, not a schema`
  const hint = `Make it one: \`${vendor === 'zod' ? 'z.' : ''}object({ … })\`.`
  throw new UnsupportedSchema(part, tool, problem, hint)
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.replace(/\.$/, '')
}

/** Converts the issues of a schema library. They have only a message, which is `expected` too. */
export function standardIssues(issues: readonly StandardIssue[], value: unknown): Issue[] {
  return issues.slice(0, ISSUES_MAX).map(({ message, path = [] }) => {
    const steps = path.map(one => (typeof one === 'object' ? one.key : one)).map(stepOf)
    const where = shownPath(steps)
    return {
      path: where,
      expected: message,
      found: describeValue(valueAt(value, steps)),
      message: where === '' ? message : `${where}: ${message}`,
    }
  })
}

function stepOf(key: PropertyKey): Step {
  return typeof key === 'number' ? key : String(key)
}
