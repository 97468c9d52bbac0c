import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeSkills } from '../support/code-project.js'
import { doing, expectHarmless, HANGING, MISBEHAVING, SOUND } from '../support/misbehaving-code.js'

describe('code that hangs when it is imported', () => {
  it.each(Object.entries(HANGING))('%s', (_, one) => expectHarmless(one))

  it('all at once: each its own diagnostic, in bounded time', { timeout: 60_000 }, async () => {
    const all = Object.values({ ...MISBEHAVING, ...HANGING })
    const { dir } = codeSkills({
      ...Object.fromEntries(
        all.map(([statement], index) => [`bad-${index}.skill.js`, doing(statement, `bad-${index}`)]),
      ),
      'sound.skill.js': SOUND('sound'),
    })
    const { diagnostics, skills } = await compile({ paths: [dir], cwd: dir })
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual(
      all
        .flatMap(([, expected], index) =>
          expected === null ? [] : [`bad-${index}.skill.js ${expected.split(' ')[1]}`],
        )
        .sort(),
    )
    expect(skills).toHaveLength(1 + all.filter(([, expected]) => expected === null).length)
  })
})
