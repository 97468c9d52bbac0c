/** The functions that can be transferred. */
export type TransferableName = 'stringify' | 'parse' | 'reviveFns'

/**
 * JavaScript source of `stringify(value, indent?)`, `parse(text, { functions? })` and `reviveFns(structure)`, which
 * write and read what `stringify` and `parse` of this package do, without `redact` and `maxBytes`, and need nothing
 * but the language: for a place that cannot import this module, like a sandbox. `reviveFns` runs the functions' text
 * as code. Evaluated, the source declares the functions named.
 *
 * `vm.runInContext(transferableSerializerSource(['stringify']) + '; stringify({ a: () => 1 })', context)`
 */
export function transferableSerializerSource(
  names: readonly TransferableName[] = ['stringify', 'parse', 'reviveFns'],
): string {
  const wanted = new Set<TransferableName>(names)
  if (wanted.has('parse')) wanted.add('reviveFns')
  return [...wanted].map(name => SOURCES[name]).join('\n')
}

const SOURCES: Readonly<Record<TransferableName, string>> = {
  stringify: String.raw`function stringify(value, indent) {
  const depths = new Map(), shared = new Set(), ids = new Map()
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
  const inner = it => attempt(() => {
    if (it instanceof Map) return entries(it).flat()
    if (it instanceof Set) return items(it)
    if (ArrayBuffer.isView(it) || typeof unboxed(it) !== 'object') return []
    return (it instanceof Error ? errorKeys(it) : Object.keys(it)).map(key => (Object.getOwnPropertyDescriptor(it, key) || {}).value)
  }, () => [])
  const meet = (it, depth) => {
    if (typeof it !== 'object' || it === null) return
    if (depths.has(it)) shared.add(it)
    else if (depth <= 500) depths.set(it, depth)
  }
  meet(value, 0)
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
  const threw = text => ({ $threw: text.slice(0, 1000) })
  const write = (it, depth) => {
    if (typeof it !== 'object' || it === null) return primitive(it)
    if (ids.has(it)) return { $ref: ids.get(it) }
    if (!shared.has(it)) return attempt(() => writeObject(it, depth), threw)
    const id = ids.size + 1
    ids.set(it, id)
    return { $id: id, $value: attempt(() => writeObject(it, depth), threw) }
  }
  const field = (it, key, depth) => attempt(() => write(it[key], depth + 1), threw)
  const mapping = (it, keys, depth) => {
    const pairs = keys.map(key => [key, field(it, key, depth)])
    return keys.some(key => key.startsWith('$') || key === '__proto__') ? { $object: pairs } : Object.fromEntries(pairs)
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
    if (it instanceof Map) return { $map: entries(it).map(pair => pair.map(item => write(item, depth + 1))) }
    if (it instanceof Set) return { $set: items(it).map(item => write(item, depth + 1)) }
    if (it instanceof Error) return { $error: mapping(it, errorKeys(it), depth) }
    return mapping(it, Object.keys(it), depth)
  }
  return JSON.stringify(write(value, 0), null, indent)
}`,
  reviveFns: `function reviveFns(value, functions = true) {
  const made = new Map(), byId = new Map()
  const list = it => Array.isArray(it) ? it : []
  const pairs = it => list(it).filter(pair => Array.isArray(pair) && pair.length === 2)
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
  const isText = it => typeof it === 'string'
  const ATOMIC = {
    $bigint: it => isText(it) ? BigInt(it) : undefined,
    $bytes: it => {
      const [type, text] = list(it)
      if (!isText(text)) return undefined
      return type === 'ArrayBuffer' ? bytes(text) : Object.hasOwn(BYTES, type) ? new BYTES[type](bytes(text)) : undefined
    },
    $date: it => it === null || !Number.isNaN(new Date(String(it)).getTime()) ? new Date(it === null ? NaN : String(it)) : undefined,
    $number: it => ['NaN', 'Infinity', '-Infinity', '-0'].includes(it) ? Number(it) : undefined,
    $regexp: it => list(it).length === 2 && it.every(isText) ? new RegExp(it[0], it[1]) : undefined,
    $symbol: it => isText(it) ? Symbol.for(it) : undefined,
    $url: it => isText(it) && typeof URL === 'function' ? new URL(it) : undefined,
  }
  const atomic = (key, it) => { try { return Object.hasOwn(ATOMIC, key) ? ATOMIC[key](it) : undefined } catch {} }
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
    const mapping = all => fill({}, object => { for (const [key, item] of all) define(object, String(key), read(item)) })
    const readSparse = ([length, items], whole) => {
      if (!Number.isInteger(length) || length < 0 || length >= 2 ** 32) return whole
      const empty = []
      if (length > 0) empty[length - 1] = null
      delete empty[length - 1]
      return fill(empty, array => { for (const [at, item] of pairs(items)) array[Number(at)] = read(item) })
    }
    if (Array.isArray(it)) return fill([], all => { for (const item of it) all.push(read(item)) })
    if (Object.prototype.toString.call(it) !== '[object Object]') return it
    const all = Object.entries(it)
    if (all.length === 2 && all[0][0] === '$id' && all[1][0] === '$value') return read(all[1][1], all[0][1])
    if (all.length !== 1 || !all[0][0].startsWith('$')) return mapping(all)
    const [key, content] = all[0]
    if (key === '$undefined') return content === true ? undefined : it
    if (key === '$ref') return byId.has(content) ? byId.get(content) : it
    if (key === '$object') return mapping(pairs(content))
    if (key === '$map') return fill(new Map(), map => { for (const [name, item] of pairs(content)) map.set(read(name), read(item)) })
    if (key === '$set') return fill(new Set(), set => { for (const item of list(content)) set.add(read(item)) })
    if (key === '$sparse') return readSparse(list(content), it)
    if (key === '$error') {
      const name = (content && content.$object ? Object.fromEntries(pairs(content.$object)) : content || {}).name
      const empty = !Object.hasOwn(ERRORS, name) ? new Error() : name === 'AggregateError' ? new AggregateError([]) : new ERRORS[name]()
      return fill(empty, error => {
        const hidden = ['name', 'message', 'stack', 'cause', ...(error instanceof AggregateError ? ['errors'] : [])]
        delete error.stack
        for (const [key, item] of Object.entries(read(content) || {})) {
          if (key !== 'name' || error.name !== item) define(error, key, item, !hidden.includes(key))
        }
      })
    }
    if (key === '$fn') return functions && isText(content) ? revive(content) : it
    const whole = atomic(key, content)
    return keep(whole === undefined ? it : whole)
  }
  return read(value)
}`,
  parse: `function parse(text, options) {
  return reviveFns(JSON.parse(text), Boolean(options && options.functions))
}`,
}
