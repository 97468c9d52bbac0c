import { isJsonObject, isStringArray, type JsonObject, type JsonValue } from '../base/json.js'

/** The declarations of the parts that belong to one tool alone. */
interface Declared {
  /** JSON Schema of its configuration; null where it takes none but `enabled` and `timeoutMs`. */
  config: JsonObject | null
  /** The variables of the environment that it may read. */
  env: readonly string[]
  state: StateSlot | null
}

/** A slot of state that a tool has in each session. */
export interface StateSlot {
  schema: JsonObject
  initial: JsonValue
}

/** The keys of metadata that are read here. */
const OWN_KEYS = [
  ...(['config', 'env', 'state-slot', 'requires', 'requires-tools', 'executor'] as const),
  ...(['contract-version', 'description-path', 'catalog'] as const),
]

/** Reads a tool's declarations. A malformed one counts as absent; the compiler reports it. */
export function declaredBy(metadata: JsonObject): Declared {
  const { config, env, 'state-slot': state } = metadata
  return {
    config: isJsonObject(config) ? config : null,
    env: isStringArray(env) ? env.filter(name => VARIABLE.test(name)) : [],
    state: isStateSlot(state) ? state : null,
  }
}

/** A value under one of the keys that is not of its form. */
interface DeclarationFault {
  key: string
  /** The expected value, as the end of a sentence. */
  expected: string
}

/** The faults of a tool's declarations. Null counts as absent. */
export function declarationFaults(metadata: JsonObject): DeclarationFault[] {
  return OWN_KEYS.flatMap(key => {
    const value = metadata[key]
    if (value === undefined || value === null) return []
    const [expected, has] = FORMS[key]
    return has(value) ? [] : [{ key, expected }]
  })
}

const VARIABLE = /^[A-Za-z_]\w*$/

const FORMS: Record<(typeof OWN_KEYS)[number], readonly [string, (value: JsonValue) => boolean]> = {
  config: ['a JSON Schema', isJsonObject],
  env: [
    'an array of names of environment variables',
    value => isStringArray(value) && value.every(name => VARIABLE.test(name)),
  ],
  'state-slot': ['`none`, or an object with `schema` and `initial`', v => v === 'none' || isStateSlot(v)],
  requires: ['a range of versions of agent-apps: `>=0.1.0`', value => typeof value === 'string'],
  'requires-tools': [
    'a pattern, or an array of patterns',
    value => typeof value === 'string' || isStringArray(value),
  ],
  executor: ['`local`; only a tool of a server is `remote`', value => value === 'local'],
  'contract-version': ['a string', value => typeof value === 'string'],
  'description-path': ['the path of a text file', value => typeof value === 'string' && value !== ''],
  catalog: ['`always` or `never`', value => value === 'always' || value === 'never'],
}

function isStateSlot(value: unknown): value is JsonObject & StateSlot {
  if (!isJsonObject(value)) return false
  const keys = Object.keys(value)
  return isJsonObject(value.schema) && 'initial' in value && keys.length === 2
}
