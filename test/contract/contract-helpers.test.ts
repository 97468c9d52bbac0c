import {
  type Context,
  ctxCwd,
  ctxHookTarget,
  ctxHookTrigger,
  ctxPaths,
  ctxTarget,
  type DeserializeOptions,
  deserialize,
  emptyGlobals,
  extractIgnore,
  filterPaths,
  type Globals,
  isMetaKey,
  iterPaths,
  type JsonObject,
  type MetaKey,
  mapPaths,
  matchPattern,
  type PathEntry,
  parse,
  pathEntryDir,
  pathGet,
  pathKeys,
  pathQuery,
  pathRemove,
  pathSet,
  type RegisterToolOptions,
  registerTool,
  resolveJsonSchema,
  type SafeCloneOptions,
  type SerializeOptions,
  safeClone,
  safeSnapshot,
  safeStringify,
  serialize,
  serializeContext,
  stringify,
  transferableSerializerSource,
  unregisterTool,
} from 'agent-apps'
import { describe, expect, it } from 'vitest'

type DirEntry = { dir: string; external: boolean }

/** What each helper takes and gives; `npm run types` compares it with the declarations. */
const SIGNATURES = {
  ctxTarget: ctxTarget satisfies (ctx: Context) => Context,
  ctxPaths: ctxPaths satisfies (ctx: Context) => PathEntry[],
  ctxCwd: ctxCwd satisfies (ctx: Context) => string,
  ctxHookTrigger: ctxHookTrigger satisfies (ctx: Context) => string | undefined,
  ctxHookTarget: ctxHookTarget satisfies (ctx: Context) => string | undefined,
  pathEntryDir: pathEntryDir satisfies (entry: PathEntry) => string,
  iterPaths: iterPaths satisfies (paths: PathEntry[]) => Generator<DirEntry>,
  extractIgnore: extractIgnore satisfies (paths: PathEntry[]) => string[],
  mapPaths: mapPaths satisfies (
    paths: PathEntry[],
    fn: (dir: string, external: boolean, entry: PathEntry) => PathEntry[],
  ) => PathEntry[],
  filterPaths: filterPaths satisfies (
    paths: PathEntry[],
    fn: (dir: string, external: boolean) => boolean,
  ) => PathEntry[],
  registerTool: registerTool satisfies (globals: Globals, opts: RegisterToolOptions) => void,
  unregisterTool: unregisterTool satisfies (globals: Globals, name: string) => void,
  matchPattern: matchPattern satisfies (pattern: string, name: string, tags?: string[]) => boolean,
  pathGet: pathGet satisfies (obj: unknown, expr: string) => unknown,
  pathSet: pathSet satisfies (obj: unknown, expr: string, value: unknown) => void,
  pathQuery: pathQuery satisfies (obj: unknown, expr: string) => unknown[],
  pathRemove: pathRemove satisfies (obj: unknown, expr: string) => void,
  pathKeys: pathKeys satisfies (obj: Record<string, unknown>, exprs: string[]) => Set<string>,
  isMetaKey: isMetaKey satisfies (key: string) => key is MetaKey,
  safeStringify: safeStringify satisfies (value: unknown, indent?: number) => string,
  serialize: serialize satisfies (value: unknown, opts?: SerializeOptions) => unknown,
  deserialize: deserialize satisfies (value: unknown, opts?: DeserializeOptions) => unknown,
  stringify: stringify satisfies (value: unknown, opts?: SerializeOptions) => string,
  parse: parse satisfies (text: string, opts?: DeserializeOptions) => unknown,
  safeClone: safeClone satisfies (value: unknown, opts?: SafeCloneOptions) => unknown,
  safeSnapshot: safeSnapshot satisfies (value: unknown, maxDepth?: number, maxBytes?: number) => unknown,
  emptyGlobals: emptyGlobals satisfies () => Globals,
  transferableSerializerSource: transferableSerializerSource satisfies (
    names?: ('stringify' | 'parse' | 'reviveFns')[],
  ) => string,
  serializeContext: serializeContext satisfies (
    ctx: Context,
    maxDepth?: number,
  ) => Record<string, unknown> | null,
  resolveJsonSchema: resolveJsonSchema satisfies (
    schema: JsonObject | undefined,
    ctx: Context,
  ) => JsonObject | undefined,
}

it('every helper comes from agent-apps', () => {
  expect(Object.values(SIGNATURES).every(helper => typeof helper === 'function')).toBe(true)
})

it('emptyGlobals gives fresh state with empty caches', () => {
  const one = emptyGlobals()
  const { cache, config, tools } = one
  expect(Object.entries(cache).map(([name, map]) => [name, map && [...map]])).toEqual([
    ...['tool', 'list', 'dir', 'file', 'authority', 'mainInDir', 'nameIndex', 'cascade', 'cascadeDeps'].map(
      name => [name, []],
    ),
    ...['cyclicPeers', 'cyclicPeersSeededDirs', 'promotions'].map(name => [name, null]),
  ])
  expect([config.paths, tools.programmaticTools.size]).toEqual([[], 0])
  const other = emptyGlobals()
  registerTool(one, { name: 'one', fn: () => 1 })
  expect([one.tools.programmaticTools.size, other.tools.programmaticTools.size]).toEqual([1, 0])
})

const PLAIN = [
  null,
  true,
  -1.5,
  'text "quoted" \u2028 é 👍 \ud800',
  [],
  {},
  { a: { b: [1, { c: null }] }, '': 0, 'ä b': false },
  [[1, 'two'], [{}], [[]]],
  JSON.parse('{"10":1,"9":2,"constructor":3,"toString":{"length":4}}'),
]
/** JSON of others, in which a key that begins with `$` means something else. */
const FOREIGN = [
  '{"$set":[1],"status":"done"}',
  '{"$date":"yesterday"}',
  '{"$number":"12"}',
  '{"$bigint":"twelve"}',
  '{"$bytes":["Uint8Array","?"]}',
  '{"$bytes":"AA=="}',
  '{"$url":"nowhere"}',
  '{"$symbol":1}',
  '{"$regexp":"a+"}',
  '{"$regexp":["(","g"]}',
  '{"$ref":"#/$defs/a","$defs":{"a":{"$id":"b"}}}',
  '{"$undefined":false}',
  '{"$fn":"() => 1"}',
]
/** What looks like an encoding, and `stringify` never writes. */
const TAKEN = [
  '{"x":{"$set":{"status":"done"}}}',
  '{"$error":"oops"}',
  '{"$error":{"status":404}}',
  '{"$object":{"a":1}}',
  '{"$object":[["a",1]]}',
  '{"$map":[1,2]}',
  '{"$date":5}',
  '{"$sparse":[2,[[5,1]]]}',
]

describe('stringify and parse, in the place of JSON’s', () => {
  it('write and read plain data alike', () => {
    for (const value of PLAIN) {
      expect(stringify(value)).toBe(JSON.stringify(value))
      expect(safeStringify(value)).toBe(JSON.stringify(value))
      expect(safeStringify(value, 2)).toBe(JSON.stringify(value, null, 2))
      expect(parse(JSON.stringify(value, null, 2))).toEqual(value)
    }
  })

  it('indent alike', () => {
    const written = stringify as unknown as typeof JSON.stringify
    for (const value of PLAIN) expect(written(value, null, 2)).toBe(JSON.stringify(value, null, 2))
  })

  it.each(FOREIGN)('leave %s as it is', json => {
    expect(parse(json)).toEqual(JSON.parse(json))
  })

  it.each(TAKEN)('leave %s as it is', json => {
    expect(parse(json)).toEqual(JSON.parse(json))
  })

  it.each([...FOREIGN, ...TAKEN])('give %s back', json => {
    expect(parse(stringify(JSON.parse(json)))).toEqual(JSON.parse(json))
    expect(deserialize(serialize(JSON.parse(json)))).toEqual(JSON.parse(json))
  })

  const money = { amount: 5, toJSON: () => '5 EUR' }

  it('ask toJSON: stringify', () => expect(stringify({ money })).toBe('{"money":"5 EUR"}'))
  it('ask toJSON: safeStringify', () => expect(safeStringify({ money })).toBe('{"money":"5 EUR"}'))

  it('leave out what is undefined', () => expect(stringify({ a: undefined, b: 1 })).toBe('{"b":1}'))
})
