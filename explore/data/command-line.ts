import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/json.js'

/** An argument of a skill. */
export interface Field {
  name: string
  /** The type in its schema; `value` where that has several types, or none. */
  type: string
  /** The values that it may have; empty where it may have any. */
  choices: string[]
  isRequired: boolean
  description: string
}

/** The arguments that a JSON Schema of an object declares. */
export function fieldsOf(params: JsonObject | null): Field[] {
  const { properties, required } = params ?? {}
  if (!isJsonObject(properties)) return []
  const needed = new Set(Array.isArray(required) ? required : [])
  return Object.entries(properties).map(([name, schema]) => {
    const { type, enum: choices, description } = isJsonObject(schema) ? schema : {}
    return {
      name,
      type: typeof type === 'string' ? type : 'value',
      choices: Array.isArray(choices) ? choices.map(asWritten) : [],
      isRequired: needed.has(name),
      description: typeof description === 'string' ? description : '',
    }
  })
}

/**
 * The command that calls a skill.
 *
 * @param values what was typed for each argument; an empty one is left out
 */
export function commandLine(
  name: string,
  fields: readonly Field[],
  values: ReadonlyMap<string, string>,
): string {
  const args = fields.flatMap(({ name: key }) => {
    const value = values.get(key) ?? ''
    return value === '' ? [] : ['--arg', `${key}=${value}`]
  })
  return ['agent-apps', 'run', name, ...args].map(quoted).join(' ')
}

function asWritten(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A word of a command line. In single quotes a shell takes all characters as they are. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
