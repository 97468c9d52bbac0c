import { attempt, thrownText } from './attempt.js'
import { AgentAppsError } from './error.js'
import { isJsonObject } from './json.js'
import { indexesOf, typeTag } from './look-into.js'
import { DEPTH_MAX } from './serialize.js'

/** What reading a serialized value may do beside making plain data. */
export interface DeserializeOptions {
  /**
   * Make functions of `{ $fn: source }` again. That runs the text as code with all rights of this process: only
   * for text that you wrote yourself. Default: false, and they stay mappings.
   */
  functions?: boolean
}

/**
 * What `serialize` was given, from the structure that it made. What is no encoding stays as it is.
 *
 * @throws FUNCTION_INVALID with `functions`, where the text of one is no code that runs
 */
export function deserialize(value: unknown, { functions = false }: DeserializeOptions = {}): unknown {
  return new Reader(functions).read(value)
}

/**
 * The value of a text that `stringify` made, or of any JSON.
 *
 * @throws JSON_INVALID for what is not JSON
 */
export function parse(text: string, options: DeserializeOptions = {}): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AgentAppsError('JSON_INVALID', `The text is not JSON: ${(cause as Error).message}`, {
      hint: 'Give what stringify() or JSON.stringify() made.',
      cause,
    })
  }
  return deserialize(value, options)
}

class Reader {
  /** What was read of each structure, for those that are met again. */
  readonly #made = new Map<object, unknown>()
  readonly #byId = new Map<unknown, unknown>()
  #depth = 0
  #tooDeep = 0
  /** The error for a function that is no code: the only one that is handed on. */
  #invalid: unknown = this

  constructor(readonly functions: boolean) {}

  read(value: unknown, id?: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#made.has(value)) return this.#made.get(value)
    if (this.#depth >= READ_DEPTH_MAX) this.#tooDeep++
    // What is too deep again and again may have no end.
    if (this.#depth >= READ_DEPTH_MAX || this.#tooDeep > TOO_DEEP_MAX) return value
    this.#depth++
    try {
      return this.#readObject(value, id)
    } catch (error) {
      if (error === this.#invalid) throw error
      if (isRangeError(error)) this.#tooDeep++
      return value
    } finally {
      this.#depth--
    }
  }

  #readObject(value: object, id: unknown): unknown {
    if (Array.isArray(value)) {
      const indexes = indexesOf(value)
      return this.#fill(value, id, Array.isArray(indexes) ? sparseList(value.length) : [], list => {
        for (const index of indexes) list[index] = this.read(value[index])
      })
    }
    // What no JSON makes, bytes or a map, holds no encodings.
    if (typeTag(value) !== 'Object') return value
    const entries = Object.entries(value)
    const [[key, content] = ['', undefined], second] = entries
    if (entries.length === 2 && key === '$id' && second?.[0] === '$value')
      return this.read(second[1], content)
    const isEncoding = entries.length === 1 && key.startsWith('$')
    return isEncoding ? this.#readEncoding(key, content, value, id) : this.#readMapping(entries, value, id)
  }

  #readEncoding(key: string, content: unknown, whole: object, id: unknown): unknown {
    switch (key) {
      case '$undefined':
        return content === true ? undefined : whole
      case '$ref':
        return this.#byId.has(content) ? this.#byId.get(content) : whole
      case '$object':
        return this.#readMapping(pairs(content), whole, id)
      case '$map':
        return this.#fill(whole, id, new Map<unknown, unknown>(), map => {
          for (const [name, item] of pairs(content)) map.set(this.read(name), this.read(item))
        })
      case '$set':
        return this.#fill(whole, id, new Set<unknown>(), set => {
          for (const item of listOf(content)) set.add(this.read(item))
        })
      case '$sparse':
        return this.#readSparse(content, whole, id)
      case '$error':
        return this.#fill(whole, id, emptyError(content), error => readError(error, this.read(content)))
      case '$fn':
        return this.functions && typeof content === 'string' ? this.#readFunction(content) : whole
      default: {
        const read = readAtomic(key, content) ?? whole
        return this.#keep(whole, id, read)
      }
    }
  }

  #readSparse(content: unknown, whole: object, id: unknown): unknown {
    const [length, items] = listOf(content)
    if (!isLength(length)) return whole
    return this.#fill(whole, id, sparseList(length), list => {
      for (const [index, item] of pairs(items)) list[Number(index)] = this.read(item)
    })
  }

  #readFunction(source: string): unknown {
    try {
      return reviveFunction(source)
    } catch (error) {
      this.#invalid = error
      throw error
    }
  }

  #readMapping(entries: [unknown, unknown][], whole: object, id: unknown): unknown {
    return this.#fill(whole, id, {}, object => {
      for (const [key, item] of entries) define(object, String(key), this.read(item))
    })
  }

  /** Makes a value known before it is filled, so that it can hold itself. */
  #fill<Value extends object>(whole: object, id: unknown, empty: Value, fill: (value: Value) => void): Value {
    this.#keep(whole, id, empty)
    fill(empty)
    return empty
  }

  #keep(whole: object, id: unknown, value: unknown): unknown {
    this.#made.set(whole, value)
    if (id !== undefined) this.#byId.set(id, value)
    return value
  }
}

/** A value that is `DEPTH_MAX` deep takes up to three structures for each. */
const READ_DEPTH_MAX = 3 * DEPTH_MAX
const TOO_DEEP_MAX = 100

/** What was thrown may be a proxy that throws when it is asked. */
function isRangeError(thrown: unknown): boolean {
  return attempt(
    () => thrown instanceof RangeError,
    () => false,
  )
}

function isLength(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < 2 ** 32 && Number.isInteger(value)
}

/** A list of nothing but holes, which takes no memory for them, as `new Array(length)` does. */
function sparseList(length: number): unknown[] {
  const list: unknown[] = []
  if (length > 0) list[length - 1] = null
  delete list[length - 1]
  return list
}

/** Sets an own property, whatever it is called: `__proto__` too is only a name. */
function define(object: object, key: string, value: unknown): void {
  Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true })
}

const ERRORS: Readonly<Record<string, () => Error>> = {
  AggregateError: () => new AggregateError([]),
  EvalError: () => new EvalError(),
  RangeError: () => new RangeError(),
  ReferenceError: () => new ReferenceError(),
  SyntaxError: () => new SyntaxError(),
  TypeError: () => new TypeError(),
  URIError: () => new URIError(),
}

/** An error of the class that its encoding names, where that is one of the language's own. */
function emptyError(content: unknown): Error {
  const fields =
    isJsonObject(content) && '$object' in content ? Object.fromEntries(pairs(content.$object)) : content
  const name = isJsonObject(fields) && typeof fields.name === 'string' ? fields.name : ''
  return Object.hasOwn(ERRORS, name) ? (ERRORS[name]?.() ?? new Error()) : new Error()
}

function readError(error: Error, fields: unknown): void {
  const hidden = ['name', 'message', 'stack', 'cause', ...(error instanceof AggregateError ? ['errors'] : [])]
  delete error.stack
  for (const [key, value] of Object.entries(fields ?? {})) {
    if (key === 'name' && error.name === value) continue
    Object.defineProperty(error, key, {
      value,
      writable: true,
      enumerable: !hidden.includes(key),
      configurable: true,
    })
  }
}

/** What a mapping of one key stands for; undefined where it stands for itself. */
function readAtomic(key: string, content: unknown): unknown {
  return attempt<unknown>(
    () => (Object.hasOwn(ATOMIC, key) ? ATOMIC[key]?.(content) : undefined),
    () => undefined,
  )
}

const NUMBERS = ['NaN', 'Infinity', '-Infinity', '-0']

const BYTES: Readonly<Record<string, (buffer: ArrayBuffer) => unknown>> = {
  ArrayBuffer: buffer => buffer,
  BigInt64Array: buffer => new BigInt64Array(buffer),
  BigUint64Array: buffer => new BigUint64Array(buffer),
  DataView: buffer => new DataView(buffer),
  Float32Array: buffer => new Float32Array(buffer),
  Float64Array: buffer => new Float64Array(buffer),
  Int16Array: buffer => new Int16Array(buffer),
  Int32Array: buffer => new Int32Array(buffer),
  Int8Array: buffer => new Int8Array(buffer),
  Uint16Array: buffer => new Uint16Array(buffer),
  Uint32Array: buffer => new Uint32Array(buffer),
  Uint8Array: buffer => new Uint8Array(buffer),
  Uint8ClampedArray: buffer => new Uint8ClampedArray(buffer),
}

const ATOMIC: Readonly<Record<string, (content: unknown) => unknown>> = {
  $bigint: content => (typeof content === 'string' ? BigInt(content) : undefined),
  $bytes: content => {
    const [type, base64] = listOf(content)
    const isKnown = typeof type === 'string' && Object.hasOwn(BYTES, type) && typeof base64 === 'string'
    return isKnown ? BYTES[type]?.(fromBase64(base64)) : undefined
  },
  $date: content => {
    const date = new Date(content === null ? Number.NaN : String(content))
    return content === null || !Number.isNaN(date.getTime()) ? date : undefined
  },
  $number: content => (NUMBERS.some(known => known === content) ? Number(content) : undefined),
  $regexp: content => {
    const [source, flags] = listOf(content)
    return typeof source === 'string' && typeof flags === 'string' ? new RegExp(source, flags) : undefined
  },
  $symbol: content => (typeof content === 'string' ? Symbol.for(content) : undefined),
  $url: content => (typeof content === 'string' ? new URL(content) : undefined),
}

function fromBase64(text: string): ArrayBuffer {
  return Uint8Array.from(atob(text), character => character.charCodeAt(0)).buffer
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

function pairs(value: unknown): [unknown, unknown][] {
  return listOf(value).filter((pair): pair is [unknown, unknown] => Array.isArray(pair) && pair.length === 2)
}

function reviveFunction(source: string): unknown {
  try {
    const made = (parsed(`(${source})`) ?? parsed(methodOf(source)))?.()
    if (typeof made === 'function') return made
    throw new SyntaxError(`${source.slice(0, 100)} is no function`)
  } catch (cause) {
    throw new AgentAppsError(
      'FUNCTION_INVALID',
      `A function's source is no code that runs: ${thrownText(cause)}`,
      { hint: 'Native and bound functions have no source that could be run.', cause },
    )
  }
}

/** A method's source begins with its name, which only means something inside an object. */
function methodOf(source: string): string {
  return `Object.values(Object.getOwnPropertyDescriptors({ ${source} })).map(it => it.value ?? it.get ?? it.set)[0]`
}

function parsed(expression: string): (() => unknown) | null {
  try {
    return new Function(`return ${expression}`) as () => unknown
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}
