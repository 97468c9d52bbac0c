import { isJsonObject } from '../base/json.js'
import { SPARSE_MIN } from '../values/look-into.js'

/** True for the entries of an object that reads as the encoding of another value, unless it is escaped. */
export function isEncoding(entries: readonly (readonly [string, unknown])[]): boolean {
  let inner = entries
  for (let depth = 0; depth < ESCAPES_MAX; depth++) {
    const [[key, content] = ['', undefined], second] = inner
    if (second)
      return inner.length === 2 && key === '$id' && second[0] === '$value' && isShared(content, second[1])
    if (key !== '$object') return SHAPES.get(key)?.(content) === true
    if (!isListOf(content, isEntry)) return false
    inner = content
  }
  return false
}

/** True for the encoding of undefined. */
export function isUndefined(value: unknown): boolean {
  return isJsonObject(value) && value.$undefined === true && Object.keys(value).length === 1
}

/** How often an object that resembles an escaped one can be escaped. */
const ESCAPES_MAX = 2000

type Shape = (content: unknown) => boolean

const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ['$undefined', content => content === true],
  ['$number', content => NUMBERS.some(known => known === content)],
  ['$bigint', content => typeof content === 'string' && /^(?:0|-?[1-9]\d*)$/.test(content)],
  ['$symbol', isText],
  ['$date', content => content === null || (isText(content) && isDate(content))],
  ['$regexp', isPattern],
  ['$map', isMap],
  ['$set', content => Array.isArray(content) && areDistinct(content)],
  ['$error', content => isJsonObject(content) && isError(content)],
  ['$bytes', isBytes],
  ['$url', content => isText(content) && isUrl(content)],
  ['$fn', isText],
  ['$sparse', isSparse],
  ['$ref', isId],
])

const NUMBERS = ['NaN', 'Infinity', '-Infinity', '-0']

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isId(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) > 0
}

function isShared(id: unknown, value: unknown): boolean {
  return isId(id) && typeof value === 'object' && value !== null
}

function isListOf<Item>(value: unknown, is: (item: unknown) => item is Item): value is Item[] {
  return Array.isArray(value) && value.every(is)
}

function isPair(value: unknown): value is [unknown, unknown] {
  return Array.isArray(value) && value.length === 2
}

function isEntry(value: unknown): value is [string, unknown] {
  return isPair(value) && isText(value[0])
}

function isDate(text: string): boolean {
  const date = new Date(text)
  return !Number.isNaN(date.getTime()) && date.toISOString() === text
}

function isUrl(text: string): boolean {
  return URL.canParse(text) && new URL(text).href === text
}

function isPattern(content: unknown): boolean {
  if (!isPair(content) || !content.every(isText)) return false
  const [source, flags] = content as [string, string]
  try {
    const pattern = new RegExp(source, flags)
    return pattern.source === source && pattern.flags === flags
  } catch {
    return false
  }
}

/** Returns the items of an array without a final mark that the rest was left out. */
function withoutMark(list: unknown[]): unknown[] {
  const last = list.at(-1)
  const isMark = isJsonObject(last) && last.$truncated === 'bytes' && Object.keys(last).length === 1
  return isMark ? list.slice(0, -1) : list
}

function isMap(content: unknown): boolean {
  if (!Array.isArray(content)) return false
  const entries = withoutMark(content)
  return isListOf(entries, isPair) && areDistinct(entries.map(([key]) => key))
}

/** True if all items differ, as in a set. */
function areDistinct(items: unknown[]): boolean {
  return new Set(items.map(identity)).size === items.length
}

function identity(item: unknown): unknown {
  if (typeof item !== 'object' || item === null) return JSON.stringify(item)
  const [key = '', more] = Object.keys(item)
  return more === undefined && COMPARED.has(key) ? JSON.stringify(item) : item
}

/** The encodings whose values are equal if their text is equal. */
const COMPARED = new Set(['$undefined', '$number', '$bigint', '$symbol', '$ref'])

/** Its name, message and stack come first, unless they were cut; JavaScript puts numeric keys before them. */
function isError(content: object): boolean {
  const keys = Object.keys(content).filter(key => !/^\d+$/.test(key))
  const at = ['name', 'message', 'stack'].findIndex((key, index) => keys[index] !== key)
  return at === -1 || (keys.length === at + 1 && (content as { $truncated?: unknown }).$truncated === 'bytes')
}

type BytesClass = { BYTES_PER_ELEMENT?: number; new (buffer: ArrayBuffer): ArrayBufferView }

/** The classes that show the bytes of an ArrayBuffer, by name. */
export const BYTES: ReadonlyMap<string, BytesClass> = new Map(
  [
    ...[BigInt64Array, BigUint64Array, DataView, Float32Array, Float64Array, Int16Array, Int32Array],
    ...[Int8Array, Uint16Array, Uint32Array, Uint8Array, Uint8ClampedArray],
  ].map((one: BytesClass & { name: string }) => [one.name, one]),
)

function isBytes(content: unknown): boolean {
  if (!isPair(content) || !content.every(isText)) return false
  const [name, base64] = content as [string, string]
  if (name !== 'ArrayBuffer' && !BYTES.has(name)) return false
  const size = BYTES.get(name)?.BYTES_PER_ELEMENT ?? 1
  if (base64.length % 4 > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(base64)) return false
  const padding = base64.length - base64.replace(/=+$/, '').length
  const end = base64.slice(-4)
  return ((base64.length / 4) * 3 - padding) % size === 0 && btoa(atob(end)) === end
}

function isSparse(content: unknown): boolean {
  if (!isPair(content) || !Array.isArray(content[1])) return false
  const [length, list] = content as [unknown, unknown[]]
  if (!Number.isInteger(length) || Number(length) < SPARSE_MIN || Number(length) >= 2 ** 32) return false
  let next = 0
  for (const item of withoutMark(list)) {
    const index = isPair(item) && Number.isInteger(item[0]) ? Number(item[0]) : -1
    if (index < next || index >= Number(length)) return false
    next = index + 1
  }
  return list.length < Number(length)
}
