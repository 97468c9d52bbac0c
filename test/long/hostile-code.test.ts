import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills, shown } from '../support/code-project.js'
import { times } from '../support/long.js'
import { SOUND } from '../support/misbehaving-code.js'
import { ROOT, startCode } from '../support/processes.js'
import { processorTime } from '../support/processor-time.js'
import { writeTree } from '../support/tree.js'

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
    const elapsed = processorTime()
    const { diagnostics } = await check({ paths: [dir], cwd: dir })
    expect(elapsed()).toBeLessThan(60_000)
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

describe('code that fills the stack of the parser', () => {
  it('never ends the process, whatever V8 has compiled by then', { timeout: 1_800_000 }, async () => {
    const { dir } = codeSkills(
      Object.fromEntries(
        ['if(1)', '!', 'a=>', 'a?1:', 'a+', 'a=', 'typeof '].flatMap((text, index) =>
          ['js', 'ts'].map(type => [
            `bad-${index}.skill.${type}`,
            `export const frontmatter = { name: 'a', description: 'x' }\nexport default () => 1\n${text.repeat(20_000)}1\n`,
          ]),
        ),
      ),
    )
    for (let round = 0; round < times(10, 100); round++) {
      const code = `
        import { check } from 'agent-apps/compiler'
        for (let again = 0; again < 5; again++) await check({ paths: [${JSON.stringify(dir)}], cwd: ${JSON.stringify(dir)} })
        console.log('looked')`
      expect(await startCode(code)).toBe('looked\n')
    }
  })
})
