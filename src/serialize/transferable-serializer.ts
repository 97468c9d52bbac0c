/** The functions that can be transferred. */
export type TransferableName = 'stringify' | 'parse' | 'reviveFns'

/**
 * Returns JavaScript source of `stringify(value, replacer?, indent?)`, `parse(text, { functions? })` and
 * `reviveFns(structure)`. These write and read what this package's `stringify` and `parse` do, without
 * `redact` and limits, and need only the language. They are for environments that cannot import this module,
 * like a sandbox. `reviveFns` runs the text of functions as code. Evaluating the source declares the named
 * functions.
 *
 * `vm.runInContext(transferableSerializerSource(['stringify']) + '; stringify({ a: () => 1 })', context)`
 */
export function transferableSerializerSource(
  names: readonly TransferableName[] = ['stringify', 'parse', 'reviveFns'],
): string {
  const wanted = new Set<TransferableName>(names)
  if (wanted.has('parse')) wanted.add('reviveFns')
  return [...wanted].map(name => SOURCES[name].replace('SHAPES', () => SHAPES)).join('\n')
}

/**
 * `isEncoding(entries)`, as in `encoding-shape.ts`: whether an object is decoded as another value, and must
 * be escaped if it is not meant so.
 */
const SHAPES = String.raw`const isText = it => typeof it === 'string'
  const isPair = it => Array.isArray(it) && it.length === 2
  const isId = it => Number.isSafeInteger(it) && it > 0
  const isMapping = it => typeof it === 'object' && it !== null && !Array.isArray(it)
  const isUndefined = it => isMapping(it) && it.$undefined === true && Object.keys(it).length === 1
  const holds = test => { try { return test() } catch { return false } }
  const withoutMark = all => {
    const last = all.at(-1)
    return isMapping(last) && last.$truncated === 'bytes' && Object.keys(last).length === 1 ? all.slice(0, -1) : all
  }
  const identity = it => {
    if (typeof it !== 'object' || it === null) return JSON.stringify(it)
    const keys = Object.keys(it)
    return keys.length === 1 && ['$undefined', '$number', '$bigint', '$symbol', '$ref'].includes(keys[0]) ? JSON.stringify(it) : it
  }
  const areDistinct = all => new Set(all.map(identity)).size === all.length
  const SIZES = { ArrayBuffer: 1, BigInt64Array: 8, BigUint64Array: 8, DataView: 1, Float32Array: 4, Float64Array: 8, Int16Array: 2, Int32Array: 4, Int8Array: 1, Uint16Array: 2, Uint32Array: 4, Uint8Array: 1, Uint8ClampedArray: 1 }
  const isBytes = it => {
    if (!isPair(it) || !it.every(isText) || !Object.hasOwn(SIZES, it[0])) return false
    const text = it[1], padding = text.length - text.replace(/=+$/, '').length
    if (text.length % 4 > 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text) || ((text.length / 4) * 3 - padding) % SIZES[it[0]] > 0) return false
    // The bits that the padding leaves over are zero.
    return padding === 0 || (padding === 1 ? /[AEIMQUYcgkosw048]=$/ : /[AQgw]==$/).test(text)
  }
  const isSparse = it => {
    if (!isPair(it) || !Array.isArray(it[1]) || !Number.isInteger(it[0]) || it[0] < 1000 || it[0] >= 2 ** 32) return false
    let next = 0
    for (const item of withoutMark(it[1])) {
      if (!isPair(item) || !Number.isInteger(item[0]) || item[0] < next || item[0] >= it[0]) return false
      next = item[0] + 1
    }
    return it[1].length < it[0]
  }
  const isError = it => {
    if (!isMapping(it)) return false
    const keys = Object.keys(it).filter(key => !/^\d+$/.test(key))
    const at = ['name', 'message', 'stack'].findIndex((key, index) => keys[index] !== key)
    return at === -1 || (keys.length === at + 1 && it.$truncated === 'bytes')
  }
  const IS = {
    $undefined: it => it === true,
    $number: it => ['NaN', 'Infinity', '-Infinity', '-0'].includes(it),
    $bigint: it => isText(it) && /^(?:0|-?[1-9]\d*)$/.test(it),
    $symbol: isText,
    $date: it => it === null || (isText(it) && holds(() => new Date(it).toISOString() === it)),
    $regexp: it => isPair(it) && it.every(isText) && holds(() => { const made = new RegExp(it[0], it[1]); return made.source === it[0] && made.flags === it[1] }),
    $map: it => Array.isArray(it) && withoutMark(it).every(isPair) && areDistinct(withoutMark(it).map(pair => pair[0])),
    $set: it => Array.isArray(it) && areDistinct(it),
    $error: isError,
    $bytes: isBytes,
    $url: it => isText(it) && typeof URL === 'function' && holds(() => new URL(it).href === it),
    $fn: isText,
    $sparse: isSparse,
    $ref: isId,
  }
  const isEncoding = all => {
    for (let depth = 0; depth < 2000; depth++) {
      if (all.length === 2) return all[0][0] === '$id' && all[1][0] === '$value' && isId(all[0][1]) && typeof all[1][1] === 'object' && all[1][1] !== null
      if (all.length !== 1) return false
      const [key, it] = all[0]
      if (key !== '$object') return Object.hasOwn(IS, key) && IS[key](it)
      if (!Array.isArray(it) || !it.every(pair => isPair(pair) && isText(pair[0]))) return false
      all = it
    }
    return false
  }`

const SOURCES: Readonly<Record<TransferableName, string>> = {
  stringify: String.raw`function stringify(value, options, indent) {
  SHAPES
  const depths = new Map(), shared = new Set(), ids = new Map(), forms = new Map()
  const attempt = (work, otherwise) => {
    try { return work() } catch (error) {
      let text = 'something that cannot be shown'
      try { text = error instanceof Error ? String(error.message) : String(error) } catch {}
      return otherwise(text)
    }
  }
  const tag = it => Object.prototype.toString.call(it).slice(8, -1)
  const errorKeys = it => [...new Set(['name', 'message', 'stack', ...['cause', 'errors'].filter(key => Object.hasOwn(it, key)), ...Object.keys(it)])]
  const items = it => { const all = []; Set.prototype.forEach.call(it, item => { all.push(item) }); return all }
  const entries = it => { const all = []; Map.prototype.forEach.call(it, (item, key) => { all.push([key, item]) }); return all }
  const unboxed = it => {
    if (it instanceof String) return String.prototype.valueOf.call(it)
    if (it instanceof Number) return Number.prototype.valueOf.call(it)
    return it instanceof Boolean ? Boolean.prototype.valueOf.call(it) : it
  }
  const threw = text => ({ $threw: text.slice(0, 1000) })
  const kinds = [Date, RegExp, Map, Set, Error, ArrayBuffer, Promise, WeakMap, WeakSet, WeakRef, ...(typeof URL === 'function' ? [URL] : [])]
  const formOf = (it, key) => {
    if (typeof it !== 'object' || it === null) return it
    if (forms.has(it)) return forms.get(it)
    const toJSON = it.toJSON
    if (typeof toJSON !== 'function' || ArrayBuffer.isView(it) || kinds.some(kind => it instanceof kind)) return it
    const form = toJSON.call(it, key)
    if (form !== it && forms.size < 100000) forms.set(it, form)
    return form
  }
  const isBoxed = it => typeof unboxed(it) !== 'object'
  const innerForm = (it, key) => attempt(() => { const form = formOf(it, key); return typeof form === 'object' && form !== null && isBoxed(form) ? null : form }, () => null)
  const inner = it => attempt(() => {
    if (it instanceof Map) return entries(it).flat().map(item => innerForm(item, ''))
    if (it instanceof Set) return items(it).map(item => innerForm(item, ''))
    if (ArrayBuffer.isView(it) || isBoxed(it)) return []
    return (it instanceof Error ? errorKeys(it) : Object.keys(it)).map(key => innerForm((Object.getOwnPropertyDescriptor(it, key) || {}).value, key))
  }, () => [])
  const root = attempt(() => formOf(value, ''), threw)
  const meet = (it, depth) => {
    if (typeof it !== 'object' || it === null || forms.size >= 100000) return
    if (depths.has(it)) shared.add(it)
    else if (depth <= 500) depths.set(it, depth)
  }
  meet(root, 0)
  for (const [it, depth] of depths) for (const item of inner(it)) meet(item, depth + 1)
  const base64 = bytes => {
    const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    let text = ''
    for (let at = 0; at < bytes.length; at += 3) {
      const three = (bytes[at] << 16) | ((bytes[at + 1] || 0) << 8) | (bytes[at + 2] || 0)
      text += signs[three >> 18] + signs[(three >> 12) & 63]
      text += at + 1 < bytes.length ? signs[(three >> 6) & 63] : '='
      text += at + 2 < bytes.length ? signs[three & 63] : '='
    }
    return text
  }
  const primitive = it => {
    if (it === undefined) return { $undefined: true }
    if (typeof it === 'bigint') return { $bigint: String(it) }
    if (typeof it === 'number') return Number.isFinite(it) && !Object.is(it, -0) ? it : { $number: Object.is(it, -0) ? '-0' : String(it) }
    if (typeof it === 'symbol') return Symbol.keyFor(it) === undefined ? { $opaque: String(it) } : { $symbol: Symbol.keyFor(it) }
    if (typeof it === 'function') return { $fn: attempt(() => Function.prototype.toString.call(it), () => '') }
    return it
  }
  const atomic = it => {
    if (it instanceof Date) {
      const time = Date.prototype.getTime.call(it)
      return { $date: Number.isNaN(time) ? null : new Date(time).toISOString() }
    }
    if (it instanceof RegExp) return { $regexp: [String(it.source), String(it.flags)] }
    if (typeof URL === 'function' && it instanceof URL) return { $url: String(it.href) }
    if (it instanceof ArrayBuffer) return { $bytes: ['ArrayBuffer', base64(new Uint8Array(it))] }
    if (ArrayBuffer.isView(it)) return { $bytes: [tag(it), base64(new Uint8Array(it.buffer, it.byteOffset, it.byteLength))] }
    const opaque = it instanceof Promise || it instanceof WeakMap || it instanceof WeakSet || it instanceof WeakRef
    return opaque ? { $opaque: tag(it) } : null
  }
  const write = (it, depth) => {
    if (typeof it !== 'object' || it === null) return primitive(it)
    if (ids.has(it)) return { $ref: ids.get(it) }
    if (!shared.has(it)) return attempt(() => writeObject(it, depth), threw)
    const id = ids.size + 1
    ids.set(it, id)
    return { $id: id, $value: attempt(() => writeObject(it, depth), threw) }
  }
  const member = (it, key, depth) => attempt(() => { const item = formOf(it[key], key); return item === undefined ? item : write(item, depth + 1) }, threw)
  const field = (it, key, depth) => { const item = member(it, key, depth); return item === undefined ? primitive(item) : item }
  const mapping = (it, depth) => {
    const pairs = Object.keys(it).map(key => [key, member(it, key, depth)]).filter(pair => pair[1] !== undefined)
    return isEncoding(pairs) ? { $object: pairs } : Object.fromEntries(pairs)
  }
  const writeObject = (it, depth) => {
    const content = unboxed(it)
    if (typeof content !== 'object') return primitive(content)
    const whole = atomic(it)
    if (whole) return whole
    if (depth >= 500) return { $truncated: 'depth' }
    if (Array.isArray(it)) {
      if (it.length < 1000 || Object.keys(it).length >= it.length) return Array.from({ length: it.length }, (_, at) => field(it, String(at), depth))
      return { $sparse: [it.length, Object.keys(it).filter(key => /^\d+$/.test(key)).map(key => [Number(key), field(it, key, depth)])] }
    }
    const each = item => attempt(() => write(formOf(item, ''), depth + 1), threw)
    if (it instanceof Map) return { $map: entries(it).map(pair => pair.map(each)) }
    if (it instanceof Set) return { $set: items(it).map(each) }
    if (it instanceof Error) return { $error: Object.fromEntries(errorKeys(it).map(key => [key, field(it, key, depth)])) }
    return mapping(it, depth)
  }
  const isReplacer = typeof options === 'function' || Array.isArray(options)
  const structure = write(root, 0)
  const text = space => JSON.stringify(structure, isReplacer ? options : null, space) ?? 'null'
  try { return text(indent) } catch (error) {
    if (!(error instanceof RangeError)) throw error
    return text()
  }
}`,
  reviveFns: `function reviveFns(value, functions = true) {
  SHAPES
  let lastId = 0
  const made = new Map(), byId = new Map()
  const pairs = it => it.filter(isPair)
  const define = (it, key, item, enumerable = true) => Object.defineProperty(it, key, { value: item, writable: true, enumerable, configurable: true })
  const bytes = text => {
    const signs = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const clean = text.replace(/=+$/, ''), all = new Uint8Array(Math.floor((clean.length * 3) / 4))
    let bits = 0, held = 0, at = 0
    for (const sign of clean) {
      bits = ((bits << 6) | signs.indexOf(sign)) & 0xffff
      held += 6
      if (held >= 8) all[at++] = (bits >> (held -= 8)) & 255
    }
    return all.buffer
  }
  const BYTES = { BigInt64Array, BigUint64Array, DataView, Float32Array, Float64Array, Int16Array, Int32Array, Int8Array, Uint16Array, Uint32Array, Uint8Array, Uint8ClampedArray }
  const ERRORS = { AggregateError, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError }
  const ATOMIC = {
    $bigint: BigInt,
    $bytes: it => it[0] === 'ArrayBuffer' ? bytes(it[1]) : new BYTES[it[0]](bytes(it[1])),
    $date: it => new Date(it === null ? NaN : it),
    $number: Number,
    $regexp: it => new RegExp(it[0], it[1]),
    $symbol: Symbol.for,
    $url: it => new URL(it),
  }
  const revive = source => {
    const parsed = text => { try { return new Function('return ' + text) } catch (error) { if (!(error instanceof SyntaxError)) throw error } }
    const method = 'Object.values(Object.getOwnPropertyDescriptors({ ' + source + ' })).map(it => it.value ?? it.get ?? it.set)[0]'
    const make = parsed('(' + source + ')') || parsed(method)
    const made = make && make()
    if (typeof made === 'function') return made
    throw new SyntaxError("A function's source is no code that runs: " + source.slice(0, 100))
  }
  const read = (it, id) => {
    if (typeof it !== 'object' || it === null) return it
    if (made.has(it)) return made.get(it)
    const keep = made_ => { made.set(it, made_); if (id !== undefined) byId.set(id, made_); return made_ }
    const fill = (empty, work) => { keep(empty); work(empty); return empty }
    const mapping = all => fill({}, object => { for (const [key, item] of all) define(object, String(key), isUndefined(item) ? item : read(item)) })
    const readSparse = ([length, items]) => {
      const empty = []
      empty[length - 1] = null
      delete empty[length - 1]
      return fill(empty, array => { for (const [at, item] of pairs(items)) array[Number(at)] = read(item) })
    }
    if (Array.isArray(it)) return fill([], all => { for (const item of it) all.push(read(item)) })
    if (Object.prototype.toString.call(it) !== '[object Object]') return it
    const all = Object.entries(it)
    if (!isEncoding(all)) return mapping(all)
    const [key, content] = all[0]
    if (all.length === 2) {
      if (content <= lastId) return mapping(all)
      lastId = content
      return read(all[1][1], content)
    }
    if (key === '$undefined') return undefined
    if (key === '$ref') return byId.has(content) ? byId.get(content) : mapping(all)
    if (key === '$object') return mapping(content)
    if (key === '$map') return fill(new Map(), map => { for (const [name, item] of pairs(content)) map.set(read(name), read(item)) })
    if (key === '$set') return fill(new Set(), set => { for (const item of content) set.add(read(item)) })
    if (key === '$sparse') return readSparse(content)
    if (key === '$error') {
      const { name } = content
      const empty = !Object.hasOwn(ERRORS, name) ? new Error() : name === 'AggregateError' ? new AggregateError([]) : new ERRORS[name]()
      return fill(empty, error => {
        const hidden = ['name', 'message', 'stack', 'cause', ...(error instanceof AggregateError ? ['errors'] : [])]
        delete error.stack
        for (const [key, item] of Object.entries(content)) {
          const made = read(item)
          if (key !== 'name' || error.name !== made) define(error, key, made, !hidden.includes(key))
        }
      })
    }
    if (key === '$fn') return functions ? revive(content) : it
    return keep(ATOMIC[key](content))
  }
  return read(value)
}`,
  parse: `function parse(text, options) {
  return reviveFns(JSON.parse(text, typeof options === 'function' ? options : null), Boolean(options && options.functions))
}`,
}
