import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'
import { writeTree } from '../support/tree.js'

const SOUND = (name: string): string =>
  `export const frontmatter = { name: '${name}', description: String('Is sound.') }\nexport default () => '${name}'\n`

/** A skill whose third line does something that it should not. */
const doing = (statement: string, name = 'bad'): string =>
  `export const frontmatter = { name: '${name}', description: 'Is bad.' }\nexport default () => 1\n${statement}\n`

describe('code that misbehaves when it is imported', () => {
  const cases: Record<string, [statement: string, expected: string | null, message?: RegExp]> = {
    throws: ["throw new Error('No luck.')", '3:7 code-throws', /No luck\./],
    'throws no error': ["throw 'text'", '1:1 code-throws', /text/],
    'waits forever': ['await new Promise(() => {})', '1:1 code-hangs', /5 s/],
    'never ends': ['while (true) {}', '1:1 code-hangs', /5 s/],
    'ends the process': ['process.exit(3)', '1:1 code-exits', /code 3/],
    'rejects and nobody awaits it': ["Promise.reject(new Error('Left.'))", '3:16 code-throws', /Left\./],
    'rejects after it was imported': ["setTimeout(() => Promise.reject(new Error('Late.')), 20)", null],
    'ends the process after it was imported': ['setTimeout(() => process.exit(1), 20)', null],
    prints: ["console.log('NOISE'); console.error('NOISE'); process.stdout.write('NOISE')", null],
    'has a syntax error': ['const = 3', '3:7 code-syntax', /./],
    'imports what is not there': ["import './absent.js'", '3:8 code-import', /absent/],
  }
  it.each(Object.entries(cases))('%s', async (_, [statement, expected, message = /^$/]) => {
    const { dir } = codeSkills({
      'a-sound.skill.js': SOUND('a-sound'),
      'bad.skill.ts': doing(statement),
      'c-sound.skill.js': SOUND('c-sound'),
      'd-sound.skill.js': doing('await new Promise(done => setTimeout(done, 100))', 'd-sound'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(expected === null ? [] : [`bad.skill.ts:${expected} error`])
    for (const one of diagnostics) expect(one.reason).toMatch(message)
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    for (const name of ['a-sound', 'c-sound']) expect(await runtime.invoke(name)).toBe(name)
    expect((await runtime.listTools()).map(({ name }) => name)).toContain('d-sound')
    if (expected === null) return
    const failure = await runtime.invoke('bad').catch((error: unknown) => error)
    expect(isAgentAppsError(failure) && failure.code).toBe('TOOL_BROKEN')
  })

  it('all at once: each its own diagnostic, in bounded time', async () => {
    const all = Object.values(cases)
    const { dir } = codeSkills({
      ...Object.fromEntries(
        all.map(([statement], index) => [`bad-${index}.skill.js`, doing(statement, `bad-${index}`)]),
      ),
      'sound.skill.js': SOUND('sound'),
    })
    const started = Date.now()
    const { diagnostics, skills } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual(
      all
        .flatMap(([, expected], index) =>
          expected === null ? [] : [`bad-${index}.skill.js ${expected.split(' ')[1]}`],
        )
        .sort(),
    )
    expect(skills).toHaveLength(1 + all.filter(([, expected]) => expected === null).length)
    expect(Date.now() - started).toBeLessThan(40_000)
  })

  const HINT = /^If a package is meant, install it: `npm install (\S+)`\. /
  const MISSING: Record<string, string | null> = {
    absent: 'absent',
    'absent/deep/file.js': 'absent',
    '@scope/absent/deep': '@scope/absent',
    './absent.js': null,
    '#absent': null,
  }
  it.each(Object.entries(MISSING))('names the package that is not there: %s', async (imported, name) => {
    const { dir } = codeSkills({
      'bad.skill.js': doing(`import '${imported}'`),
      'for/SKILL.md': '---\nname: for\ndescription: Delegates.\nmetadata:\n  delegate: ./code.js\n---\n',
      'for/code.js': `import '${imported}'\nexport default () => 1\n`,
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ ruleId, note = '' }) => [ruleId, HINT.exec(note)?.[1] ?? null])).toEqual([
      ['code-import', name],
      ['delegate-invalid', name],
    ])
    const failure = await createRuntime({ paths: [dir], freshness: 'check' })
      .invoke('for')
      .catch((error: unknown) => error)
    expect(isAgentAppsError(failure) && HINT.exec(failure.hint)?.[1]).toBe(name ?? undefined)
  })

  it('says in which imported file the fault is', async () => {
    const { dir } = codeSkills({
      'deep/bad.skill.js': doing("import '../lib/helper.js'"),
      'lib/helper.js': 'const = 3\n',
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['deep/bad.skill.js:1:1 code-import error'])
    expect(diagnostics[0]?.reason).toMatch(/: lib\/helper\.js:1:7: Expected/)
  })

  const IMPORTING = `import a from './one.js'
import b from 'two'
import { lib } from './lib.js'
export const frontmatter = { name: 'bad', description: 'x' }
export default () => [a, b, lib]
`
  const LIB = `import x from './three.js'
${Array.from({ length: 20 }, (_, number) => `import './more-${number}.js'`).join('\n')}
export const lib = x
`
  it('says all that is wrong with a file and with what it imports, and a call the first', async () => {
    const { dir } = codeSkills({
      'bad.skill.js': IMPORTING,
      'also.skill.js': doing("import { lib } from './lib.js'\nimport './four.js'", 'also'),
      'for/SKILL.md': '---\nname: for\ndescription: x\nmetadata:\n  delegate: ../other.js\n---\n',
      'lib.js': LIB,
      'other.js': "import { lib } from './lib.js'\nexport default () => lib\n",
      'sound.skill.js': SOUND('sound'),
    })
    const called = (freshness: 'check' | 'trust') =>
      createRuntime({ paths: [dir], freshness })
        .invoke('bad')
        .catch((error: Error) => error.message)
    expect(await called('check')).toMatch(/bad\.skill\.js:1:15: Could not resolve "\.\/one\.js"$/)
    const ofLib = ['three', ...Array.from({ length: 20 }, (_, number) => `more-${number}`)].map(
      (name, number) => `lib.js:${number + 1}:${number === 0 ? 15 : 8}: Could not resolve "./${name}.js"`,
    )
    for (const _again of [1, 2]) {
      const { diagnostics } = await compile({ paths: [dir], cwd: dir })
      const of = (file: string) =>
        diagnostics
          .filter(one => one.file === file)
          .map(({ line, column, reason }) => `${line}:${column} ${reason.slice(reason.indexOf(': ') + 2)}`)
      const inherited = ofLib.map(told => `1:1 ${told}`)
      expect(of('bad.skill.js')).toEqual([
        ...inherited,
        '1:15 Could not resolve "./one.js"',
        '2:15 Could not resolve "two"',
      ])
      expect(of('also.skill.js')).toEqual([...inherited, '4:8 Could not resolve "./four.js"'])
      expect(of('for/SKILL.md')).toEqual(ofLib.map(told => `5:13 ${told}`))
      expect(diagnostics.every(({ severity }) => severity === 'error')).toBe(true)
    }
    expect(await called('trust')).toMatch(
      /bad\.skill\.js:1:15: The code cannot be bundled: Could not resolve "\.\/one\.js"$/,
    )
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('sound')).toBe('sound')
  })

  it('says of every import that it is forbidden', async () => {
    const { dir } = codeSkills({
      'bad.skill.js': doing(
        "import 'https://example.com/a.js'\nimport 'https://example.com/a.js'\nimport 'data:text/javascript,1'\nimport './lib.js'",
      ),
      'lib.js': "import 'https://example.com/b.js'\n",
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ line, column, ruleId }) => `${line}:${column} ${ruleId}`)).toEqual([
      '1:1 code-import',
      '3:9 code-import',
      '5:9 code-import',
    ])
  })

  it('nothing of it reaches the output of the command', () => {
    const { root } = codeSkills({
      'a.skill.js': doing("console.log('NOISE'); console.error('NOISE'); process.stdout.write('NOISE')"),
    })
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(ROOT, 'dist/cli/main.js'), 'compile', '--json', '--cwd', root],
      { encoding: 'utf8' },
    )
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ counts: { files: 1, found: 1 } })
    expect(stdout + stderr).not.toContain('NOISE')
  })

  it.each([
    ['a text', "'text'"],
    ['a function', '() => 1'],
    ['nothing', 'undefined ?? null'],
    ['a list', 'Array.of(1)'],
    ['what JSON does not have', '({ ...{ big: BigInt(1) } })'],
    ['an object that holds itself', '(() => { const a = {}; a.a = a; return a })()'],
  ])('a definition that turns out to be %s', async (_, value) => {
    const { dir } = codeSkills({
      'a.skill.js': `import { defineTool } from 'agent-apps'\nexport default defineTool('a', async () => ({ metadata: ${value}, description: 'x', execute: () => 1 }))\nexport const b = defineTool('b', async () => ${value})\n`,
      'sound.skill.js': SOUND('sound'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    for (const one of diagnostics) expect(one.ruleId).toBe('code-throws')
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('sound')).toBe('sound')
  })

  it('nesting too deep for a parser breaks its own file', async () => {
    const nested = ['a[', '(', '`${', 'a?.[', 'a?.b(', 'if(1){', '() => {', 'class{a=', '{a:']
    const files = nested.flatMap((open, index) =>
      ['js', 'ts'].flatMap(type =>
        [500, 700, 1900].map(levels => {
          const code = doing(`const q = ${open.repeat(levels)}`, `bad-${index}`)
          return [`bad-${index}-${levels}.skill.${type}`, code] as const
        }),
      ),
    )
    const statements = ['if(1)', '!', 'a=>', 'a?1:'].map((text, index) => {
      const code = doing(`const q = 1;${text.repeat(20_000)}1`, `flat-${index}`)
      return [`flat-${index}.skill.js`, code] as const
    })
    const { dir } = codeSkills(
      Object.fromEntries([...files, ...statements, ['sound.skill.js', SOUND('sound')]]),
    )
    const { diagnostics, counts } = await check({ paths: [dir], cwd: dir })
    const told = diagnostics.filter(({ ruleId }) => ruleId === 'code-syntax').map(({ file }) => file)
    expect(told.sort()).toEqual([...files, ...statements].map(([file]) => file).sort())
    expect(counts.found).toBe(1)
  })

  it('more computed fields than one call can take arguments are told as far as anyone reads', async () => {
    const list = `[${'f,'.repeat(262_000)}]`
    const computed = `let f\nexport const frontmatter = { name: 'a', description: 'A.', metadata: { list: ${list} } }\n`
    const { dir } = codeSkills({
      'a.skill.js': `${computed}export default () => 1\n`,
      'b.skill.js': SOUND('b'),
    })
    const { diagnostics, counts } = await check({ paths: [dir], cwd: dir })
    const told = diagnostics.filter(
      ({ file, ruleId }) => file === 'a.skill.js' && ruleId === 'metadata-dynamic',
    )
    expect([told.length, counts.found]).toEqual([20, 2])
  })

  it('frontmatter that turns out to be no object breaks its own file', async () => {
    const { dir } = codeSkills({
      'a.skill.js': `export const frontmatter = { name: 'a', description: String('x'), get: undefined }\nexport default () => 1\nfrontmatter.toJSON = () => undefined\n`,
      'sound.skill.js': SOUND('sound'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.js:1:54 value-not-json error'])
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('sound')).toBe('sound')
  })
})

describe('code that is heavy to read', () => {
  const MIB = 1024 * 1024
  const header = "export const frontmatter = { name: 'a', description: 'x' }\nexport default () => 1\n"
  /** Constants each of which names the one before it often, and is small all the same. */
  const constants = Array.from(
    { length: 30 },
    (_, index) => `const c${index + 1} = [${Array(10).fill(`c${index}`).join()}]`,
  ).join('\n')
  const cases: Record<string, [text: string, expected: RegExp]> = {
    'brackets inside brackets': [
      `${header}const a = ${'['.repeat(100_000)}`,
      /^a\.skill\.\w+:1:1 code-syntax/,
    ],
    'brackets below the limit': [
      `${header}const a = ${'['.repeat(1900)}${']'.repeat(1900)}`,
      /^$|code-syntax/,
    ],
    'parentheses below the limit': [
      `${header}const a = ${'('.repeat(1900)}1${')'.repeat(1900)}`,
      /^$|code-syntax/,
    ],
    'a mebibyte of operators': [`${header}const a = 1${'+1'.repeat(MIB / 2 - 100)}`, /code-syntax|^$/],
    'a mebibyte of negations': [`${header}const a = ${'!'.repeat(MIB - 100)}1`, /code-syntax|^$/],
    'a mebibyte of exclamation marks in metadata': [
      `export const frontmatter = { name: 'a', description: 'x', metadata: { b: ${'- '.repeat(MIB / 2 - 100)}1 } }\nexport default () => 1`,
      /code-syntax|file-unreadable|metadata/,
    ],
    'arrows inside arrows': [
      `${header}const a = ${'a => '.repeat(100_000)}1`,
      /^a\.skill\.\w+:1:1 code-syntax error$/,
    ],
    'calls with types inside calls with types': [
      `${header}const a = ${'<T>('.repeat(24)}1${')'.repeat(24)}`,
      /^$|code-syntax/,
    ],
    'types inside types': [
      `${header}const a: ${'A<'.repeat(100_000)}A${'>'.repeat(100_000)} = 1`,
      /code-syntax/,
    ],
    'a mebibyte of types': [`${header}const a = 1${' as 1'.repeat(MIB / 5 - 100)}`, /code-syntax|^$/],
    'more than a mebibyte': [header + ' '.repeat(MIB), /file-too-large/],
    'constants that name constants': [
      `const c0 = ['lol']\n${constants}\nexport const frontmatter = { name: 'a', description: 'x', metadata: { c: c30 } }\nexport default () => 1`,
      /metadata-dynamic|^$|code-/,
    ],
    'constants that name themselves': [
      `const a = [b]\nconst b = [a]\nexport const frontmatter = { name: 'a', description: 'x', metadata: { a } }\nexport default () => 1`,
      /metadata-dynamic/,
    ],
    'a NUL byte': [`${header}\0`, /nul-byte/],
    'a frontmatter with a key that reaches a prototype': [
      `export const frontmatter = { name: 'a', description: 'x', metadata: { ['__proto__']: { polluted: 1 }, "constructor": 2 } }\nexport default () => 1`,
      /forbidden-key|metadata-dynamic|^$/,
    ],
  }
  it.each(
    Object.entries(cases).flatMap(([title, [text, expected]]) =>
      ['js', 'ts'].map(ending => [`${title} (${ending})`, ending, text, expected] as const),
    ),
  )('%s', async (_, ending, text, expected) => {
    const file = `a.skill.${ending}`
    const { dir } = codeSkills({ [file]: text, 'sound.skill.js': SOUND('sound') })
    const started = Date.now()
    const { diagnostics } = await check({ paths: [dir], cwd: dir })
    expect(Date.now() - started).toBeLessThan(60_000)
    expect(
      diagnostics
        .filter(one => one.file === file)
        .map(shown)
        .join('\n'),
    ).toMatch(expected)
    expect(await createRuntime({ paths: [dir] }).invoke('sound')).toBe('sound')
    expect(({} as Record<string, unknown>).polluted).toBeUndefined()
  })
})

describe('code that never ends', () => {
  /** Writes down the number of its process. */
  const here = (file: string): string =>
    `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(file)}, String(process.pid))`
  const isRunning = (pid: number): boolean => {
    try {
      return process.kill(pid, 0)
    } catch {
      return false
    }
  }
  const until = async (isSo: () => boolean): Promise<boolean> => {
    for (let waited = 0; waited < 4000 && !isSo(); waited += 50)
      await new Promise(done => setTimeout(done, 50))
    return isSo()
  }

  it.each([
    ['an import', 'SIGKILL'],
    ['an import', 'SIGTERM'],
    ['a static directive', 'SIGKILL'],
    ['a static directive', 'SIGTERM'],
  ] as const)('%s ends with the compile that is ended by %s', async (place, signal) => {
    const { dir } = codeSkills({ 'one.skill.md': '---\nname: one\ndescription: One.\n---\n:loop[x]\n' })
    const file = join(dir, 'pid.txt')
    const loop = `${here(file)}; while (true) {}`
    const [top, body] = place === 'an import' ? [loop, ''] : ['', loop]
    const metadata = "{ static: true, tags: ['meta-directive-inline'] }"
    writeTree(dir, {
      'loop.skill.js': `${top}\nexport const frontmatter = { name: 'loop', description: 'Never ends.', metadata: ${metadata} }\nexport default () => { ${body} }\n`,
    })
    const compiling = spawn(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'compile', '.'], { cwd: dir })
    expect(await until(() => existsSync(file) && readFileSync(file, 'utf8') !== '')).toBe(true)
    const pid = Number(readFileSync(file, 'utf8'))
    compiling.kill(signal)
    try {
      expect(await until(() => !isRunning(pid))).toBe(true)
    } finally {
      if (isRunning(pid)) process.kill(pid, 'SIGKILL')
    }
  })
})
