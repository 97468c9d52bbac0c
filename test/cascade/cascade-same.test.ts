import { type AgentAppsError, createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import {
  around,
  bothWays,
  type Case,
  code,
  fromBundles,
  main,
  type Outcome,
  text,
  worker,
} from '../support/cascade-project.js'
import { oneIn } from '../support/long.js'
import { makeTree } from '../support/tree.js'

/** What is said of a case: per call what ran, in order, then what it gave. */
type Said = (string | undefined)[]

/** Middleware without promotions of its own, so that what runs stays easy to read. */
const ALONE = { $inherit: false }
const M = {
  'skills/m.skill.js': around('m', ALONE),
  'skills/n.skill.js': around('n', ALONE),
  'skills/o.skill.js': around('o', ALONE),
}

/** Small projects, and what their calls do. */
const CASES: Record<string, Case & { said: Said[] }> = {
  'nothing around a tool': {
    tree: { 'skills/t.skill.js': worker('t', { version: 1 }) },
    calls: [['t']],
    said: [['t', '= t']],
  },
  'own keys, in their order': {
    tree: { ...M, 'skills/t.skill.js': worker('t', { o: 1, data: 2, m: { a: [1, null] } }) },
    calls: [['t']],
    said: [['> o 1', '> m {"a":[1,null]}', 't', '< m', '< o', '= t']],
  },
  'false is a value, null takes away': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ $local: { m: 1, n: 1 } }),
      'skills/t.skill.js': worker('t', { m: false, n: null }),
    },
    calls: [['t']],
    said: [['> m false', 't', '< m', '= t']],
  },
  'without $self a middleware is given what is written, with it the two joined': {
    tree: {
      ...M,
      'skills/self.skill.js': around('self', { ...ALONE, $self: { a: 1 } }),
      'skills/none.skill.js': `export const frontmatter = { name: 'none', description: 'x', metadata: { role: 'middleware', $inherit: false } }
export default async (ctx, { level = 'default' } = {}) => void globalThis.calls.push(level)
`,
      'skills/SKILL.md': main({ $local: { n: true } }),
      'skills/t.skill.js': worker('t', { m: true, self: true, none: true }),
      'skills/u.skill.js': worker('u', { m: {}, self: { b: 2 }, none: { level: 'own' } }),
    },
    calls: [['t'], ['u']],
    said: [
      ['> n true', '> m true', '> self {"a":1}', 'default', 't', '< self', '< m', '< n', '= t'],
      ['> n true', '> m {}', '> self {"a":1,"b":2}', 'own', 'u', '< self', '< m', '< n', '= u'],
    ],
  },
  $inherit: {
    tree: {
      ...M,
      'skills/base/SKILL.md': text('base', { m: { a: 1 }, role: 'context', tags: ['x'] }),
      'skills/t.skill.js': worker('t', { $inherit: 'base', m: { b: 2 } }),
    },
    calls: [['t']],
    said: [['> m {"a":1,"b":2}', 't', '< m', '= t']],
  },
  '$inherit, later ones stronger, and [] against false': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ $local: { o: 'promoted' } }),
      'skills/b1.skill.md': text('b1', { m: 1, n: 1 }),
      'skills/b2.skill.md': text('b2', { m: 2, $inherit: 'b1' }),
      'skills/t.skill.js': worker('t', { $inherit: ['b2', 'b1'] }),
      'skills/u.skill.js': worker('u', { $inherit: [] }),
      'skills/v.skill.js': worker('v', { $inherit: false, m: 3 }),
    },
    calls: [['t'], ['u'], ['v']],
    said: [
      ['> o "promoted"', '> m 1', '> n 1', 't', '< n', '< m', '< o', '= t'],
      ['> o "promoted"', 'u', '< o', '= u'],
      ['> m 3', 'v', '< m', '= v'],
    ],
  },
  '$inherit by path, file URL aside, by layer and by name over two path entries': {
    tree: {
      'first/deep/t.skill.js': worker('t', { $inherit: '../bases/base.skill.md' }),
      'first/bases/base.skill.md': text('base', { m: 'first' }),
      'first/m.skill.js': around('m', ALONE),
      'second/base/SKILL.md': text('base', { m: 'second' }),
      'second/only/SKILL.md': text('only', { m: 'only' }),
      'second/u.skill.js': worker('u', { $inherit: 'base' }),
      'second/v.skill.js': worker('v', { $inherit: 'layer://project/only' }),
      'second/w.skill.js': worker('w', { $inherit: './base' }),
      'first/x.skill.js': worker('x', { $inherit: '../second/base/SKILL.md' }),
      'first/y.skill.js': worker('y', { $inherit: ['./pair.skill.md#two'] }),
      'first/pair.skill.md': `${text('one', { m: 1 }, 'One.\n\n')}${text('two', { m: 2 })}`,
    },
    paths: ['first', 'second'],
    calls: [['t'], ['u'], ['v'], ['w'], ['x'], ['y']],
    said: [
      ['> m "first"', 't', '< m', '= t'],
      ['> m "first"', 'u', '< m', '= u'],
      ['> m "only"', 'v', '< m', '= v'],
      ['> m "second"', 'w', '< m', '= w'],
      ['> m "second"', 'x', '< m', '= x'],
      ['> m 2', 'y', '< m', '= y'],
    ],
  },
  '$inherit by a path that leads out of all path entries': {
    tree: {
      ...M,
      'elsewhere/base.skill.md': text('base', { m: 1 }),
      'skills/t.skill.js': worker('t', { $inherit: '../elsewhere/base.skill.md' }),
    },
    calls: [['t']],
    said: [
      [
        '! CASCADE_INVALID The metadata of "t" cannot be resolved: there is no tool "../elsewhere/base.skill.md" to inherit from.',
      ],
    ],
  },
  '$inherit of the library': {
    tree: { ...M, 'skills/t.skill.js': worker('t', { $inherit: 'layer://bundled/library', m: 1 }) },
    calls: [['t']],
    said: [['> m 1', 't', '< m', '= t']],
  },
  '$private and $public': {
    tree: {
      ...M,
      'skills/b1.skill.md': text('b1', { m: 1, n: 1, $private: ['n'] }),
      'skills/b2.skill.md': text('b2', { m: 2, n: 2, o: 2, $public: ['n', 'o'], $private: ['o'] }),
      'skills/t.skill.js': worker('t', { $inherit: 'b1' }),
      'skills/u.skill.js': worker('u', { $inherit: 'b2' }),
    },
    calls: [['t'], ['u']],
    said: [
      ['> m 1', 't', '< m', '= t'],
      ['> n 2', 'u', '< n', '= u'],
    ],
  },
  '$local of the nearest main, $global of the root one': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ m: 'own', $local: ['m'], $global: { n: 'global' } }, 'root'),
      'skills/area/main.skill.md': main({ $local: { o: 'area' } }, 'area'),
      'skills/area/x/t.skill.js': worker('t'),
      'skills/u.skill.js': worker('u'),
      'more/v.skill.js': worker('v'),
    },
    paths: ['skills', 'more'],
    calls: [['t'], ['u'], ['v']],
    said: [
      ['> n "global"', '> o "area"', 't', '< o', '< n', '= t'],
      ['> n "global"', '> m "own"', 'u', '< m', '< n', '= u'],
      ['> n "global"', 'v', '< n', '= v'],
    ],
  },
  'two mains in one folder': {
    tree: {
      ...M,
      'skills/b.skill.md': main({ $local: { m: 'b' } }, 'b'),
      'skills/a.skill.md': main({ $local: { m: 'a' } }, 'z'),
      'skills/t/SKILL.md': text('t', { delegate: './t.js', $inherit: [] }),
      'skills/t/t.js': `export default () => { globalThis.calls.push('t'); return 't' }\n`,
    },
    calls: [['t']],
    said: [['> m "a"', 't', '< m', '= t']],
  },
  'a middleware in the second directory, and its own main': {
    tree: {
      'skills/t.skill.js': worker('t', { m: 1 }),
      'more/SKILL.md': main({ $local: { n: 'more' }, $global: { n: 'all' } }),
      'more/m.skill.js': around('m', ALONE),
      'more/n.skill.js': around('n', { $inherit: false }),
    },
    paths: ['skills', 'more'],
    calls: [['t']],
    said: [['> n "all"', '> m 1', 't', '< m', '< n', '= t']],
  },
  'a middleware that shadows another, and one of another role that does not': {
    tree: {
      'skills/t.skill.js': worker('t', { m: 1, n: 2 }),
      'skills/m.skill.js': around('m', { $self: { from: 'first' } }),
      'skills/n.skill.md': text('n'),
      'more/m.skill.js': around('m', { $self: { from: 'second' } }),
      'more/n.skill.js': around('n', { $self: { from: 'second' } }),
    },
    paths: ['skills', 'more'],
    calls: [['t']],
    said: [['> m 1', '> n 2', 't', '< n', '< m', '= t']],
  },
  '$remove of what is inherited and promoted, by key, pattern and path': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ $local: { m: 'promoted', n: { a: 1, b: 2 } } }),
      'skills/base.skill.md': text('base', { o: [1, 2, 3], 'cache-a': 1 }),
      'skills/t.skill.js': worker('t', { $inherit: 'base', $remove: ['m', 'n.a', 'o[0]', 'cache-*'] }),
    },
    calls: [['t']],
    said: [['> n {"b":2}', '> o [2,3]', 't', '< o', '< n', '= t']],
  },
  '$merge over three layers': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ $local: { m: [1], n: [1], o: { a: { x: 1 } } }, $inherit: [] }),
      'skills/base.skill.md': text('base', { m: [2], n: [2], o: { a: { y: 2 } } }),
      'skills/t.skill.js': worker('t', {
        $inherit: 'base',
        $merge: { m: 'append', n: 'prepend', o: 'replace' },
        m: [3],
        n: [3],
        o: { b: 1 },
      }),
      'skills/u.skill.js': worker('u', {
        $inherit: 'base',
        $merge: { m: 'union' },
        m: [2, 1, 4],
        o: { b: 1 },
      }),
    },
    calls: [['t'], ['u']],
    said: [
      ['> m [1,2,3]', '> n [3,2,1]', '> o {"b":1}', 't', '< o', '< n', '< m', '= t'],
      ['> m [1,2,4]', '> n [2]', '> o {"a":{"x":1,"y":2},"b":1}', 'u', '< o', '< n', '< m', '= u'],
    ],
  },
  '$order with promotions': {
    tree: {
      ...M,
      'skills/SKILL.md': main({ $local: { m: 1, n: 1 } }),
      'skills/t.skill.js': worker('t', { o: 1, $order: ['o', '*', 'm'] }),
      'skills/u.skill.js': worker('u', { o: 1, $order: ['n'] }),
    },
    calls: [['t'], ['u']],
    said: [
      ['> o 1', '> n 1', '> m 1', 't', '< m', '< n', '< o', '= t'],
      ['> n 1', '> m 1', '> o 1', 'u', '< o', '< m', '< n', '= u'],
    ],
  },
  '$static, $dynamic and $self': {
    tree: {
      'skills/m.skill.js': around('m', { n: 'of m', $self: { a: 1, b: { c: 1 } } }),
      'skills/n.skill.js': around('n', ALONE),
      'skills/t.skill.js': worker('t', { m: { b: { d: 2 } } }),
      'skills/u.skill.js': worker('u', { m: true, $static: ['m'] }),
      'skills/v.skill.js': worker('v', { m: 'text', $dynamic: ['m'] }),
    },
    calls: [['t'], ['u'], ['v']],
    said: [
      ['> n "of m"', '> m {"a":1,"b":{"c":1,"d":2}}', 't', '< m', '< n', '= t'],
      ['> m {"a":1,"b":{"c":1}}', 'u', '< m', '= u'],
      ['> n "of m"', '> m "text"', 'v', '< m', '< n', '= v'],
    ],
  },
  'hooks, also with early results': {
    tree: {
      ...M,
      'skills/h.skill.js': code(
        'h',
        { role: 'middleware', $hook: '$next' },
        `say('>', 'h', ctx.run.hook.target)\nawait ctx.manager.next()\nsay('<', 'h')`,
      ),
      'skills/i.skill.js': code(
        'i',
        { role: 'middleware', $hook: ['$invoke', '$next'] },
        `if (ctx.run.hook.trigger === '$next') return\nsay('>', 'i', ctx.run.hook.target)\nconst r = await ctx.manager.next()\nsay('<', 'i')\nreturn r + '!'`,
      ),
      'skills/early.skill.js': code('early', { role: 'middleware' }, `say('early')\nreturn 'early'`),
      'skills/t.skill.js': worker('t', { h: 1, m: 1, i: 1 }),
      'skills/u.skill.js': worker('u', { h: 1, m: 1, early: 1, n: 1, i: 1 }),
    },
    calls: [['t'], ['u']],
    said: [
      ['> i m', '> h m', '> m 1', '> h t', 't', '< h', '< m', '< h', '< i', '= t!'],
      ['> i m', '> h m', '> m 1', '> h early', 'early', '< h', '< m', '< h', '< i', '= early!'],
    ],
  },
  'throws through three middlewares, one of which answers it': {
    tree: {
      ...M,
      'skills/rescue.skill.js': code(
        'rescue',
        { role: 'middleware' },
        `try { await ctx.manager.next() } catch (error) { say('caught', error.message); return 'saved' }`,
      ),
      'skills/t.skill.js': worker('t', { m: 1, n: 1, o: 1 }, `throw new Error('no')`),
      'skills/u.skill.js': worker('u', { m: 1, rescue: 1, n: 1 }, `throw new Error('no')`),
    },
    calls: [['t'], ['u']],
    said: [
      ['> m 1', '> n 1', '> o 1', 't', '< o', '< n', '< m', '! no'],
      ['> m 1', '> n 1', 'u', '< n', 'caught no', '< m', '= saved'],
    ],
  },
  'an inherited delegate, relative to the file that wrote it': {
    tree: {
      ...M,
      'skills/bases/base.skill.md': text('base', { delegate: './lib/work.js', m: 1 }),
      'skills/bases/lib/work.js': `export default (_ctx, args) => { globalThis.calls.push('work ' + JSON.stringify(args)); return 'worked' }\n`,
      'skills/deep/er/t/SKILL.md': text('t', { $inherit: 'base' }),
      'more/u.skill.md': text('u', { $inherit: '../skills/bases/base.skill.md' }),
      'skills/v.skill.md': text('v', { $inherit: 'base', delegate: null }),
      'skills/w.skill.md': text('w', { $inherit: 'base', $remove: ['delegate'] }),
      'skills/x.skill.md': text('x', { $inherit: 'byname' }),
      'skills/byname.skill.md': text('byname', { delegate: './other.skill.js' }),
      'skills/other.skill.js': worker('other', { n: 1, params: { type: 'object' } }),
    },
    paths: ['skills', 'more'],
    calls: [['t'], ['u'], ['t', { a: 1 }], ['v'], ['w'], ['x'], ['x', { a: 1 }]],
    said: [
      ['> m 1', 'work {}', '< m', '= worked'],
      ['> m 1', 'work {}', '< m', '= worked'],
      ['> m 1', 'work {"a":1}', '< m', '= worked'],
      ['> m 1', '< m', '= Do v.\n'],
      ['> m 1', '< m', '= Do w.\n'],
      ['> n 1', 'other', '< n', '= other'],
      ['> n 1', 'other', '< n', '= other'],
    ],
  },
  'inherited params and returns, where $public names them': {
    tree: {
      'skills/base.skill.js': worker('base', {
        $public: ['params', 'returns'],
        params: { type: 'object', properties: { n: { type: 'number', default: 5 } }, required: ['n'] },
        returns: { type: 'string' },
      }),
      'skills/t.skill.js': code(
        't',
        { $inherit: 'base' },
        `say(JSON.stringify(args))\nreturn args.n === 6 ? 6 : 't'`,
      ),
      'skills/u.skill.js': code(
        'u',
        { $inherit: 'base', params: { type: 'object', required: ['own'] } },
        `say(JSON.stringify(args))\nreturn 'u'`,
      ),
    },
    calls: [['t'], ['t', { n: 'x' }], ['t', { n: 6 }], ['u', { own: 1 }], ['u', { n: 1 }]],
    said: [
      ['{"n":5}', '= t'],
      ['! ARGS_INVALID The arguments of "t" are invalid: n must be a number, not "x"'],
      ['{"n":6}', '! RESULT_INVALID The result of "t" is invalid: must be a string, not 6'],
      ['{"own":1}', '= u'],
      ['! ARGS_INVALID The arguments of "u" are invalid: own is missing: expected something'],
    ],
  },
  'faults: the tool and its heirs are found and not run': {
    tree: {
      ...M,
      'skills/t.skill.js': worker('t', { $inherti: 'm', m: 1 }),
      'skills/a-base.skill.md': text('a-base', { $ordre: 1 }),
      'skills/own.skill.js': worker('own', { $inherit: 'a-base', $mrege: 1 }),
      'skills/u.skill.js': worker('u', { $inherit: 't' }),
      'skills/v.skill.js': worker('v', { $inherit: 'nobody' }),
      'skills/w.skill.js': worker('w', { $inherit: 'x' }),
      'skills/x.skill.js': worker('x', { $inherit: 'w' }),
      'skills/ok.skill.js': worker('ok', { m: 1 }),
    },
    calls: [['t'], ['u'], ['v'], ['w'], ['ok'], ['own']],
    said: [
      ['! CASCADE_INVALID The metadata of "t" cannot be resolved: "$inherti" is not an annotation.'],
      ['! CASCADE_INVALID The metadata of "u" cannot be resolved: in "t", "$inherti" is not an annotation.'],
      [
        '! CASCADE_INVALID The metadata of "v" cannot be resolved: there is no tool "nobody" to inherit from.',
      ],
      ['! CASCADE_INVALID The metadata of "w" cannot be resolved: it inherits from itself: w → x → w.'],
      ['> m 1', 'ok', '< m', '= ok'],
      ['! CASCADE_INVALID The metadata of "own" cannot be resolved: "$mrege" is not an annotation.'],
    ],
  },
  'peers: middlewares that use each other, and themselves': {
    tree: {
      'skills/SKILL.md': main({ $local: { a: 1, b: 2 } }),
      'skills/a.skill.js': around('a', { b: 'of a' }),
      'skills/b.skill.js': around('b', { a: 'of b', b: 'self' }),
      'skills/c.skill.js': around('c'),
      'skills/t.skill.js': worker('t', { c: 1 }),
    },
    calls: [['t']],
    said: [
      [
        '> b "of a"',
        '> a 1',
        '> a "of b"',
        '> b 2',
        '> b "of a"',
        '> a 1',
        '> a "of b"',
        '> b 2',
        '> c 1',
        't',
        '< c',
        '< b',
        '< a',
        '< a',
        '< b',
        '< b',
        '< a',
        '< a',
        '< b',
        '= t',
      ],
    ],
  },
  'values that are interpolated': {
    tree: {
      ...M,
      'skills/t.skill.js': worker('t', {
        m: { who: 'for ${args.name} of ${run.tool.name}', n: '${args.n}' },
        params: { type: 'object' },
      }),
    },
    calls: [['t', { name: 'Ann', n: 3 }]],
    said: [['> m {"who":"for Ann of t","n":3}', 't', '< m', '= t']],
  },
  'keys that every object has': {
    tree: {
      ...M,
      'skills/t.skill.js': worker('t', { toString: 2, m: 1, hasOwnProperty: 3, valueOf: 4 }),
    },
    calls: [['t']],
    said: [['> m 1', 't', '< m', '= t']],
  },
  'a tool that several entries hold': {
    tree: {
      'skills/m.skill.js': around('m', ALONE),
      'skills/area/t.skill.js': worker('t', { m: 'inner' }),
      'skills/area/main.skill.md': main({ $local: { m: 'area' } }, 'area'),
      'skills/SKILL.md': main({ $local: { m: 'root' } }, 'root'),
      'skills/area/u.skill.js': worker('u'),
    },
    paths: ['skills/area', 'skills'],
    calls: [['t'], ['u']],
    said: [
      ['> m "inner"', 't', '< m', '= t'],
      ['> m "area"', 'u', '< m', '= u'],
    ],
  },
}

const said = ({ results }: Outcome): Said[] =>
  results.map(({ calls, result, code: fault, message }) => [
    ...calls,
    message === undefined ? `= ${result}` : `! ${fault ? `${fault} ` : ''}${message}`,
  ])

describe('a tool runs the same compiled, bundled and from disk', async () => {
  const cases = oneIn(4, Object.entries(CASES))
  const outcomes = await bothWays(cases.map(([, one]) => one))
  // A few of them in a bundle, too, and all in `npm run test:long`.
  const toBundle = oneIn(
    15,
    cases.map(([, one], number) => ({ ...one, cwd: outcomes[number]?.cwd ?? '' })),
  )
  const bundled = new Map<string, Outcome>()
  for (const [at, outcome] of (await fromBundles(toBundle)).entries())
    bundled.set(toBundle[at]?.cwd ?? '', outcome)

  it.each(cases.map(([name], number) => [name, number] as const))('%s', (name, number) => {
    const { cwd, disk, index } = outcomes[number] as (typeof outcomes)[number]
    if (process.env.SHOW) console.log(name, JSON.stringify(said(disk), null, 1))
    expect(said(disk)).toEqual(CASES[name]?.said)
    expect(index.results).toEqual(disk.results)
    expect(withoutLines(index.explained)).toEqual(withoutLines(disk.explained))
    expect([disk.parser, disk.via.index > 0 ? 'library' : null]).toEqual([
      'loaded',
      disk.via.index > 0 ? 'library' : null,
    ])
    expect(index).toMatchObject({ cascadesComputed: 0, via: { disk: 0 } })
    const bundle = bundled.get(cwd)
    if (!bundle) return
    expect(bundle).toMatchObject({ cascadesComputed: 0, via: { disk: 0, index: 0 } })
    expect(withoutPlaces(bundle.results)).toEqual(withoutPlaces(disk.results))
    expect(withoutPlaces(bundle.explained)).toEqual(withoutPlaces(disk.explained))
  })
})

it('a fault is told with its place, the tool’s own or another’s, from index and disk', async () => {
  const cwd = makeTree({
    'skills/base.skill.md':
      '---\nname: base\ndescription: x\nmetadata:\n  note: 1\n  $order: [note, 7]\n---\n',
    'skills/a.skill.md': '---\nname: a\ndescription: x\nmetadata:\n  $inherit:\n    - nobody\n---\n',
    'skills/b.skill.md': '---\nname: b\ndescription: x\nmetadata:\n  $inherit: base\n---\n',
  })
  const told = async (freshness: 'check' | 'trust'): Promise<unknown[]> => {
    const runtime = createRuntime({ paths: ['skills'], cwd, freshness })
    const errors = ['a', 'b'].map(name => runtime.invoke(name).catch((error: unknown) => error))
    const places = ((await Promise.all(errors)) as AgentAppsError[]).map(({ code, tool, file, position }) => [
      code,
      tool,
      file?.slice(cwd.length + 1),
      position,
    ])
    return [...places, runtime.stats().cascadesComputed]
  }
  const places = [
    ['CASCADE_INVALID', 'a', 'skills/a.skill.md', { line: 6, column: 7 }],
    ['CASCADE_INVALID', 'b', 'skills/base.skill.md', { line: 6, column: 18 }],
  ]
  expect(await told('check')).toEqual([...places, 2])
  await compile({ cwd, paths: ['skills'] })
  expect(await told('trust')).toEqual([...places, 0])
})

/** Only a parser knows lines. */
function withoutLines(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, inner) => (key === 'line' ? undefined : inner)))
}

/** A bundle's files lie nowhere. */
function withoutPlaces(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner) => (key === 'line' || key === 'file' ? undefined : inner)),
  )
}
