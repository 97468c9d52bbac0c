import { createRuntime } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { around, code, text } from '../support/cascade-project.js'
import { oneIn } from '../support/long.js'
import { makeTree, type Tree, writeTree } from '../support/tree.js'

/** What `check` says of a project, and `compile`, anew and again, which must be the same. */
async function told(tree: Tree, paths = ['skills']): Promise<string[]> {
  const cwd = makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
  const lines: string[][] = []
  for (const work of [check, compile, compile]) {
    const { diagnostics } = await work({ cwd, paths })
    lines.push(
      diagnostics
        .filter(({ ruleId }) => ruleId !== 'metadata-dynamic')
        .map(({ name, ruleId, reason, note }) => `${name} ${ruleId}: ${reason} / ${note}`),
    )
  }
  expect(lines[1]).toEqual(lines[0])
  expect(lines[2]).toEqual(lines[0])
  return lines[0] ?? []
}

const skill = (name: string, ...lines: string[]): string =>
  `---\nname: ${name}\ndescription: x\nmetadata:\n${lines.map(line => `  ${line}\n`).join('')}---\n`
/** Skills `a0`, `a1`, …, each with a line of its own under `metadata`. */
const skills = (lines: readonly string[]): Tree =>
  Object.fromEntries(lines.map((line, at) => [`skills/a${at}.skill.md`, skill(`a${at}`, line)]))
const PARAMS = {
  type: 'object',
  properties: { level: { enum: ['low', 'high'] } },
  additionalProperties: false,
}

describe('switches', () => {
  it('that are texts are told', async () => {
    const texts = [
      ['enabled: no', 'enabled', 'no', 'false'],
      ['enabled: Off', 'enabled', 'Off', 'false'],
      ['interpolate: yes', 'interpolate', 'yes', 'true'],
      ['interpolate: "true"', 'interpolate', 'true', 'true'],
      ['static: "false"', 'static', 'false', 'false'],
    ] as const
    expect(await told(skills(texts.map(([line]) => line)))).toEqual(
      texts.map(
        ([, key, written, meant], at) =>
          `skills/a${at}.skill.md:5:${key.length + 5} switch-is-text: "metadata.${key}" is the text "${written}", not true or false, and does nothing / Write \`${key}: ${meant}\`: YAML knows no other words for it.`,
      ),
    )
  })

  it('that are none of these are not', async () => {
    const lines = [
      'enabled: "false"',
      'enabled: "true"',
      'enabled: false',
      'interpolate: true',
      'enabled: weekdays',
    ]
    expect(await told(skills(lines))).toEqual([])
  })
})

describe('a tag of middleware', () => {
  const idle = (place: string, tag: string): string =>
    `${place} tag-idle: The tag "${tag}" has no effect in a tool without the role middleware / Write \`role: middleware\` under \`metadata\`: that makes a key of this name run it. Or take the tag out.`

  it.each([
    ['tags: [x, meta-metadata]', '13', 'meta-metadata'],
    ['tags: [Meta Middleware]', '10', 'meta-middleware'],
    ['tags: x meta-metadata', '9', 'meta-metadata'],
  ])('%s without the role', async (line, column, tag) => {
    const place = `skills/a.skill.md:5:${column}`
    expect(await told({ 'skills/a.skill.md': skill('a', line) })).toEqual([idle(place, tag)])
    expect(await told({ 'skills/a.skill.md': skill('a', line, 'role: context') })).toEqual([idle(place, tag)])
    const { diagnostics } = await check({
      cwd: makeTree({ 'skills/a.skill.md': skill('a', line) }),
      paths: ['skills'],
    })
    expect(diagnostics.map(({ severity }) => severity)).toEqual(['warning'])
  })

  it('in code, in both forms', async () => {
    const tree = {
      'skills/a.skill.js': `export const frontmatter = { name: 'a', description: 'x', metadata: { tags: ['meta-metadata'] } }\nexport default () => 1\n`,
      'skills/b.skill.js': `import { defineTool } from 'agent-apps'\nexport default defineTool({ name: 'b', description: 'x', tags: ['meta-metadata'], execute: () => 1 })\n`,
    }
    expect(await told(tree)).toEqual([
      idle('skills/a.skill.js:1:77', 'meta-metadata'),
      idle('skills/b.skill.js:2:64', 'meta-metadata'),
    ])
  })

  it('is none of these', async () => {
    const tree = {
      'skills/a.skill.md': skill('a', 'role: middleware', 'tags: meta-metadata'),
      'skills/b.skill.js': `export const frontmatter = { name: 'b', description: 'x', metadata: { role: ['middleware'].join(), tags: 'meta-metadata' } }\nexport default () => 1\n`,
      'skills/c.skill.md': skill('c', 'tags: metadata'),
    }
    expect((await told(tree)).filter(line => line.includes('tag-idle'))).toEqual([])
  })
})

it('a field that is not text is told', async () => {
  const fields = [
    ['role: [boss]', 'role', 'a list'],
    ['role: 5', 'role', 'a number'],
    ['visibility: { hidden: true }', 'visibility', 'a mapping'],
  ] as const
  expect(await told(skills(fields.map(([line]) => line)))).toEqual(
    fields.map(
      ([, key, found], at) =>
        `skills/a${at}.skill.md:5:${key.length + 5} field-type: "metadata.${key}" must be a string, not ${found}; it is left out / Correct the value.`,
    ),
  )
})

it('a key that is nearly `role` is told, unless its value is none', async () => {
  const lines = ['rol: middleware', 'rola: main', 'roles: context', 'rule: strict', 'rol: [main]']
  expect(await told(skills(lines))).toEqual(
    [0, 1, 2].map(at =>
      expect.stringMatching(new RegExp(`a${at}\\.skill\\.md:5:3 metadata-near-key: .* one edit from "role"`)),
    ),
  )
})

describe('configurations of middleware', () => {
  it('`false`, where it is not taken, is not what is told to write', async () => {
    const own = code('own', { role: 'middleware', params: PARAMS }, '')
    expect(await told({ 'skills/own.skill.js': own, 'skills/a.skill.md': skill('a', 'own: false') })).toEqual(
      [
        expect.stringMatching(
          /middleware-config: .* not false \/ `false` does not switch "own" off\. .* write `null`/,
        ),
      ],
    )
    expect(await told({ 'skills/own.skill.js': own, 'skills/a.skill.md': skill('a', 'own: null') })).toEqual(
      [],
    )
  })

  const toldOf = (name: string, values: readonly string[]) =>
    told(skills(values.map(value => `${name}: ${value}`)))

  it.each(
    oneIn(2, [
      ['timeout', ['soon', '0', '[1]', '{}', 'true', '2147483648']],
      ['retry', ['often', '0', '1.5', '{ attempts: 0 }', '{ tries: 3 }', '{ delay: -1 }']],
      ['limit', ['"5"', '0', 'true', '{}']],
      ['state', ['5', '[]']],
      ['trace', ['loud', '{}']],
    ]),
  )('%s: what it does not take is told at the key', async (name, values) => {
    expect(await toldOf(name, values)).toEqual(
      values.map((_, at) =>
        expect.stringContaining(
          `skills/a${at}.skill.md:5:3 middleware-config: The middleware "${name}" cannot use`,
        ),
      ),
    )
  })

  it.each(
    oneIn(2, [
      ['timeout', ['5', '0.5', 'false', '{ ms: 5 }', '"${args.ms}"', '{ ms: "${args.ms}" }']],
      [
        'retry',
        ['1', 'true', 'false', '{}', '{ attempts: 2, delay: 0, most: 5 }', '{ attempts: "${args.n}" }'],
      ],
      ['limit', ['1', 'false', '"${args.n}"']],
      ['state', ['true', 'false', '{ count: 0 }']],
      ['trace', ['true', 'false']],
    ]),
  )('%s: of what it takes nothing is said', async (name, values) => {
    expect(await toldOf(name, values)).toEqual([])
  })

  it('of the library are refused when they run where they are told, and only there', {
    tags: 'long',
  }, async () => {
    const values = {
      timeout: [50_000, {}, true],
      retry: [0, 2, true],
      limit: [true, 5],
      state: [5, true],
      trace: ['x', true],
    }
    for (const [name, all] of Object.entries(values)) {
      for (const value of all) {
        const tree = { 'skills/a.skill.md': text('a', { [name]: value }) }
        const runtime = createRuntime({ paths: ['skills'], cwd: makeTree(tree) })
        const code = await runtime.invoke('a').then(
          () => null,
          error => error.code,
        )
        expect(code, `${name}: ${JSON.stringify(value)}`).toBe(
          (await told(tree)).length > 0 ? 'MIDDLEWARE_CONFIG' : null,
        )
      }
    }
  })

  it('are told once, where they are written: in a main skill, a base, a middleware of one’s own', async () => {
    const tree = {
      'skills/SKILL.md': skill('main', 'role: main', '$global:', '  timeout: soon'),
      'skills/own.skill.js': around('own', { $inherit: false, params: PARAMS, $self: { level: 'low' } }),
      'skills/base.skill.md': skill('base', 'own: { level: middle }'),
      'skills/b.skill.md': skill('b', '$inherit: base'),
      'skills/c.skill.md': skill('c', 'own: true'),
      'skills/d.skill.md': skill('d', 'own: { level: "${args.x}" }'),
      'skills/e.skill.md': skill('e', 'timeout: false', 'own: { depth: 1 }'),
    }
    expect(await told(tree)).toEqual([
      expect.stringMatching(/^skills\/SKILL.md:7:5 middleware-config: .*"timeout".* not "soon"/),
      expect.stringMatching(
        /^skills\/base.skill.md:5:3 middleware-config: .*"own".* level must be .* not "middle"/,
      ),
      expect.stringMatching(/^skills\/e.skill.md:6:3 middleware-config: .*"own".*depth/),
    ])
  })

  it('keep nothing from running', async () => {
    const cwd = makeTree({
      'skills/own.skill.js': around('own', { $inherit: false, params: PARAMS }),
      'skills/a.skill.md': text('a', { own: 'anything' }),
    })
    await compile({ cwd, paths: ['skills'] })
    expect(await createRuntime({ cwd, paths: ['skills'] }).invoke('a')).toBe('Do a.\n')
  })
})

describe('annotations that do nothing', () => {
  it('of another role are told', async () => {
    expect(
      await told({
        'skills/a.skill.md': skill('a', 'timeout: 5', '$global: [timeout]', '$local: { retry: 1 }'),
        'skills/b.skill.md': skill('b', '$hook: $next', '$self: { a: 1 }'),
        'skills/m/SKILL.md': skill('m', 'role: main', '$local: { retry: 1 }'),
        'skills/n.skill.js': around('n', { $hook: '$next', $self: { a: 1 } }),
      }),
    ).toEqual([
      expect.stringContaining(
        'a.skill.md:6:3 annotation-idle: $global has no effect in a tool without the role main',
      ),
      expect.stringContaining('a.skill.md:7:3 annotation-idle: $local has no effect'),
      expect.stringContaining(
        'b.skill.md:5:3 annotation-idle: $hook has no effect in a tool without the role middleware',
      ),
      expect.stringContaining('b.skill.md:6:3 annotation-idle: $self has no effect'),
    ])
  })

  it('name keys that the tool has not, inherits not and is not given', async () => {
    expect(
      await told({
        'skills/a.skill.md': skill(
          'a',
          'retry: { attempts: 2 }',
          "$order: [rety, '*', timeout]",
          '$static: [none]',
          '$merge: { retry: deep, limt: replace, limit: replace }',
          '$private: [re*, x*]',
          '$remove: [retry.delay, retry.attempts]',
        ),
      }),
    ).toEqual([
      'skills/a.skill.md:6:12 annotation-idle: $order names "rety", which the tool neither has nor gets from another / Did you mean retry?',
      'skills/a.skill.md:6:23 annotation-idle: $order names "timeout", which the tool neither has nor gets from another / Correct the key, or take it out.',
      'skills/a.skill.md:7:13 annotation-idle: $static names "none", which the tool neither has nor gets from another / Correct the key, or take it out.',
      'skills/a.skill.md:8:26 annotation-idle: $merge names "limt", which the tool neither has nor gets from another / Correct the key, or take it out.',
      'skills/a.skill.md:8:41 annotation-idle: $merge names "limit", which the tool neither has nor gets from another / Correct the key, or take it out.',
      'skills/a.skill.md:9:19 annotation-idle: $private names "x*", which the tool neither has nor gets from another / Correct the key, or take it out.',
      'skills/a.skill.md:10:13 annotation-idle: $remove names "retry.delay", which the tool neither has nor gets from another / Correct the key, or take it out.',
    ])
  })

  it('nothing is said of what a base, a main skill or running the file may give', async () => {
    expect(
      await told({
        'skills/SKILL.md': skill(
          'main',
          'role: main',
          '$global: { limit: 5 }',
          '$local: { retry: { delay: 5 } }',
        ),
        'skills/root.skill.md': skill('root', 'timeout: 5', 'note: 1', '$private: [note]'),
        'skills/base.skill.md': skill('base', '$inherit: root', '$remove: [timeout]'),
        'skills/a.skill.md': skill(
          'a',
          '$inherit: base',
          '$order: [limit, retry, timeout]',
          '$remove: [retry.delay]',
          '$public: [params]',
        ),
        'skills/b.skill.js': `const KEY = 'other'\nexport const frontmatter = { name: 'b', description: 'x', metadata: { [KEY]: 1, $order: [KEY], $static: ['other'] } }\nexport default () => 1\n`,
      }),
    ).toEqual([])
  })
})

describe('near names', () => {
  it('a key near to one of the library’s middleware, unless a skill is called so', async () => {
    expect(
      await told({
        'skills/a.skill.md': skill('a', 'timout: 5', 'retri: 1', 'stat: 1', 'limits: 2'),
        'skills/limits.skill.md': skill('limits', 'x: 1'),
      }),
    ).toEqual([
      'skills/a.skill.md:5:3 metadata-near-key: "timout" in metadata is one edit from "timeout", and is kept as plain data / If you meant "timeout", correct it.',
      'skills/a.skill.md:6:3 metadata-near-key: "retri" in metadata is one edit from "retry", and is kept as plain data / If you meant "retry", correct it.',
    ])
  })

  it('a key near to a middleware of the project’s own', async () => {
    expect(
      await told({
        'skills/a.skill.md': skill('a', 'gaurd: 5', 'guards: 1', 'guard: 1', 'notes: 1'),
        'skills/guard.skill.js': code('guard', { role: 'middleware' }, ''),
        'skills/note.skill.md': skill('note', 'x: 1'),
      }),
    ).toEqual([
      expect.stringContaining(':5:3 metadata-near-key: "gaurd" in metadata is one edit from "guard"'),
      expect.stringContaining(':6:3 metadata-near-key: "guards" in metadata is one edit from "guard"'),
    ])
  })

  it('a skill that was added since the others were compiled', async () => {
    const cwd = makeTree({ 'skills/a.skill.md': skill('a', 'x: 1') })
    await compile({ cwd, paths: ['skills'] })
    writeTree(cwd, { 'skills/handover.skill.md': skill('handover', 'x: 1') })
    const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
    await expect(runtime.invoke('handovr')).rejects.toMatchObject({ hint: 'Did you mean "handover"?' })
  })

  it('a base that is missing: from check, from files and from an index', async () => {
    const tree = {
      'skills/careful.skill.md': skill('careful', 'x: 1'),
      'skills/a.skill.md': skill('a', '$inherit: [carefull]'),
      'skills/b.skill.md': skill('b', '$inherit: [./carefull.skill.md]'),
    }
    expect((await told(tree)).map(line => line.split(' / ')[1])).toEqual([
      'Did you mean "careful"?',
      'Correct the reference, or take it out of $inherit.',
    ])
    const cwd = makeTree(tree)
    const hint = async (freshness: 'check' | 'trust') =>
      createRuntime({ cwd, paths: ['skills'], freshness })
        .invoke('a')
        .catch(error => error.hint)
    expect(await hint('check')).toBe('Did you mean "careful"?')
    await compile({ cwd, paths: ['skills'] })
    expect(await hint('trust')).toBe('Did you mean "careful"?')
  })

  it('keywords of schemas that have a value which the near one could have', async () => {
    expect(
      await told({
        'skills/a.skill.md': skill(
          'a',
          'params:',
          '  type: object',
          '  propertis: { b: { type: string } }',
          '  requird: [b]',
          '  note: free',
          '  x-typ: string',
          '  example: free',
          'returns:',
          '  typ: string',
          '  unit: ms',
        ),
        'skills/c.skill.js': code('c', { params: { type: 'object', properties: { d: { minimun: 1 } } } }, ''),
      }),
    ).toEqual([
      expect.stringContaining(
        'a.skill.md:7:16 schema-near-keyword: "propertis" is not a keyword of JSON Schema',
      ),
      expect.stringContaining('a.skill.md:8:14 schema-near-keyword: "requird"'),
      expect.stringContaining('a.skill.md:13:10 schema-near-keyword: "typ"'),
      expect.stringContaining('c.skill.js:1:129 schema-near-keyword: "minimun"'),
    ])
  })
})

it.each(
  oneIn(2, [
    [
      'approvalKey',
      '"approvalKey" in metadata is another spelling of "approval-key", and is kept as plain data',
    ],
    [
      'requires_tools',
      '"requires_tools" in metadata is another spelling of "requires-tools", and is kept as plain data',
    ],
    [
      'ContractVersion',
      '"ContractVersion" in metadata is another spelling of "contract-version", and is kept as plain data',
    ],
    [
      'allowed_tools',
      '"allowed_tools" in metadata is plain data; "allowed-tools" is a field of the frontmatter itself',
    ],
    [
      'allowedTools',
      '"allowedTools" in metadata is plain data; "allowed-tools" is a field of the frontmatter itself',
    ],
    ['toolVersion', null],
    ['names', null],
  ]),
)('the key %s of metadata is taken for the known one', async (key, reason) => {
  const root = makeTree({ 'skills/a/SKILL.md': skill('a', '', `metadata:\n  ${key}: x\n`) })
  const { diagnostics } = await check({ cwd: root, paths: ['skills'] })
  expect(diagnostics.map(one => one.reason)).toEqual(reason === null ? [] : [reason])
})
