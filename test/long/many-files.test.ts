import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { check } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { temporary } from '../support/temporary.js'

/** More than a call of a function takes arguments. */
const SKILLS = 200_000

it(`checks ${SKILLS} skills in one folder`, async () => {
  const cwd = temporary()
  mkdirSync(join(cwd, 'skills'))
  for (let skill = 0; skill < SKILLS; skill++)
    writeFileSync(
      join(cwd, 'skills', `s${skill}.skill.md`),
      `---\nname: s${skill}\ndescription: Skill.\n---\n`,
    )
  expect((await check({ cwd, paths: ['skills'] })).counts.found).toBe(SKILLS)
})
