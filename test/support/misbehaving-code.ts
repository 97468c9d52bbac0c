import { createRuntime, isAgentAppsError } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect } from 'vitest'
import { codeSkills, shown } from './code-project.js'

/** What a module does when it is imported, with the fault that it is told as; null where it is none. */
export type Misbehaviour = [statement: string, expected: string | null, message?: RegExp]

export const MISBEHAVING: Record<string, Misbehaviour> = {
  throws: ["throw new Error('No luck.')", '3:7 code-throws', /No luck\./],
  'throws no error': ["throw 'text'", '1:1 code-throws', /text/],
  'ends the process': ['process.exit(3)', '1:1 code-exits', /code 3/],
  'rejects and nobody awaits it': ["Promise.reject(new Error('Left.'))", '3:16 code-throws', /Left\./],
  'rejects after it was imported': ["setTimeout(() => Promise.reject(new Error('Late.')), 20)", null],
  'ends the process after it was imported': ['setTimeout(() => process.exit(1), 20)', null],
  prints: ["console.log('NOISE'); console.error('NOISE'); process.stdout.write('NOISE')", null],
  'has a syntax error': ['const = 3', '3:7 code-syntax', /./],
  'imports what is not there': ["import './absent.js'", '3:8 code-import', /absent/],
}

/** What is only ended by a deadline. */
export const HANGING: Record<string, Misbehaviour> = {
  'waits forever': ['await new Promise(() => {})', '1:1 code-hangs', /5 s/],
  'never ends': ['while (true) {}', '1:1 code-hangs', /5 s/],
}

export const SOUND = (name: string): string =>
  `export const frontmatter = { name: '${name}', description: String('Is sound.') }\nexport default () => '${name}'\n`

/** A skill whose third line does something that it should not. */
export const doing = (statement: string, name = 'bad'): string =>
  `export const frontmatter = { name: '${name}', description: 'Is bad.' }\nexport default () => 1\n${statement}\n`

/** Compiles such modules together, and expects a diagnostic of each faulty one, and that they harm no other. */
export async function expectHarmless(...modules: Misbehaviour[]): Promise<void> {
  const { dir } = codeSkills({
    'a-sound.skill.js': SOUND('a-sound'),
    ...Object.fromEntries(
      modules.map(([statement], at) => [`bad-${at}.skill.ts`, doing(statement, `bad-${at}`)]),
    ),
    'c-sound.skill.js': SOUND('c-sound'),
    'd-sound.skill.js': doing('await new Promise(done => setTimeout(done, 100))', 'd-sound'),
  })
  const { diagnostics } = await compile({ paths: [dir], cwd: dir })
  const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
  for (const name of ['a-sound', 'c-sound']) expect(await runtime.invoke(name)).toBe(name)
  expect((await runtime.listTools()).map(({ name }) => name)).toContain('d-sound')
  for (const [at, [statement, expected, message = /^$/]] of modules.entries()) {
    const file = `bad-${at}.skill.ts`
    const said = diagnostics.filter(one => one.file === file)
    expect(said.map(shown), statement).toEqual(expected === null ? [] : [`${file}:${expected} error`])
    for (const one of said) expect(one.reason).toMatch(message)
    if (expected === null) continue
    const failure = await runtime.invoke(`bad-${at}`).catch((error: unknown) => error)
    expect(isAgentAppsError(failure) && failure.code, statement).toBe('TOOL_BROKEN')
  }
  expect(diagnostics).toHaveLength(modules.filter(([, expected]) => expected !== null).length)
}
