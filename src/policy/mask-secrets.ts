import { isJsonObject, type JsonValue } from '../base/json.js'

const MASK = '[secret]'

/** Names of secrets, ignoring case, `-` and `_`. */
const SECRET_NAMES =
  /pass(?:word|wd|phrase|code)|^pwd$|secret|credential|authorization|cookie|(?:api|access|private|signing|encryption)key|^auth$|bearer/
/** `maxTokens` is a number. */
const SECRET_TEXT_NAMES = /token|^jwt$|^pin$/

/** Arguments as shown to a person: values with the name of a secret are masked, at any depth. */
export function maskSecrets(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(maskSecrets)
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name, item) ? MASK : maskSecrets(item)]),
  )
}

function isSecret(name: string, value: JsonValue): boolean {
  if (value === null || value === '' || typeof value === 'boolean') return false
  const plain = name.toLowerCase().replaceAll(/[-_\s]/g, '')
  return SECRET_NAMES.test(plain) || (typeof value !== 'number' && SECRET_TEXT_NAMES.test(plain))
}
