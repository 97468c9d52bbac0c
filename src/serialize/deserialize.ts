import { attempt, thrownText } from '../base/attempt.js'
import { AgentAppsError } from '../base/error.js'
import { defineField } from '../base/json.js'
import { indexesOf, typeTag } from '../values/look-into.js'
import { BYTES, isEncoding, isUndefined } from './encoding-shape.js'
import { DEPTH_MAX } from './serialize.js'

/** The effects that reading a serialized value may have besides creating plain data. */
export interface DeserializeOptions {
  /**
   * Turns `{ $fn: source }` into functions again. That runs the source with all rights of this process,
   * so use it only for data that you wrote yourself. Default: false; they stay objects.
   */
  functions?: boolean
}

/**
 * Restores a value from the output of `serialize`. Anything that `serialize` does not write is unchanged.
 *
 * @throws FUNCTION_INVALID with `functions`, if the source of a function is not code that runs
 */
export function deserialize(value: unknown, { functions = false }: DeserializeOptions = {}): unknown {
  return new Reader(functions).read(value)
}

/** The reviver of `JSON.parse`. */
type Reviver = (this: unknown, key: string, value: unknown) => unknown

/** Restores a value from the output of `stringify`, or from any JSON. Throws JSON_INVALID. */
export function parse(text: string, options?: DeserializeOptions | Reviver | null): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new AgentAppsError('JSON_INVALID', `The text is not JSON: ${(cause as Error).message}`, {
      hint: 'Pass the output of stringify() or JSON.stringify().',
      cause,
    })
  }
  if (typeof options === 'function') return deserialize(JSON.parse(text, options))
  return deserialize(value, options ?? {})
}

class Reader {
  /** The result for each structure, for structures that occur again. */
  readonly #made = new Map<object, unknown>()
  readonly #byId = new Map<unknown, unknown>()
  /** Ids are assigned in the order in which they are written. */
  #lastId = 0
  #depth = 0
  #tooDeep = 0
  /** The error for a function that is not valid code: the only error that is passed on. */
  #invalid: unknown = this

  constructor(readonly functions: boolean) {}

  read(value: unknown, id?: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (this.#made.has(value)) return this.#made.get(value)
    if (this.#depth >= READ_DEPTH_MAX) this.#tooDeep++
    // A value that is too deep again and again may have no end.
    if (this.#depth >= READ_DEPTH_MAX || this.#tooDeep > TOO_DEEP_MAX) return value
    this.#depth++
    try {
      return this.#readObject(value, id)
    } catch (error) {
      if (error === this.#invalid) throw error
      // A thrown proxy may throw when it is inspected.
      if (attempt(() => error instanceof RangeError)) this.#tooDeep++
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
    // Values that JSON does not produce, such as bytes or a map, contain no encodings.
    if (typeTag(value) !== 'Object') return value
    const entries = Object.entries(value)
    const [[key, content] = ['', undefined], second] = entries
    if (!isEncoding(entries)) return this.#readMapping(entries, value, id)
    if (!second) return this.#readEncoding(key, content, value, id)
    if (Number(content) <= this.#lastId) return this.#readMapping(entries, value, id)
    this.#lastId = Number(content)
    return this.read(second[1], content)
  }

  /** Decodes an object that has the shape of an encoding. */
  #readEncoding(key: string, content: unknown, whole: object, id: unknown): unknown {
    switch (key) {
      case '$undefined':
        return undefined
      case '$ref':
        return this.#byId.has(content)
          ? this.#byId.get(content)
          : this.#readMapping([[key, content]], whole, id)
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
        return this.#fill(whole, id, emptyError(content), error => {
          readError(error, Object.entries(content as object), item => this.read(item))
        })
      case '$fn':
        return this.functions ? this.#readFunction(String(content)) : whole
      default:
        return this.#keep(whole, id, ATOMIC[key]?.(content))
    }
  }

  #readSparse(content: unknown, whole: object, id: unknown): unknown {
    const [length, items] = listOf(content)
    return this.#fill(whole, id, sparseList(Number(length)), list => {
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
      // As a field, undefined is not written at all.
      for (const [key, item] of entries)
        defineField(object, String(key), isUndefined(item) ? item : this.read(item))
    })
  }

  /** Registers a value before it is filled, so that it can contain itself. */
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

/** A value that is `DEPTH_MAX` deep takes up to three structures for each level. */
const READ_DEPTH_MAX = 3 * DEPTH_MAX
const TOO_DEEP_MAX = 100

/** Returns an array of only holes, which take no memory, as `new Array(length)` does. */
function sparseList(length: number): unknown[] {
  const list: unknown[] = []
  if (length > 0) list[length - 1] = null
  delete list[length - 1]
  return list
}

const ERRORS = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError]

/** Returns an error of the class that its encoding names, if that is a native one. */
function emptyError(content: unknown): Error {
  const { name } = content as { name?: unknown }
  if (name === 'AggregateError') return new AggregateError([])
  const NamedError = ERRORS.find(known => known.name === name) ?? Error
  return new NamedError()
}

function readError(error: Error, fields: [string, unknown][], read: (item: unknown) => unknown): void {
  const hidden = ['name', 'message', 'stack', 'cause', ...(error instanceof AggregateError ? ['errors'] : [])]
  delete error.stack
  for (const [key, item] of fields) {
    const value = read(item)
    if (key === 'name' && error.name === value) continue
    Object.defineProperty(error, key, {
      value,
      writable: true,
      enumerable: !hidden.includes(key),
      configurable: true,
    })
  }
}

const ATOMIC: Readonly<Record<string, (content: unknown) => unknown>> = {
  $bigint: content => BigInt(String(content)),
  $bytes: content => {
    const [name, base64] = listOf(content)
    const buffer = Uint8Array.from(atob(String(base64)), character => character.charCodeAt(0)).buffer
    const Bytes = BYTES.get(String(name))
    return Bytes ? new Bytes(buffer) : buffer
  },
  $date: content => new Date(content === null ? Number.NaN : String(content)),
  $number: Number,
  $regexp: content => {
    const [source, flags] = listOf(content)
    return new RegExp(String(source), String(flags))
  },
  $symbol: content => Symbol.for(String(content)),
  $url: content => new URL(String(content)),
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
    throw new SyntaxError(`${source.slice(0, 100)} is not a function`)
  } catch (cause) {
    throw new AgentAppsError('FUNCTION_INVALID', `A function's source does not run: ${thrownText(cause)}`, {
      hint: 'Native and bound functions have no source that could be run.',
      cause,
    })
  }
}

/** A method's source begins with its name, which is valid only inside an object. */
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
