import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { createRuntime, isAgentAppsError } from 'agent-apps'
import { check, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { isLong, oneIn, some } from '../support/long.js'
import { doing, expectHarmless, MISBEHAVING, SOUND } from '../support/misbehaving-code.js'
import { ROOT } from '../support/processes.js'

/** All but the one that prints, which a test of the command has. */
const { prints: _, ...QUIET } = MISBEHAVING

describe('code that misbehaves when it is imported', () => {
  it('is reported, and harms no other', () =>
    expectHarmless(...oneIn(4, Object.values(isLong ? MISBEHAVING : QUIET))))
  it.runIf(isLong).each(Object.entries(MISBEHAVING))('alone: %s', (_, one) => expectHarmless(one))

  const HINT = /^If a package is meant, install it: `npm install (\S+)`\. /
  const MISSING: Record<string, string | null> = {
    absent: 'absent',
    'absent/deep/file.js': 'absent',
    '@scope/absent/deep': '@scope/absent',
    './absent.js': null,
    '#absent': null,
  }
  it('names the package that is not there', async () => {
    const cases = Object.entries(MISSING)
    const files = cases.flatMap(([imported], at) => [
      [`bad-${at}.skill.js`, doing(`import '${imported}'`, `bad-${at}`)],
      [
        `for-${at}/SKILL.md`,
        `---\nname: for-${at}\ndescription: Delegates.\nmetadata:\n  delegate: ./code.js\n---\n`,
      ],
      [`for-${at}/code.js`, `import '${imported}'\nexport default () => 1\n`],
    ])
    const { dir } = codeSkills(Object.fromEntries(files))
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    const told = diagnostics.map(({ file, ruleId, note = '' }) => [
      file,
      ruleId,
      HINT.exec(note)?.[1] ?? null,
    ])
    expect(told.sort()).toEqual(
      [
        ...cases.map(([, name], at) => [`bad-${at}.skill.js`, 'code-import', name]),
        ...cases.map(([, name], at) => [`for-${at}/SKILL.md`, 'delegate-invalid', name]),
      ].sort(),
    )
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    for (const [at, [imported, name]] of cases.entries()) {
      const failure = await runtime.invoke(`for-${at}`).catch((error: unknown) => error)
      expect(isAgentAppsError(failure) && HINT.exec(failure.hint)?.[1], imported).toBe(name ?? undefined)
    }
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
  it('says all that is wrong with a file and with what it imports, and a call the first', {
    tags: 'long',
  }, async () => {
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

  it('nothing of it reaches the output of the command', { tags: 'long' }, () => {
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

  it('a definition that turns out to be something else', { tags: 'long' }, async () => {
    const values = {
      text: "'text'",
      function: '() => 1',
      nothing: 'undefined ?? null',
      list: 'Array.of(1)',
      'not-json': '({ ...{ big: BigInt(1) } })',
      'holds-itself': '(() => { const a = {}; a.a = a; return a })()',
    }
    const files = some(Object.entries(values), 2).map(([name, value]) => [
      `${name}.skill.js`,
      `import { defineTool } from 'agent-apps'\nexport default defineTool('${name}', async () => ({ metadata: ${value}, description: 'x', execute: () => 1 }))\nexport const b = defineTool('${name}-b', async () => ${value})\n`,
    ])
    const { dir } = codeSkills({ ...Object.fromEntries(files), 'sound.skill.js': SOUND('sound') })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    for (const one of diagnostics) expect(one.ruleId).toBe('code-throws')
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('sound')).toBe('sound')
  })

  it('nesting too deep for a parser breaks its own file', { tags: 'long' }, async () => {
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

  it.runIf(isLong)(
    'more computed fields than one call can take arguments are told as far as anyone reads',
    async () => {
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
      expect([told.length, counts.found]).toEqual([10_000, 2])
    },
  )

  it('frontmatter that turns out to be no object breaks its own file', { tags: 'long' }, async () => {
    const { dir } = codeSkills({
      'a.skill.js': `export const frontmatter = { name: 'a', description: String('x'), get: undefined }\nexport default () => 1\nfrontmatter.toJSON = () => undefined\n`,
      'sound.skill.js': SOUND('sound'),
    })
    const { diagnostics } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(shown)).toEqual(['a.skill.js:1:54 value-not-json error'])
    expect(await createRuntime({ paths: [dir], freshness: 'trust' }).invoke('sound')).toBe('sound')
  })
})
