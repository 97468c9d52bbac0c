import { createRuntime } from 'agent-apps'
import { check, compile, graph } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { text } from '../support/cascade-project.js'
import { agentApps } from '../support/commands.js'
import { oneIn, some } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const NAMED = (name: string, metadata: object): string =>
  `export const frontmatter = ${JSON.stringify({ name, description: `Is ${name}.`, metadata })}\n`

function project(skills: Tree): string {
  const entries = Object.entries(skills).map(([path, item]) => [`skills/${path}`, item])
  return makeTree({ 'package.json': '{"type":"module"}\n', ...Object.fromEntries(entries) })
}

/** What `check` and `compile`, anew and again, say of `a`, which must be the same. */
async function told(cwd: string, file: string): Promise<string[]> {
  const all: string[][] = []
  for (const work of [check, compile, compile]) {
    const { diagnostics } = await work({ cwd, paths: ['skills'] })
    all.push(
      diagnostics
        .filter(one => one.file === `skills/${file}`)
        .map(
          ({ line, column, severity, ruleId, reason, note }) =>
            `${line}:${column} ${severity} ${ruleId} ${reason} / ${note}`,
        ),
    )
  }
  expect(all[1]).toEqual(all[0])
  expect(all[2]).toEqual(all[0])
  return all[0] ?? []
}

/** What a call throws, from disk and then compiled, which must be the same. */
async function thrown(
  cwd: string,
  call: (runtime: ReturnType<typeof createRuntime>) => Promise<unknown>,
): Promise<{ code: string; message: string; hint: string; tool?: string }> {
  const fail = () =>
    call(createRuntime({ cwd, paths: ['skills'] })).then(
      () => null,
      ({ code, message, hint, tool }) => ({ code, message, hint, tool }),
    )
  const fromDisk = await fail()
  await compile({ cwd, paths: ['skills'] })
  expect(await fail()).toEqual(fromDisk)
  if (fromDisk === null) throw new Error('It did not fail.')
  return fromDisk
}

const OTHERS: Tree = {
  'j.skill.md': skill('j'),
  'two.skill.md': `${skill('one')}\n${skill('two')}`,
  'notes.md': 'Notes.\n',
}

describe('a path in a directive that leads nowhere', () => {
  it.each(oneIn(2, ['./gone.skill.md', './j.skill.md#nope', './notes.md', './empty', '../gone/SKILL.md']))(
    '%s',
    async ref => {
      const cwd = project({ ...OTHERS, 'empty/x.md': '', 'a.skill.md': skill('a', `:skill[${ref}]\n`) })
      expect(await told(cwd, 'a.skill.md')).toEqual([
        `5:1 error directive-failed There is no skill "${ref}" / Correct the name.`,
      ])
      const { code, message } = await thrown(cwd, runtime => runtime.render('a'))
      expect(code).toBe('DIRECTIVE_FAILED')
      expect(message).toContain(`there is no skill "${ref}"`)
    },
  )

  it.each(
    oneIn(2, [
      ['./j.skill.md', 'j'],
      ['./two.skill.md#two', 'two'],
      ['./folder', 'folder'],
      // Another file of the directory has the name.
      ['./z.skill.md#j', 'j'],
      // What is left out of the search is there for who names it.
      ['./.hidden/SKILL.md', 'hidden'],
    ]),
  )('but not %s', async (ref, name) => {
    const cwd = project({
      ...OTHERS,
      'folder/SKILL.md': skill('folder'),
      'z.skill.md': skill('j'),
      '.hidden/SKILL.md': skill('hidden'),
      'a.skill.md': skill('a', `:skill[${ref}]\n`),
    })
    expect(await told(cwd, 'a.skill.md')).toEqual([])
    expect(await createRuntime({ cwd, paths: ['skills'] }).render('a')).toBe(`${name}\n`)
  })

  it('is drawn with the name that is not in the file', async () => {
    const cwd = project({ ...OTHERS, 'a.skill.md': skill('a', ':skill[./j.skill.md#nope]\n') })
    const { nodes } = await graph({ cwd, paths: ['skills'] })
    expect(nodes.filter(({ kind }) => kind === 'missing').map(({ id }) => id)).toEqual([
      'skills/j.skill.md#nope',
    ])
  })
})

describe('a delegate that asks a file for what it has not', () => {
  it.each([
    ['./j.skill.md#nope', 'It has "j".'],
    ['./two.skill.md#twi', 'Did you mean "two"?'],
  ])('%s', async (ref, hint) => {
    const cwd = project({ ...OTHERS, 'a.skill.md': text('a', { delegate: ref }) })
    const name = ref.split('#')[1]
    expect(await told(cwd, 'a.skill.md')).toEqual([
      `4:23 error delegate-invalid The delegate "${ref}" cannot be used: the file has no tool "${name}" / ${hint}`,
    ])
    const { code, message } = await thrown(cwd, runtime => runtime.invoke('a'))
    expect(code).toBe('TOOL_NOT_FOUND')
    expect(message).toMatch(/^The delegate of "a": There is no tool /)
  })

  it('but not one that another file took the name of', async () => {
    const cwd = project({
      ...OTHERS,
      'z.skill.md': skill('j'),
      'a.skill.md': text('a', { delegate: './z.skill.md#j' }),
    })
    expect(await told(cwd, 'a.skill.md')).toEqual([])
    expect(await createRuntime({ cwd, paths: ['skills'] }).invoke('a')).toBe('Do j.\n')
  })
})

describe('a directive that fails at every call', () => {
  it.each(
    oneIn(2, [
      [':value[]', 'the directive names no value', []],
      [':value{path=args.x}', 'the directive names no value', ['directive-idle']],
      [':::if\nx\n:::', 'the block has no `path`', []],
      [':::if{pth=args.x}\nx\n:::', 'the block has no `path`', ['directive-idle']],
      [':::each{as=y}\nx\n:::', 'the block has no `path`', []],
      [':::each{path=args.x as="a b"}\nx\n:::', '"a b" is not a name', []],
    ]),
  )('%s', async (body, said, more) => {
    const cwd = project({ 'a.skill.md': skill('a', `${body}\n`) })
    const lines = await told(cwd, 'a.skill.md')
    expect(lines.map(line => line.split(' ')[2])).toEqual(['directive-failed', ...more])
    const { code, message, hint } = await thrown(cwd, runtime => runtime.render('a'))
    expect(code).toBe('DIRECTIVE_FAILED')
    expect(message).toContain(`: ${said}`)
    const reason = said.charAt(0).toUpperCase() + said.slice(1)
    expect(lines[0]).toBe(`5:1 error directive-failed ${reason} / ${hint}`)
  })

  it('is not said of what depends on the call, nor of a directive of the project', async () => {
    const cwd = project({
      'value.skill.js': `${NAMED('value', { tags: ['meta-directive-inline'] })}export default () => 'mine'\n`,
      'a.skill.md': skill('a', ':value[]\n\n:::each{path=args.x as=${args.y}}\nx\n:::\n'),
    })
    expect(await told(cwd, 'a.skill.md')).toEqual([])
  })
})

describe('the fields of a definition', () => {
  const defined = (fields: string): Tree => ({
    'a.skill.js': `import { defineTool } from 'agent-apps'\nexport default defineTool({\n${fields}\n})\n`,
  })

  it.each(
    oneIn(2, [
      ['parms: {}', 'Did you mean "params"?'],
      ["tag: ['x']", 'Did you mean "tags"?'],
      ["'allowed-tools': 'x'", 'Did you mean "allowedTools"?'],
      ["delegate: 'x'", 'Move it under `metadata`: only there does "delegate" mean anything.'],
      ['handler: () => 1', 'Data of your own belongs under `metadata`.'],
    ]),
  )('%s', async (field, note) => {
    const { diagnostics } = await check({
      cwd: project(defined(`name: 'a',\ndescription: 'Is a.',\n${field},\nexecute: () => 1,`)),
      paths: ['skills'],
    })
    const [, name] = /^'?([\w-]+)/.exec(field) ?? []
    expect(diagnostics.map(one => `${one.line} ${one.severity} ${one.reason} / ${one.note}`)).toEqual([
      `5 error "${name}" is not a field of \`defineTool\`, which refuses it / ${note}`,
    ])
  })

  it('names what `execute` was likely called', async () => {
    const cwd = project(defined("name: 'a',\ndescription: 'Is a.',\nexcute: () => 1,"))
    expect(await told(cwd, 'a.skill.js')).toEqual([
      '2:27 error execute-missing The definition has no function `execute` / Call "excute" `execute`, if it is that.',
    ])
  })
})

describe('a default export without a name', () => {
  const IMPORT = "Import it: `import { defineTool } from 'agent-apps'`."
  it.each([
    ["defineTol({ name: 'a' })", 'no-tool', 'made by `defineTol`', `Did you mean \`defineTool\`? ${IMPORT}`],
    ["defineTool({ name: 'a' })", 'no-tool', 'made by `defineTool`', IMPORT],
    [
      "makeTool({ name: 'a' })",
      'name-missing',
      'has no name',
      'in the export `frontmatter`, or in `defineTool(',
    ],
  ])('%s', async (value, rule, reason, note) => {
    const [line, ...others] = await told(project({ 'a.skill.ts': `export default ${value}\n` }), 'a.skill.ts')
    expect(others).toEqual([])
    expect(line).toContain(`1:16 error ${rule} `)
    expect(line).toContain(reason)
    expect(line).toContain(note)
  })
})

describe('a default that its own schema refuses', () => {
  const withParams = (properties: object, more: object = {}, metadata: object = {}): Tree => ({
    'a.skill.md': text('a', { ...metadata, params: { type: 'object', properties, ...more } }),
  })

  it.each([
    ['a type', { g: { type: 'string', default: 3 } }, 'g must be a string, not 3'],
    ['a reference', { g: { $ref: '#/$defs/g', default: 3 } }, 'g must be a string, not 3'],
    [
      'what it holds',
      { g: { type: 'array', items: { enum: ['a'] }, default: ['b'] } },
      'g[0] must be "a", not "b"',
    ],
  ])('%s', async (_, properties, problem) => {
    const cwd = project(withParams(properties, { $defs: { g: { type: 'string' } } }))
    const [line, ...others] = await told(cwd, 'a.skill.md')
    expect(others).toEqual([])
    expect(line).toContain(`error default-refused The default of "g" does not fit its own schema: ${problem}`)
    const { code, message } = await thrown(cwd, runtime => runtime.invoke('a'))
    expect(code).toBe('ARGS_INVALID')
    expect(message).toContain(problem)
  })

  it('is told where it stands, also in a list’s items and in code', async () => {
    const yaml =
      'metadata:\n  params:\n    properties:\n      g:\n        items:\n          properties:\n            h:\n              type: string\n              default: 3\n'
    const cwd = project({
      'a.skill.md': skill('a', '', yaml),
      'b.skill.js': `import { defineTool } from 'agent-apps'\nexport default defineTool({\n  name: 'b',\n  description: 'Is b.',\n  params: { type: 'object', properties: {\n    g: { type: 'string', default: 3 } } },\n  execute: () => 1,\n})\n`,
    })
    expect((await told(cwd, 'a.skill.md'))[0]).toMatch(/^12:24 error default-refused The default of "h"/)
    expect((await told(cwd, 'b.skill.js'))[0]).toMatch(/^6:35 error default-refused The default of "g"/)
  })

  it.each(
    oneIn(2, [
      [
        'that fits',
        withParams(
          { g: { type: 'string', default: 'x' }, h: { $ref: '#/$defs/g', default: 3 } },
          { $defs: { g: {} } },
        ),
      ],
      [
        'that is completed by others',
        withParams({
          g: { type: 'object', properties: { h: { default: 1 } }, required: ['h'], default: {} },
        }),
      ],
      ['that nobody fills in', withParams({ g: { anyOf: [{ type: 'string', default: 3 }] } })],
      ['of a configuration', withParams({ g: { type: 'string', default: 3 } }, {}, { role: 'middleware' })],
      [
        'of a result',
        { 'a.skill.md': text('a', { returns: { properties: { g: { type: 'string', default: 3 } } } }) },
      ],
    ]),
  )('but not one %s', async (_, skills) => {
    expect(await told(project(skills), 'a.skill.md')).toEqual([])
  })
})

describe('a known directive with the wrong number of colons', () => {
  const ONE = (name: string): string => `Inside text it has one colon: \`:${name}[…]\`.`
  const BLOCK = (name: string): string =>
    `Write it on its own line: \`::${name}\`, or \`:::${name}\` around a block.`
  it.each(
    oneIn(2, [
      ['::skill[a]', '5:1', 'skill', ONE('skill')],
      [':::skill[a]', '5:1', 'skill', ONE('skill')],
      ['> - ::skill[a]', '5:5', 'skill', ONE('skill')],
      ['x :if[y]{path=args.x}', '5:3', 'if', BLOCK('if')],
      ['B body ::include[notes.md]', '5:8', 'include', ONE('include')],
      ['x :::each{path=args.x}', '5:3', 'each', BLOCK('each')],
      ['::value[args.x]', '5:1', 'value', ONE('value')],
    ]),
  )('%s', async (body, place, name, note) => {
    const cwd = project({ ...OTHERS, 'a.skill.md': skill('a', `${body}\n`) })
    expect(await told(cwd, 'a.skill.md')).toEqual([
      `${place} info directive-unknown Malformed directive "${name}"; treated as text / ${note}`,
    ])
    expect(await createRuntime({ cwd, paths: ['skills'] }).render('a')).toBe(`${body}\n`)
  })

  it('is not seen in what only looks like it', async () => {
    const body = [
      'std::skill[a] is_same::value[0] ::value[0] ::value[…] ::skill x::tool{y}',
      '`::skill[a]` <b title="::skill[a]"> \\::skill[a] [x](::skill[a])',
      '    ::skill[a]',
      '```\n::skill[a]\n```',
      '::include[notes.md]\n\n:skill[j] :include[notes.md]',
    ].join('\n\n')
    const cwd = project({ ...OTHERS, 'a.skill.md': skill('a', `${body}\n`) })
    expect(await told(cwd, 'a.skill.md')).toEqual([])
  })
})

describe('explain', () => {
  const explain = (cwd: string, name: string) => agentApps(cwd, ['explain', name, '--json'])
  it('tells what keeps a tool from running as `check` does, and exits 1', async () => {
    const cwd = makeTree({
      'package.json': '{"type":"module"}\n',
      'agent-apps.config.json': '{"paths":["./skills"]}\n',
      'skills/mine.skill.js': `${NAMED('mine', { role: 'middleware', params: { type: 'string' } })}export default () => {}\n`,
      'skills/a.skill.md': text('a', { timeout: 'soon', retry: { attemps: 2 }, mine: 1, delegate: 'nosuch' }),
      'skills/b.skill.js': `${NAMED('b', { delegate: false })}export default () => 1\n`,
      'skills/c.skill.md': text('c', { delegate: 'd' }),
      'skills/d.skill.md': text('d', { delegate: './c.skill.md' }),
      'skills/e.skill.md': text('e', { mine: 1, delegate: './j.skill.md' }),
      'skills/f.skill.md': text('f', { delegate: './gone.js' }),
      'skills/j.skill.md': skill('j'),
    })
    const lines = (await told(cwd, 'a.skill.md')).filter(line => line.includes('middleware-config'))
    for (const via of ['disk', 'index']) {
      if (via === 'index') await compile({ cwd, paths: ['skills'] })
      const { stdout, status } = await explain(cwd, 'a')
      const { problems, chain } = JSON.parse(stdout)
      expect(status).toBe(1)
      expect(problems.map(({ message }: { message: string }) => message)).toEqual([
        'the middleware "timeout" cannot use its configuration: must be a number, a boolean or an object, not "soon"',
        'the middleware "retry" cannot use its configuration: attemps is not known here; did you mean "attempts"?',
        'the delegate "nosuch" leads to no tool',
      ])
      const shown = chain.map(({ problem }: { problem: { message: string; hint: string } }) => problem)
      expect(shown).toHaveLength(3)
      for (const [index, { message, hint }] of shown.entries())
        expect(lines[index]).toContain(`${message.slice(1)} / ${hint}`)
      const others: unknown[] = []
      for (const name of ['b', 'c', 'f', 'e']) {
        const { stdout, status } = await explain(cwd, name)
        others.push([
          status,
          ...JSON.parse(stdout).problems.map(({ message }: { message: string }) => message),
        ])
      }
      expect(others).toEqual([
        [1, 'the delegate false is not a string'],
        [1, 'the delegate "d" leads back here: c → d → c'],
        [1, 'the delegate "./gone.js" is not a file'],
        // A middleware of the project's own decides itself what it takes.
        [0],
      ])
    }
  })
})

describe('a call through a delegate', () => {
  const upper = `${NAMED('upper', { params: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } })}export default (_ctx, { text }) => text.toUpperCase()\n`
  const failing = "export default async ctx => ctx.manager.invoke('nosuch')\n"
  /** What is at the other end of each delegate, and what is said of the skill `a` that has it. */
  const CASES: [delegate: string, code: string, message: string][] = [
    ['nosuch', 'TOOL_NOT_FOUND', 'The delegate of "a": There is no tool "nosuch".'],
    ['b', 'TOOL_NOT_FOUND', 'The delegate of "a": The delegate of "b": There is no tool "nosuch".'],
    ['upper', 'ARGS_INVALID', 'The delegate of "a": The arguments of "upper" are invalid: text is missing'],
    ['./upper.skill.js', 'ARGS_INVALID', 'The delegate of "a": The arguments of "upper" are invalid'],
    ['./none.ts', 'TOOL_BROKEN', 'The delegate of "a": The code cannot be bundled'],
    // What the delegate itself calls is not its delegate.
    ['calls', 'TOOL_NOT_FOUND', 'There is no tool "nosuch".'],
  ]
  it('names both, from disk and compiled', async () => {
    const cwd = project({
      'upper.skill.js': upper,
      'calls.skill.js': NAMED('calls', {}) + failing,
      'b.skill.md': text('b', { delegate: 'nosuch' }),
      ...Object.fromEntries(CASES.map(([delegate], at) => [`a${at}.skill.md`, text(`a${at}`, { delegate })])),
    })
    const failures = () => {
      const { invoke } = createRuntime({ cwd, paths: ['skills'] })
      return Promise.all(
        CASES.map((_, at) =>
          invoke(`a${at}`).then(
            () => null,
            ({ code, message, hint, tool }) => ({ code, message, hint, tool }),
          ),
        ),
      )
    }
    const fromDisk = await failures()
    for (const [at, [delegate, code, message]] of CASES.entries()) {
      expect([delegate, fromDisk[at]?.code]).toEqual([delegate, code])
      expect(fromDisk[at]?.message.startsWith(message.replace('"a"', `"a${at}"`)), delegate).toBe(true)
    }
    await compile({ cwd, paths: ['skills'] })
    expect(await failures()).toEqual(fromDisk)
  })
})

describe('advice', () => {
  it('for delegates in a circle', async () => {
    const cwd = project({
      'a.skill.md': text('a', { delegate: 'b' }),
      'b.skill.md': text('b', { delegate: 'a' }),
    })
    expect((await told(cwd, 'a.skill.md'))[0]).toMatch(/a → b → a \/ Let one of them do the work itself\.$/)
    const { code, hint } = await thrown(cwd, runtime => runtime.invoke('a'))
    expect([code, hint]).toEqual([
      'DEPTH_EXCEEDED',
      'They delegate to each other in a circle: let one of them do the work itself.',
    ])
  })

  it('for inline code that would be interpolated: one fault, not two', async () => {
    const cwd = project({
      'a.skill.md': text('a', { delegate: 'inline://code,export default () => ${args.x}' }),
    })
    expect((await told(cwd, 'a.skill.md')).map(line => line.split(' ')[2])).toEqual(['inline-interpolated'])
  })

  it('for tabs, and for an empty compatibility', async () => {
    const tabs = project({ 'a.skill.md': '---\nname: a\nmetadata:\n\tx: 1\n---\n' })
    expect((await told(tabs, 'a.skill.md'))[0]).toContain('/ Indent with spaces: YAML takes no tabs there.')
    const empty = project({ 'a.skill.md': skill('a', '', 'compatibility: ""\n') })
    expect((await told(empty, 'a.skill.md'))[0]).toContain('/ Say what it needs, or remove the field.')
  })
})

describe('a static directive', () => {
  const directive = (name: string, body: string): string =>
    `${NAMED(name, { static: true, tags: ['meta-directive-inline'] })}export default async () => {${body}}\n`
  it.each(
    some([
      [
        'waits forever',
        'await new Promise(() => setInterval(() => {}, 1000).unref())',
        'the directive "d" did not finish within 5 s',
      ],
      ['throws', "throw new Error('bad')", 'the directive "d" failed: bad'],
    ] as const),
  )(
    'that %s is named, at build time and in a call',
    { tags: 'long', timeout: 60_000 },
    async (_, body, said) => {
      const make = (): string =>
        project({ 'd.skill.js': directive('d', body), 'a.skill.md': skill('a', 'Say :d[x].\n') })
      const rendered = (cwd: string): Promise<unknown> =>
        createRuntime({ cwd, paths: ['skills'] })
          .render('a')
          .catch(({ code, message, hint }) => ({ code, message, hint }))
      // At once, as each of them waits for the deadline.
      const compiling = async () => {
        const cwd = make()
        const { diagnostics } = await compile({ cwd, paths: ['skills'] })
        return { diagnostics, inCall: await rendered(cwd) }
      }
      const [fromDisk, { diagnostics, inCall }] = await Promise.all([rendered(make()), compiling()])
      const reason = said.charAt(0).toUpperCase() + said.slice(1)
      expect(diagnostics.map(one => `${one.name} ${one.reason}`)).toEqual([`skills/a.skill.md:5:5 ${reason}`])
      expect(inCall).toEqual(fromDisk)
      expect(inCall).toMatchObject({
        code: 'DIRECTIVE_FAILED',
        message: expect.stringContaining(said),
      })
    },
  )

  it('that ends its process is named', { tags: 'long' }, async () => {
    const cwd = project({
      'd.skill.js': directive('d', 'process.exit(3)'),
      'a.skill.md': skill('a', 'Say :d[x].\n'),
    })
    const { diagnostics } = await compile({ cwd, paths: ['skills'] })
    expect(diagnostics.map(({ reason }) => reason)).toEqual([
      'The directive "d" ended its process: exit code 3',
    ])
  })
})
