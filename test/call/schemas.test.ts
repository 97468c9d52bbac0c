import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type Context,
  createRuntime,
  defineTool,
  emptyGlobals,
  invoke,
  type JsonObject,
  registerTool,
  resolveJsonSchema,
} from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import standalone from 'ajv/dist/standalone/index.js'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { checkSchema } from '../../src/schema/check-schema.js'
import { AJV_OPTIONS, factoryText, fromFactory, withoutNames } from '../../src/schema/compile-schema.js'
import { cloneValue } from '../../src/schema/defaults.js'
import { interpretSchema } from '../../src/schema/interpret-schema.js'
import type { Dialect } from '../../src/schema/keywords.js'
import { linearPattern } from '../../src/schema/linear-pattern.js'
import { call, outcome } from '../support/call-with-schema.js'
import { codeProject, shown } from '../support/code-project.js'
import { isLong, oneIn, times } from '../support/long.js'
import { deployRuntime, ROOT } from '../support/processes.js'
import { processorTime } from '../support/processor-time.js'
import { temporary } from '../support/temporary.js'

const SCRIPT = fileURLToPath(new URL('../support/run-schemas.mjs', import.meta.url))

interface Call {
  args: unknown
  /** What the tool gets; absent where it is refused. */
  gives?: unknown
  /** `path: expected (found)` of each issue. */
  issues?: string[]
}

const NODE = {
  type: 'object',
  properties: { child: { $ref: '#/$defs/node' }, n: { type: 'number' } },
  required: ['n'],
}
const SHAPES = [
  {
    type: 'object',
    properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
    required: ['kind', 'radius'],
  },
  {
    type: 'object',
    properties: { kind: { const: 'square' }, side: { type: 'number' } },
    required: ['kind', 'side'],
  },
]

/** Params, and calls with what comes of them. */
const CASES: Record<string, { params: JsonObject; calls: Call[] }> = {
  'required and extra properties': {
    params: object({ name: { type: 'string' }, age: { type: 'integer', minimum: 0 } }, ['name']),
    calls: [
      { args: { name: 'Ada', age: 36 }, gives: { name: 'Ada', age: 36 } },
      { args: undefined, issues: ['name: a string (nothing)'] },
      { args: { nam: 'Ada' }, issues: ['name: a string (nothing)', 'nam: no such property ("Ada")'] },
      { args: { name: 1, age: -1 }, issues: ['name: a string (1)', 'age: at least 0 (-1)'] },
      { args: { name: 'Ada', age: 1.5 }, issues: ['age: an integer (1.5)'] },
      { args: [], issues: [': an object (an empty array)'] },
      { args: null, issues: [': an object (null)'] },
      { args: 'Ada', issues: [': an object ("Ada")'] },
    ],
  },
  'only own properties count': {
    params: { type: 'object', required: ['toString'], dependentRequired: { valueOf: ['x'] } },
    calls: [
      { args: {}, issues: ['toString: something (nothing)'] },
      { args: { toString: 1 }, gives: { toString: 1 } },
    ],
  },
  'defaults, however deep': {
    params: {
      type: 'object',
      properties: {
        level: { type: 'integer', default: 3 },
        options: { type: 'object', default: {}, properties: { deep: { type: 'boolean', default: true } } },
        items: { type: 'array', items: { type: 'object', properties: { kind: { default: 'a' } } } },
      },
      allOf: [{ properties: { more: { default: [1] } } }],
      anyOf: [{ properties: { never: { default: 1 } } }, true],
    },
    calls: [
      { args: {}, gives: { level: 3, options: { deep: true }, more: [1] } },
      {
        args: { level: 1, items: [{}, { kind: 'b' }], options: { deep: false } },
        gives: { level: 1, items: [{ kind: 'a' }, { kind: 'b' }], options: { deep: false }, more: [1] },
      },
    ],
  },
  texts: {
    params: {
      type: 'object',
      properties: {
        length: { type: 'string', minLength: 2, maxLength: 3 },
        slug: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$' },
        evil: { type: 'string', pattern: '^(a+)+$' },
      },
    },
    calls: [
      {
        args: { length: '😀😀😀', slug: 'a-b', evil: 'aaa' },
        gives: { length: '😀😀😀', slug: 'a-b', evil: 'aaa' },
      },
      { args: { length: '😀' }, issues: ['length: a string of at least 2 characters ("😀")'] },
      { args: { length: 'abcd' }, issues: ['length: a string of at most 3 characters ("abcd")'] },
      { args: { slug: 'a--b' }, issues: ['slug: a string that matches ^[a-z0-9]+(-[a-z0-9]+)*$ ("a--b")'] },
      {
        args: { evil: `${'a'.repeat(60)}b` },
        issues: [`evil: a string that matches ^(a+)+$ ("${'a'.repeat(40)}"… (61 characters))`],
      },
    ],
  },
  numbers: {
    params: {
      type: 'object',
      properties: {
        n: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 10, multipleOf: 0.5 },
        m: { maximum: 3 },
      },
    },
    calls: [
      { args: { n: 2.5, m: 3 }, gives: { n: 2.5, m: 3 } },
      { args: { n: 0 }, issues: ['n: more than 0 (0)'] },
      { args: { n: 10, m: 4 }, issues: ['n: less than 10 (10)', 'm: at most 3 (4)'] },
      { args: { n: 0.7 }, issues: ['n: a multiple of 0.5 (0.7)'] },
    ],
  },
  lists: {
    params: {
      type: 'object',
      properties: {
        tags: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 3, uniqueItems: true },
        pair: { prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        some: { type: 'array', contains: { const: 1 }, maxContains: 2 },
        objects: { type: 'array', uniqueItems: true },
      },
    },
    calls: [
      {
        args: { tags: ['a', 'b'], pair: ['a', 1], some: [1, 1] },
        gives: { tags: ['a', 'b'], pair: ['a', 1], some: [1, 1] },
      },
      { args: { tags: [] }, issues: ['tags: an array of at least 1 item (an empty array)'] },
      {
        args: { tags: ['a', 'b', 'a', 5] },
        issues: [
          'tags: an array of at most 3 items (an array of 4 items)',
          'tags: an array without duplicates (an array of 4 items)',
          'tags[3]: a string (5)',
        ],
      },
      {
        args: { pair: [1, 'a', 2] },
        issues: ['pair[0]: a string (1)', 'pair[1]: a number ("a")', 'pair[2]: left out (2)'],
      },
      { args: { some: [2] }, issues: ['some: an array that contains 1 (an array of 1 item)'] },
      {
        args: { some: [1, 1, 1] },
        issues: ['some: an array that contains 1 at most 2 times (an array of 3 items)'],
      },
      {
        args: {
          objects: [
            { a: 1, b: 2 },
            { b: 2, a: 1 },
          ],
        },
        issues: ['objects: an array without duplicates (an array of 2 items)'],
      },
    ],
  },
  values: {
    params: {
      type: 'object',
      properties: {
        mode: { enum: ['fast', 'slow', null] },
        one: { const: { a: 1 } },
        maybe: { type: ['string', 'null'] },
      },
    },
    calls: [
      { args: { mode: null, one: { a: 1 }, maybe: null }, gives: { mode: null, one: { a: 1 }, maybe: null } },
      { args: { mode: 'fats' }, issues: ['mode: one of "fast", "slow", null ("fats")'] },
      { args: { one: { a: 2 } }, issues: ['one: {"a":1} (an object with a)'] },
      { args: { maybe: 1 }, issues: ['maybe: a string or null (1)'] },
    ],
  },
  objects: {
    params: {
      type: 'object',
      minProperties: 1,
      maxProperties: 2,
      propertyNames: { maxLength: 3 },
      patternProperties: { '^x': { type: 'number' } },
      additionalProperties: { type: 'string' },
      dependentRequired: { a: ['b'] },
    },
    calls: [
      { args: { x: 1, y: 'a' }, gives: { x: 1, y: 'a' } },
      { args: {}, issues: [': an object of at least 1 property (an empty object)'] },
      { args: { x: 'a', y: 1 }, issues: ['x: a number ("a")', 'y: a string (1)'] },
      { args: { long: 'a' }, issues: ['long: a string of at most 3 characters ("long")'] },
      { args: { a: '' }, issues: ['b: something (nothing)'] },
    ],
  },
  'alternatives that differ by type': {
    params: object(
      {
        v: {
          anyOf: [
            { type: 'string' },
            { type: 'object', required: ['a'], properties: { a: { type: 'number' } } },
          ],
        },
      },
      [],
    ),
    calls: [
      { args: { v: 'a' }, gives: { v: 'a' } },
      { args: { v: { a: 'x' } }, issues: ['v.a: a number ("x")'] },
      { args: { v: 5 }, issues: ['v: a string or an object with a (5)'] },
    ],
  },
  'alternatives that a property tells apart': {
    params: object({ shape: { oneOf: SHAPES } }, ['shape']),
    calls: [
      { args: { shape: { kind: 'circle', radius: 1 } }, gives: { shape: { kind: 'circle', radius: 1 } } },
      { args: { shape: { kind: 'circle', radius: 'x' } }, issues: ['shape.radius: a number ("x")'] },
      { args: { shape: { kind: 'square' } }, issues: ['shape.side: a number (nothing)'] },
      { args: { shape: { kind: 'star' } }, issues: ['shape.kind: "circle" or "square" ("star")'] },
      {
        args: { shape: 1 },
        issues: ['shape: an object with kind "circle", radius or an object with kind "square", side (1)'],
      },
      {
        args: {},
        issues: [
          'shape: an object with kind "circle", radius or an object with kind "square", side (nothing)',
        ],
      },
    ],
  },
  'exactly one, and none': {
    params: object(
      { one: { oneOf: [{ type: 'number' }, { minimum: 5 }] }, none: { not: { type: 'string' } } },
      [],
    ),
    calls: [
      { args: { one: 1, none: 1 }, gives: { one: 1, none: 1 } },
      { args: { one: 6 }, issues: ['one: exactly one of 2 forms, and it fits 2 of them (6)'] },
      { args: { none: 'a' }, issues: ['none: something else than a string ("a")'] },
    ],
  },
  conditions: {
    params: {
      type: 'object',
      if: { properties: { kind: { const: 'file' } }, required: ['kind'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['path'] },
      else: { required: ['url'] },
    },
    calls: [
      { args: { kind: 'file', path: 'a' }, gives: { kind: 'file', path: 'a' } },
      { args: { kind: 'file' }, issues: ['path: something (nothing)'] },
      { args: {}, issues: ['url: something (nothing)'] },
    ],
  },
  'what nothing else spoke of': {
    params: {
      type: 'object',
      allOf: [{ properties: { a: true } }, { $ref: '#/$defs/b' }],
      unevaluatedProperties: false,
      $defs: { b: { properties: { b: { type: 'number' }, list: { unevaluatedProperties: false } } } },
    },
    calls: [
      { args: { a: 1, b: 2, list: [1] }, gives: { a: 1, b: 2, list: [1] } },
      { args: { a: 1, b: 'x', c: 3 }, issues: ['b: a number ("x")', 'c: no such property (3)'] },
    ],
  },
  'a schema that refers to itself': {
    params: object({ node: { $ref: '#/$defs/node' } }, ['node'], { $defs: { node: NODE } }),
    calls: [
      { args: { node: { n: 1, child: { n: 2 } } }, gives: { node: { n: 1, child: { n: 2 } } } },
      {
        args: { node: { n: 1, child: { n: 2, child: {} } } },
        issues: ['node.child.child.n: a number (nothing)'],
      },
      { args: { node: nested(400) }, issues: [': of at most 300 levels (an object with node)'] },
    ],
  },
  'references and anchors': {
    params: object({ a: { $ref: '#/$defs/a~1b%20c' }, d: { $ref: '#d' } }, [], {
      $defs: { 'a/b c': { type: 'string' }, d: { $anchor: 'd', type: 'number' } },
    }),
    calls: [
      { args: { a: 'x', d: 1 }, gives: { a: 'x', d: 1 } },
      { args: { a: 1, d: 'x' }, issues: ['a: a string (1)', 'd: a number ("x")'] },
    ],
  },
  'draft-07': {
    params: {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: { pair: { items: [{ type: 'string' }], additionalItems: { type: 'number' } } },
      definitions: { x: { type: 'string' } },
      dependencies: { a: ['b'], c: { properties: { d: { $ref: '#/definitions/x' } } } },
      dependentRequired: { pair: ['never'] },
    },
    calls: [
      { args: { pair: ['a', 1, 2] }, gives: { pair: ['a', 1, 2] } },
      {
        args: { pair: [1, 'a'], a: 1, c: 1, d: 1 },
        issues: [
          'pair[0]: a string (1)',
          'pair[1]: a number ("a")',
          'b: something (nothing)',
          'd: a string (1)',
        ],
      },
    ],
  },
  'words of others, and nullable': {
    params: {
      $id: 'https://example.com/params.json',
      type: 'object',
      'x-order': 1,
      example: {},
      $resolve: 'nonlocals.absent',
      properties: { email: { type: 'string', format: 'email', nullable: true }, id: { nullable: true } },
    },
    calls: [
      { args: { email: null, id: 1 }, gives: { email: null, id: 1 } },
      { args: { email: 'no address' }, gives: { email: 'no address' } },
      { args: { email: 1 }, issues: ['email: a string or null (1)'] },
    ],
  },
  'odd names and many faults': {
    params: { type: 'object', additionalProperties: { type: 'array', items: { type: 'number' } } },
    calls: [
      {
        args: { 'x y': ['a'], 'a-b': ['a'] },
        issues: ['["x y"][0]: a number ("a")', 'a-b[0]: a number ("a")'],
      },
      {
        args: { v: Array(50).fill('a') },
        issues: Array.from({ length: 20 }, (_, index) => `v[${index}]: a number ("a")`),
      },
    ],
  },
}

const ALL = Object.values(CASES).flatMap(({ calls }, number) =>
  calls.map(call => ({ ...call, ref: `tool-${number}` })),
)
const CALLS = ALL.map(({ ref, args }) => (args === undefined ? [ref] : [ref, args]))
const EXPECTED = ALL.map(({ gives, issues }) =>
  issues ? { code: 'ARGS_INVALID', issues } : { result: gives },
)

describe('an argument of another name', () => {
  const CLOSED = {
    type: 'object',
    properties: { path: { type: 'string' }, old: { type: 'string' } },
    required: ['path', 'old'],
    additionalProperties: false,
  }
  const { additionalProperties: _, ...OPEN } = CLOSED

  it.each([
    ['a schema that refuses other keys', CLOSED],
    ['a schema that leaves other keys open', OPEN],
  ])('is named, with the one that is meant, under %s', async (_, params) => {
    const runtime = createRuntime({ paths: [] })
    runtime.register({ name: 'edit-it', params, execute: () => 'done' })
    await expect(runtime.invoke('edit-it', { file_path: 'a', old: 'b' })).rejects.toMatchObject({
      code: 'ARGS_INVALID',
      message:
        'The arguments of "edit-it" are invalid: path is missing: expected a string; ' +
        'file_path is not known here; did you mean "path"?',
    })
    await expect(runtime.invoke('edit-it', { path: 'a', oldString: 'b' })).rejects.toThrow(
      'oldString is not known here; did you mean "old"?',
    )
    await expect(runtime.invoke('edit-it', { path: 'a', colour: 'b' })).rejects.toThrow(
      /old is missing.*colour is not known here$/,
    )
  })

  it('is left alone where the schema leaves it open and nothing is missing', async () => {
    const runtime = createRuntime({ paths: [] })
    runtime.register({ name: 'edit-it', params: OPEN, execute: args => args })
    const args = { path: 'a', old: 'b', colour: 'c' }
    expect(await runtime.invoke('edit-it', args)).toEqual(args)
    const combined = { ...OPEN, anyOf: [{ properties: { colour: true } }, true] }
    runtime.register({ name: 'mix-it', params: combined, execute: args => args })
    await expect(runtime.invoke('mix-it', { colour: 'c' })).rejects.not.toThrow('colour')
  })
})

describe('the same of the same arguments', () => {
  it('from compiled schemas, with neither Ajv nor the making of code', async () => {
    const dir = await compiledSkills()
    const recorded = [...records(dir)].filter(([, { validators }]) => validators?.params)
    // What refers to itself, has lists of objects without doubles, or `nullable` without a type is interpreted.
    expect(recorded.length).toBe(Object.keys(CASES).length - 3)
    const { answers, via } = run(deployed(), { paths: [dir], calls: CALLS }, [
      '--disallow-code-generation-from-strings',
    ])
    expect(via).toMatchObject({ index: Object.keys(CASES).length, disk: 0 })
    expect(answers.map(brief)).toEqual(EXPECTED)
  })

  it.runIf(isLong)('from disk', () => {
    const dir = skills()
    const { answers, via } = run(join(installed(), 'script.mjs'), { paths: [dir], calls: CALLS })
    expect(via).toMatchObject({ index: 0, disk: Object.keys(CASES).length })
    expect(answers.map(brief)).toEqual(EXPECTED)
  })

  it('from registered tools: by Ajv, without Ajv, and without the making of code', { tags: 'long' }, () => {
    const register = Object.values(CASES).map(({ params }, number) => ({ name: `tool-${number}`, params }))
    const job = { paths: [], register, calls: CALLS }
    expect(run(join(installed(), 'script.mjs'), job).answers.map(brief)).toEqual(EXPECTED)
    expect(run(deployed(), job).answers.map(brief)).toEqual(EXPECTED)
    const bare = run(join(installed(), 'script.mjs'), job, ['--disallow-code-generation-from-strings'])
    expect(bare.answers.map(brief)).toEqual(EXPECTED)
  })

  it('decides by the compiled module, where there is one', async () => {
    const dir = await compiledSkills()
    const file = records(dir).get('tool-0')?.validators?.params ?? ''
    writeFileSync(join(dir, file), 'export default () => () => true\n')
    const { answers } = run(deployed(), {
      paths: [dir],
      calls: [
        ['tool-0', { name: 1 }],
        ['tool-1', {}],
      ],
    })
    expect(answers.map(brief)).toEqual([
      { result: { name: 1 } },
      { code: 'ARGS_INVALID', issues: ['toString: something (nothing)'] },
    ])
  })

  it('does without a module that is gone, is a link, or asks for what there is not', {
    tags: 'long',
  }, async () => {
    const dir = await compiledSkills()
    const of = records(dir)
    const path = (name: string): string => join(dir, of.get(name)?.validators?.params ?? '')
    const [gone, linked, foreign] = [path('tool-0'), path('tool-1'), path('tool-4')]
    const elsewhere = join(temporary(), 'other.mjs')
    writeFileSync(elsewhere, 'export default () => () => true\n')
    rmSync(gone)
    rmSync(linked)
    symlinkSync(elsewhere, linked)
    writeFileSync(foreign, "export default require => require('other')\n")
    const { answers } = run(deployed(), { paths: [dir], calls: CALLS })
    expect(answers.map(brief)).toEqual(EXPECTED)
  })
})

describe('the interpreter and Ajv', () => {
  it('agree on any schema and value', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('2020-12' as const, 'draft-07' as const),
        SCHEMA,
        VALUE,
        (dialect, schema, value) => {
          const $schema = dialect === 'draft-07' ? 'http://json-schema.org/draft-07/schema#' : undefined
          const whole = { ...(schema as JsonObject), ...($schema && { $schema }), $defs: DEFS }
          const checked = checkSchema(whole)
          // What Ajv gets wrong it is never given: that is interpreted.
          if ('problem' in checked || !checked.isCompilable) return
          const validate = compiled(whole, dialect)
          const copy = cloneValue(value)
          const issues = interpretSchema(whole, checked, copy)
          expect({ schema: whole, value: copy, issues, valid: issues.length === 0 }).toMatchObject({
            valid: validate(copy),
          })
        },
      ),
      { numRuns: times(8, 20_000) },
    )
  })

  it('take no schema that the meta-schema of its dialect refuses', { tags: 'long' }, () => {
    const meta = new Ajv2020({ strict: false })
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom(...WORDS), fc.oneof(VALUE, SCHEMA, fc.array(SCHEMA, { maxLength: 2 }))),
        schema => {
          if ('problem' in checkSchema(schema as JsonObject)) return
          const { nullable: _, ...rest } = schema as JsonObject
          expect([schema, meta.validateSchema(rest)]).toEqual([schema, true])
        },
      ),
      { numRuns: times(5, 20_000) },
    )
  })
})

describe('patterns', () => {
  it('match what the language says that they match', () => {
    fc.assert(
      fc.property(
        PATTERN,
        fc.string({ unit: fc.constantFrom(...'aab-c0_ \né'), maxLength: 8 }),
        (pattern, text) => {
          expect([pattern, text, linearPattern(pattern).test(text)]).toEqual([
            pattern,
            text,
            new RegExp(pattern, 'u').test(text),
          ])
        },
      ),
      { numRuns: times(30, 100_000) },
    )
  })

  it.each(
    oneIn(3, [
      ['^\\d{3}-\\d{4}$', '555-1234', '555-123'],
      ['\\.(?:jpe?g|png)$', 'a.jpeg', 'a.gif'],
      ['^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$', 'a.b@c-d.org', 'a@b'],
      ['^(?!\\.)(?!.*\\.\\.)[a-z.]+$', 'a.b', 'a..b'],
      ['(?<=\\$)\\d+(?!\\d|px)', 'a $42', '42'],
      ['(?<!a)b', 'cb', 'ab'],
      ['\\bword\\b', 'a word.', 'words'],
      ['^\\p{Lu}\\p{L}*$', 'Émile', 'émile'],
      ['^[^\\s\\]\\u{1F600}]+$', 'a😁', 'a😀'],
      ['^\\uD83D\\uDE00$', '😀', '\uD83D'],
      ['^(?<year>\\d{4})$', '2024', '20245'],
      ['^a\\-b\\_c\\@d$', 'a-b_c@d', 'abcd'],
      ['^[\\w\\-\\ \\!]+$', 'a-b !', 'a.b'],
      ['', 'x', undefined],
      ['^$', '', 'a'],
    ]),
  )('%s', (pattern, yes, no) => {
    expect(linearPattern(pattern).test(yes)).toBe(true)
    if (no !== undefined) expect(linearPattern(pattern).test(no)).toBe(false)
  })

  it.each(
    oneIn(2, [
      '^(a+)+$',
      '^(a|a)*$',
      '(a*)*b',
      '^(?:a?){50}a{50}$',
      '(.*a){12}b',
      '\\s+$',
      '(?=(a+)+$)b',
      'x*x*x*x*x*y',
    ]),
  )('%s takes no time', pattern => {
    const elapsed = processorTime()
    expect(linearPattern(pattern).test(`${'a'.repeat(2000)}${' '.repeat(2000)}!`)).toBe(false)
    expect(elapsed()).toBeLessThan(10_000)
  })

  it.each(
    oneIn(2, [
      ['(a)\\1', /refers back/],
      ['(?<x>a)\\k<x>', /refers back/],
      ['(', /./],
      ['a{3}{4}', /./],
      ['((a{100}){100}){100}', /too much/],
      ['(?:){2000000000}((?:){9999}){9999}a{6000}', /too much/],
    ]),
  )('%s is refused', (pattern, why) => {
    expect(() => linearPattern(pattern)).toThrow(why)
  })

  it.runIf(isLong)('a text too long for its pattern is said to be so', async () => {
    const { error } = await call(
      { type: 'object', properties: { v: { pattern: '([ab]{0,1000}){2}c' } } },
      { v: 'ab'.repeat(100_000) },
    )
    expect(error?.issues?.[0]?.expected).toMatch(/^a shorter string/)
  })
})

describe('arguments', () => {
  it('count by their own properties, not by their prototypes’', async () => {
    const params = object({ constructor: { type: 'string' }, fixed: { const: { toString: 1 } } }, [])
    expect((await call(params, {})).result).toEqual({})
    const fixed = { fixed: { toString: 1 } }
    expect((await call(params, fixed)).result).toEqual(fixed)
    expect((await call(params, { constructor: 1 })).error?.issues).toMatchObject([{ path: 'constructor' }])
    const hostile = JSON.parse('{"__proto__": {"constructor": "a"}}')
    expect((await call(params, hostile)).error?.issues).toMatchObject([
      { path: '__proto__', expected: 'no such property' },
    ])
    const { result } = await call({ type: 'object' }, hostile)
    expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
    expect(Object.keys(result as object)).toEqual(['__proto__'])
  })

  it('are copied: the caller keeps what it passed', async () => {
    const params: JsonObject = {
      type: 'object',
      properties: { list: { items: { properties: { n: { default: 1 } } } }, deep: { default: { a: [] } } },
    }
    const args = Object.freeze({ list: Object.freeze([Object.freeze({})]) })
    const { result } = await call(params, args)
    expect(result).toEqual({ list: [{ n: 1 }], deep: { a: [] } })
    expect(args).toEqual({ list: [{}] })
    const first = (await call(params, {})).result as { deep: { a: unknown[] } }
    expect(() => first.deep.a.push(1)).toThrow(TypeError)
    expect((await call(params, {})).result).toEqual({ deep: { a: [] } })
    expect(params).toMatchObject({ properties: { deep: { default: { a: [] } } } })
  })

  it('keep what no JSON says, and lose what is undefined', async () => {
    const signal = new AbortController().signal
    const fn = (): void => {}
    const { result } = await call({ type: 'object' }, { signal, fn, at: new Date(0), none: undefined })
    expect(result).toEqual({ signal, fn, at: new Date(0) })
    expect((result as { signal: unknown }).signal).toBe(signal)
    expect(Object.keys(result as object)).toEqual(['signal', 'fn', 'at'])
  })

  it('that hold themselves are refused', async () => {
    const args: Record<string, unknown> = {}
    args.self = args
    expect((await call({ type: 'object' }, args)).error?.code).toBe('ARGS_INVALID')
  })

  it('that are wholly missing are said in a whole sentence', async () => {
    expect((await call({ type: 'string' }, undefined)).error?.message).toBe(
      'The arguments of "tool" are invalid: must be a string, not nothing',
    )
  })

  it('of a tool without params are none', async () => {
    expect((await call(undefined, {})).result).toEqual({})
    expect((await call(undefined, { a: 1 })).error?.code).toBe('ARGS_INVALID')
    expect((await call(undefined, 5)).error?.code).toBe('ARGS_INVALID')
  })

  it('take time in proportion to themselves, whatever the schema', { tags: 'long' }, async () => {
    const laughs: JsonObject = Object.fromEntries(
      Array.from({ length: 30 }, (_, n) => [
        `d${n}`,
        { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    )
    const branching = {
      anyOf: [{ properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' }, b: true } }],
      required: ['n'],
    }
    const elapsed = processorTime()
    const billion: JsonObject = {
      type: 'object',
      $ref: '#/$defs/d0',
      $defs: { ...laughs, d30: { required: ['x'] } },
    }
    expect((await call(billion, {})).error?.issues).toMatchObject([{ path: 'x' }])
    expect((await call(billion, { x: 1 })).result).toEqual({ x: 1 })
    const many = { list: Array.from({ length: 20_000 }, (_, n) => ({ n })) }
    const unique: JsonObject = { type: 'object', properties: { list: { uniqueItems: true } } }
    expect((await call(unique, many)).result).toEqual(many)
    let deep: object = {}
    for (let level = 0; level < 100; level++) deep = { a: deep, n: 1 }
    expect((await call({ type: 'object', ...branching }, deep)).error?.code).toBe('ARGS_INVALID')
    expect(elapsed()).toBeLessThan(5000)
  })
})

describe('results', () => {
  const returns: JsonObject = {
    type: 'object',
    properties: { words: { type: 'number' } },
    required: ['words'],
  }
  const give = async (result: unknown) => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'count', returns, fn: () => result })
    return outcome(() => invoke('count', {}, globals))
  }

  it('are compared and handed on as they are', async () => {
    const result = { words: 1, more: undefined }
    expect((await give(result)).result).toBe(result)
    const { error } = await give({ words: '1' })
    expect(error).toMatchObject({
      code: 'RESULT_INVALID',
      tool: 'count',
      issues: [{ path: 'words', expected: 'a number', found: '"1"' }],
    })
    expect((await give(undefined)).error?.code).toBe('RESULT_INVALID')
  })

  it('may be a failure, or have the compared part in `output`', async () => {
    expect((await give({ error: 'NONE' })).result).toEqual({ error: 'NONE' })
    expect((await give({ title: '', metadata: {}, output: { words: 1 } })).error).toBeUndefined()
    expect((await give({ title: '', metadata: {}, output: {} })).error?.issues).toMatchObject([
      { path: 'words' },
    ])
  })
})

describe('$resolve', () => {
  it('is held to what it finds at each call, however its object changed since', async () => {
    const globals = emptyGlobals()
    registerTool(globals, { name: 'one', params: { $resolve: 'nonlocals.own' }, fn: (_, args) => args })
    const own: { type: string; properties: JsonObject } = {
      type: 'object',
      properties: { a: { type: 'number', default: 1 } },
    }
    const call = (args: object) => invoke('one', args, globals, { nonlocals: { own } })
    expect(await call({})).toEqual({ a: 1 })
    own.properties = { a: { type: 'string', default: 'x' } }
    expect(await call({})).toEqual({ a: 'x' })
    await expect(call({ a: 1 })).rejects.toMatchObject({ issues: [{ path: 'a', expected: 'a string' }] })
    own.properties = { a: { type: 'number', default: 1 } }
    expect(await call({})).toEqual({ a: 1 })
    await expect(call({ a: 'x' })).rejects.toMatchObject({ issues: [{ path: 'a', expected: 'a number' }] })
  })

  const params: JsonObject = {
    $resolve: 'nonlocals.schema',
    type: 'object',
    properties: { a: { type: 'string' } },
  }
  const context = (nonlocals: unknown): Context => ({ nonlocals }) as unknown as Context

  it('puts what it finds in the schema’s place', () => {
    const found = { type: 'object' }
    expect(resolveJsonSchema(params, context({ schema: found }))).toBe(found)
    for (const absent of [undefined, {}, { schema: null }, { schema: 'text' }])
      expect(resolveJsonSchema(params, context(absent))).toBe(params)
    expect(resolveJsonSchema(undefined, context({}))).toBeUndefined()
    const plain = { type: 'object' }
    expect(resolveJsonSchema(plain, context({}))).toBe(plain)
  })

  it('counts when the tool is called, and the context says what held', async () => {
    const globals = emptyGlobals()
    const schema = { type: 'object', required: ['b'] }
    Object.assign(globals, { gateway: { schema } })
    let seen: unknown
    registerTool(globals, {
      name: 'send',
      params: { ...params, $resolve: 'globals.gateway.schema' },
      returns: { $resolve: 'globals.absent', type: 'number' },
      fn: ctx => {
        seen = (ctx as Context).run.tool.params
        return 1
      },
    })
    expect((await outcome(() => invoke('send', {}, globals))).error?.issues).toMatchObject([{ path: 'b' }])
    expect((await outcome(() => invoke('send', { b: 1, a: 5 }, globals))).result).toBe(1)
    expect(seen).toBe(schema)
    Object.assign(globals, { gateway: {} })
    expect((await outcome(() => invoke('send', { a: 5 }, globals))).error?.issues).toMatchObject([
      { path: 'a' },
    ])
  })

  it('counts over what was compiled', async () => {
    const { dir } = codeProject({
      'skills/send.skill.js': `export const frontmatter = { name: 'send', description: 'Sends.', metadata: { params: ${JSON.stringify({ ...params, $resolve: 'globals.schema' })} } }\nexport default (_ctx, args) => args\n`,
    })
    await compile({ cwd: dir, paths: [dir] })
    const { globals, invoke: run } = createRuntime({ paths: [dir], freshness: 'trust' })
    expect(await run('send', { a: 'x' })).toEqual({ a: 'x' })
    Object.assign(globals, { schema: { type: 'object', required: ['b'] } })
    expect((await outcome(() => run('send', { a: 'x' }))).error?.issues).toMatchObject([{ path: 'b' }])
  })
})

describe('schemas of a library', () => {
  const tool = defineTool({
    name: 'order',
    params: z.object({
      email: z.email(),
      n: z.number().default(1),
      even: z
        .number()
        .refine(n => n % 2 === 0, 'must be even')
        .optional(),
    }),
    execute: args => args,
  })
  const order = async (args: unknown) => {
    const globals = emptyGlobals()
    const { metadata } = await tool.frontmatter()
    registerTool(globals, {
      name: 'order',
      params: (metadata as JsonObject).params as JsonObject,
      fn: tool.fn,
    })
    return outcome(() => invoke('order', args, globals))
  }

  it('are compared as JSON Schema, then by the library', async () => {
    expect((await order({ email: 'a@example.com' })).result).toEqual({ email: 'a@example.com', n: 1 })
    expect((await order({ n: 'x' })).error).toMatchObject({
      code: 'ARGS_INVALID',
      issues: [
        { path: 'email', found: 'nothing' },
        { path: 'n', found: '"x"' },
      ],
    })
    expect((await order({ email: 'a..b@example.com' })).error?.issues?.[0]?.expected).toMatch(
      /^a string that matches/,
    )
    expect((await order({ email: 'a@example.com', even: 3 })).error).toMatchObject({
      code: 'ARGS_INVALID',
      issues: [{ path: 'even', expected: 'must be even', found: '3', message: 'even: must be even' }],
    })
  })
})

describe('hostile schemas', () => {
  const deep = (levels: number): JsonObject => (levels === 0 ? {} : { not: deep(levels - 1) })
  const HOSTILE: Record<string, [params: JsonObject, reason: RegExp, line: number]> = {
    'an unknown type': [{ properties: { a: { type: 'text' } } }, /"type" must be one of/, 8],
    'a remote reference': [
      { properties: { a: { $ref: 'https://example.com/x.json' } } },
      /must lead to a part of the schema itself/,
      8,
    ],
    'a reference to nothing': [{ properties: { a: { $ref: '#/$defs/x' } } }, /which is not a schema/, 8],
    'a reference to a prototype': [
      { properties: { a: { $ref: '#/constructor' } } },
      /which is not a schema/,
      8,
    ],
    'a circle': [{ properties: { a: { $ref: '#/properties/a' } } }, /refers to itself without end/, 8],
    'a longer circle': [
      { properties: { a: { anyOf: [{ not: { $ref: '#/properties/a' } }] } } },
      /refers to itself without end/,
      8,
    ],
    'a pattern that refers back': [{ properties: { a: { pattern: '(a*)\\1' } } }, /refers back/, 8],
    'a pattern that is none': [{ properties: { a: { pattern: '(' } } }, /Unterminated group/, 8],
    'a name that is not a pattern': [{ patternProperties: { '[': {} } }, /cannot be used/, 8],
    'a tuple of draft-07': [{ properties: { a: { items: [{}] } } }, /a tuple is "prefixItems"/, 8],
    'a dialect of its own': [{ $schema: 'https://example.com/schema' }, /dialect/, 7],
    'a name inside': [{ properties: { a: { $id: 'x' } } }, /no "\$id" of its own/, 8],
    'a schema that promises its verdict': [{ $async: true, type: 'object' }, /"\$async" is not supported/, 7],
    'a dynamic reference': [{ properties: { a: { $dynamicRef: '#a' } } }, /use "\$ref"/, 8],
    'required that is not a list': [{ required: true }, /array of different strings/, 7],
    'a required name twice': [{ required: ['a', 'a'] }, /array of different strings/, 7],
    'an empty enum': [{ properties: { a: { enum: [] } } }, /not empty/, 8],
    'a negative length': [{ properties: { a: { maxLength: -1 } } }, /integer/, 8],
    'a bound that is a text': [{ properties: { a: { minimum: '1' } } }, /a number, not "1"/, 8],
    'no step': [{ properties: { a: { multipleOf: 0 } } }, /greater than 0/, 8],
    'a schema that is a text': [{ properties: { a: 'string' } }, /a schema must be an object/, 8],
  }

  it.each(oneIn(3, Object.entries(HOSTILE)))('%s', async (_, [params, reason, line]) => {
    const root = temporary()
    const [[key, value] = ['', null]] = Object.entries(params)
    const yaml = `    ${key}: ${line === 8 ? `{\n      ${JSON.stringify(value).slice(1)}` : JSON.stringify(value)}`
    writeFileSync(
      join(root, 'a.skill.md'),
      `---\nname: a\ndescription: Does.\nmetadata:\n  params:\n    type: object\n${yaml}\n---\nText.\n`,
    )
    writeFileSync(join(root, 'b.skill.md'), '---\nname: b\ndescription: Does.\n---\nText.\n')
    for (const { diagnostics } of [
      await check({ cwd: root, paths: ['.'] }),
      await compile({ cwd: root, paths: ['.'] }),
    ]) {
      expect(
        diagnostics.map(({ name, ruleId, fatal }) => [name.split(':').slice(0, 2).join(':'), ruleId, fatal]),
      ).toEqual([[`a.skill.md:${line}`, 'schema-invalid', false]])
      expect(diagnostics[0]?.reason).toMatch(reason)
    }
    const runtime = createRuntime({ paths: ['.'], cwd: root, freshness: 'trust' })
    expect((await runtime.findTool('a'))?.name).toBe('a')
    expect((await outcome(() => runtime.invoke('a', {}))).error).toMatchObject({
      code: 'SCHEMA_INVALID',
      tool: 'a',
      file: join(root, 'a.skill.md'),
      position: { line: 5, column: 3 },
    })
    expect(await runtime.invoke('b')).toBe('Text.\n')
  })

  it.each(
    oneIn(
      3,
      Object.entries({
        'deeper than the limit': [{ type: 'object', allOf: [deep(65)] }, /deeper than 64/],
        'larger than the limit': [{ type: 'object', description: 'a'.repeat(262_144) }, /characters/],
        'more keywords than the limit': [
          {
            type: 'object',
            properties: Object.fromEntries(
              Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { type: 'string' }]),
            ),
          },
          /keywords/,
        ],
        'patterns that are large together': [
          {
            type: 'object',
            properties: Object.fromEntries(
              Array.from({ length: 50 }, (_, n) => [`p${n}`, { pattern: 'a{4000}' }]),
            ),
          },
          /repeat too much/,
        ],
        'a key that reaches the prototype': [
          JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}'),
          /__proto__/,
        ],
        'what no JSON says': [{ type: 'object', default: (() => {}) as unknown as string }, /function/],
      } satisfies Record<string, [JsonObject, RegExp]>),
    ),
  )('%s, of a registered tool', async (_, [params, reason]) => {
    const { error } = await call(params, {})
    expect(error).toMatchObject({ code: 'SCHEMA_INVALID' })
    expect(error?.message).toMatch(reason)
  })

  it('a schema that holds itself as an object', async () => {
    const params: JsonObject = { type: 'object' }
    params.properties = { a: params }
    expect((await call(params, {})).error?.message).toMatch(/deeper than 64/)
  })

  it('at the limits all is well', async () => {
    const properties = Object.fromEntries(
      Array.from({ length: 2_400 }, (_, n) => [`p${n}`, { type: 'string', minLength: 1 }]),
    )
    expect((await call({ type: 'object', properties }, { p7: 'a' })).result).toEqual({ p7: 'a' })
    expect((await call({ type: 'object', allOf: [deep(61)] }, {})).error?.code).not.toBe('SCHEMA_INVALID')
  })

  it('in code, with what only running it tells', { tags: 'long' }, async () => {
    const { dir } = codeProject({
      'skills/a.skill.js': `export const frontmatter = {\n  name: 'a',\n  description: 'Does.',\n  metadata: {\n    params: {\n      type: 'object',\n      properties: { a: { type: 'text' } },\n    },\n  },\n}\nexport default () => 1\n`,
      'skills/b.skill.js': `const types = ['te', 'xt'].join('')\nexport const frontmatter = {\n  name: 'b',\n  description: 'Does.',\n  metadata: { returns: { type: types }, params: { type: 'object', properties: { a: { enum: [...types.split(',')] } } } },\n}\nexport default () => 1\n`,
    })
    const { diagnostics } = await compile({ cwd: dir, paths: [dir] })
    expect(diagnostics.map(shown)).toEqual([
      'a.skill.js:7:32 schema-invalid error',
      'b.skill.js:1:15 schema-invalid error',
    ])
  })
})

describe('compiling schemas', () => {
  it('makes one module of one schema, and none of none', async () => {
    const root = temporary()
    for (const name of ['a', 'b', 'c']) write(root, name, object({ text: { type: 'string' } }, []))
    write(root, 'd', object({ other: { type: 'string' } }, []))
    write(root, 'e', undefined)
    await compile({ cwd: root, paths: ['.'] })
    expect(modules(root).length).toBe(2)
    const files = records(root)
    expect(files.get('a')?.validators).toEqual(files.get('b')?.validators)
    expect(files.get('a')?.validators).not.toEqual(files.get('d')?.validators)
    expect(files.get('e')?.validators).toBeUndefined()
  })

  it('compiles what changed, keeps what did not, and removes what nobody has', async () => {
    const root = temporary()
    const options = { cwd: root, paths: ['.'] }
    write(root, 'a', object({ text: { type: 'string' } }, []))
    write(root, 'b', object({ other: { type: 'string' } }, []))
    await compile(options)
    const before = modules(root)
    const ofA = records(root).get('a')?.validators?.params ?? ''
    const { mtimeMs, ino } = statSync(join(root, ofA))
    expect((await compile(options)).written).toEqual([])
    write(root, 'b', object({ other: { type: 'number' } }, []))
    const { written } = await compile(options)
    expect(written.filter(file => file.includes('module-')).length).toBe(1)
    expect(statSync(join(root, ofA))).toMatchObject({ mtimeMs, ino })
    expect(modules(root).length).toBe(2)
    expect(modules(root)).not.toEqual(before)
    expect((await compile({ ...options, check: true })).outdated).toEqual([])
    write(root, 'b', undefined)
    await compile(options)
    expect(modules(root)).toEqual([ofA.split('/')[1]])
    rmSync(join(root, ofA))
    expect((await compile(options)).written).toEqual([ofA])
    expect(existsSync(join(root, ofA))).toBe(true)
    expect((await compile(options)).written).toEqual([])
  })

  it('gives the same bytes without the last compile', async () => {
    const root = temporary()
    write(root, 'a', object({ text: { type: 'string', pattern: '^a' } }, ['text']))
    await compile({ cwd: root, paths: ['.'] })
    write(root, 'b', object({ text: { type: 'string' } }, []))
    await compile({ cwd: root, paths: ['.'] })
    expect((await compile({ cwd: root, paths: ['.'], check: true })).outdated).toEqual([])
    expect((await compile({ cwd: root, paths: ['.'], force: true })).written).toEqual([])
  })
})

describe('docs/schemas.md', () => {
  it('tells the truth about the issues of its example', async () => {
    const page = readFileSync(join(ROOT, 'docs/schemas.md'), 'utf8')
    const [, path = '', text = ''] = /^```md (\S+)\n([\s\S]*?)^```$/m.exec(page) ?? []
    const root = temporary()
    writeFileSync(join(root, path), text)
    const runtime = createRuntime({ paths: ['.'], cwd: root })
    expect(await runtime.invoke('greet', { name: 'Ada' })).toBe('Hello Ada! ')
    const rows = [...page.matchAll(/^\| (?:`(\{.*\})`)? ?\| `(\S+)` \| `(.*?)` \| `(.*?)` \|$/gm)]
    const calls = new Map<string, string[]>()
    let current = ''
    for (const [, args = current, ...issue] of rows) {
      current = args
      calls.set(args, [...(calls.get(args) ?? []), issue.join(' | ')])
    }
    expect(calls.size).toBe(3)
    for (const [args, issues] of calls) {
      const { error } = await outcome(() => runtime.invoke('greet', JSON.parse(args)))
      expect(error?.issues?.map(one => [one.path, one.expected, one.found].join(' | '))).toEqual(issues)
    }
  })
})

/** What a schema's module decides by. */
function compiled(schema: JsonObject, dialect: Dialect): (value: unknown) => boolean {
  const ajv = new (dialect === 'draft-07' ? Ajv : Ajv2020)(AJV_OPTIONS)
  const text = factoryText(standalone.default(ajv, ajv.compile(withoutNames(schema)))) ?? ''
  return fromFactory(new Function(text.replace('export default', 'return'))())
}

function object(properties: JsonObject, required: string[], more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
    ...more,
  }
}

function nested(levels: number): object {
  return levels === 0 ? { n: 1 } : { n: 1, child: nested(levels - 1) }
}

/** A folder with a tool for each case, which gives back its arguments. */
function skills(): string {
  const root = temporary()
  for (const [number, { params }] of Object.values(CASES).entries())
    write(root, `tool-${number}`, params, true)
  return root
}

let compiledOnce: Promise<string> | undefined

/** A copy of that folder, compiled. */
async function compiledSkills(): Promise<string> {
  compiledOnce ??= (async () => {
    const dir = skills()
    const { diagnostics } = await compile({ cwd: dir, paths: [dir] })
    expect(diagnostics.map(shown)).toEqual([])
    return dir
  })()
  const copy = join(temporary(), 'copied')
  cpSync(await compiledOnce, copy, { recursive: true, preserveTimestamps: true })
  return copy
}

let deployedOnce: string | undefined

/** The script beside a deployment of the runtime, which no test changes. */
function deployed(): string {
  deployedOnce ??= deployRuntime(SCRIPT)
  return deployedOnce
}

function write(root: string, name: string, params: JsonObject | undefined, delegate = false): void {
  const metadata = [
    ...(params ? [`  params: ${JSON.stringify(params)}`] : []),
    ...(delegate ? ['  delegate: "inline://code,export default (_ctx, args) => args"'] : []),
  ]
  const frontmatter = [
    `name: ${name}`,
    'description: Does.',
    ...(metadata.length > 0 ? ['metadata:', ...metadata] : []),
  ]
  writeFileSync(join(root, `${name}.skill.md`), `---\n${frontmatter.join('\n')}\n---\nText.\n`)
}

function records(dir: string): Map<string, { validators?: { params?: string; returns?: string } }> {
  return new Map(Object.entries(JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8')).tools))
}

function modules(dir: string): string[] {
  return readdirSync(join(dir, '.agent-apps')).filter(name => name.startsWith('module-'))
}

/** An application where the whole package is installed, with what it depends on. */
function installed(): string {
  const app = temporary()
  mkdirSync(join(app, 'node_modules'))
  symlinkSync(ROOT, join(app, 'node_modules', 'agent-apps'))
  writeFileSync(join(app, 'script.mjs'), readFileSync(SCRIPT))
  return app
}

interface Answer {
  result?: unknown
  code?: string
  issues?: { path: string; expected: string; found: string }[]
}

function run(
  script: string,
  job: unknown,
  flags: string[] = [],
): { answers: Answer[]; via: Record<string, number> } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, script], {
    cwd: dirname(script),
    input: JSON.stringify(job),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`exit ${status}: ${stderr}`)
  return JSON.parse(stdout)
}

function brief({ issues, ...answer }: Answer): unknown {
  return issues
    ? { ...answer, issues: issues.map(({ path, expected, found }) => `${path}: ${expected} (${found})`) }
    : answer
}

const VALUE = fc.letrec<{ value: unknown }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, 1, 2, 2.5, -1, '', 'a', 'ab', '😀', 'ba'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), tie('value'), { maxKeys: 3 }),
  ),
})).value

const DEFS = {
  text: { type: 'string' },
  tree: { properties: { a: { $ref: '#/$defs/tree' } }, type: ['object', 'number'] },
}

const SCHEMA = fc
  .letrec<{ schema: unknown; map: unknown; list: unknown }>(tie => ({
    map: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'toString'), tie('schema'), { maxKeys: 3 }),
    list: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
    schema: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(
        true,
        false,
        {},
        { type: 'string' },
        { type: ['integer', 'object'] },
        { type: 'array' },
        { enum: [1, 'a', null] },
        { const: { a: 1 } },
        { $ref: '#/$defs/text' },
        { $ref: '#/$defs/tree' },
      ),
      fc.record(
        {
          type: fc.constantFrom('object', 'array', 'number', 'string', ['object', 'array']),
          properties: tie('map'),
          patternProperties: fc.dictionary(fc.constantFrom('a', '^b', '.'), tie('schema'), { maxKeys: 2 }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          required: fc.uniqueArray(fc.constantFrom('a', 'b', 'toString')),
          minProperties: fc.nat(2),
          maxProperties: fc.nat(2),
          dependentRequired: fc.constant({ a: ['b'] }),
          dependentSchemas: tie('map'),
          dependencies: tie('map'),
          prefixItems: tie('list'),
          items: tie('schema'),
          contains: tie('schema'),
          minContains: fc.nat(2),
          maxContains: fc.nat(2),
          minItems: fc.nat(2),
          maxItems: fc.nat(2),
          uniqueItems: fc.boolean(),
          minLength: fc.nat(2),
          maxLength: fc.nat(2),
          pattern: fc.constantFrom('a', '^b*$', '(a|b)+c?'),
          minimum: fc.nat(2),
          exclusiveMaximum: fc.nat(3),
          multipleOf: fc.constantFrom(1, 0.5, 2),
          allOf: tie('list'),
          anyOf: tie('list'),
          oneOf: tie('list'),
          not: tie('schema'),
          if: tie('schema'),
          // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
          then: tie('schema'),
          else: tie('schema'),
          unevaluatedProperties: tie('schema'),
        },
        { requiredKeys: [] },
      ),
    ),
  }))
  .schema.filter(schema => typeof schema === 'object')

const WORDS = [
  'type',
  'properties',
  'items',
  'required',
  'enum',
  'allOf',
  'not',
  'minimum',
  'maxLength',
  'multipleOf',
  '$defs',
  'default',
  'title',
  'uniqueItems',
  'dependentRequired',
  'dependentSchemas',
  'examples',
  '$comment',
  'additionalProperties',
  'prefixItems',
  'deprecated',
  'propertyNames',
]

const PATTERN = fc.letrec<{ pattern: string }>(tie => ({
  pattern: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(
      'a',
      'b',
      '.',
      '[ab]',
      '[^a]',
      '\\w',
      '\\W',
      '\\s',
      '\\d',
      '\\b',
      '\\B',
      '^',
      '$',
      '-',
      '😀',
      '',
      '\\u0061',
      '\\p{L}',
      '[\\]\\-a]',
    ),
    fc.tuple(tie('pattern'), tie('pattern')).map(parts => parts.join('')),
    fc.tuple(tie('pattern'), tie('pattern')).map(parts => `(?:${parts.join('|')})`),
    fc
      .tuple(
        tie('pattern'),
        fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,1}', '{1,}', '*?', '+?', '{0}'),
      )
      .map(([part, sign]) => `(${part})${sign}`),
    fc
      .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern'))
      .map(([sign, part]) => `(${sign}${part})`),
  ),
})).pattern
