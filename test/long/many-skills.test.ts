import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { temporary } from '../support/temporary.js'

/** `MANY_SKILLS=1000000 npm run test:long -- many-skills` takes minutes and gigabytes, so no other run has it. */
const COUNT = Number(process.env.MANY_SKILLS ?? 0)
const PER_FOLDER = 1_000

describe.runIf(COUNT > 0)(`${COUNT} skills`, () => {
  it('compile whole, and are found, missed and searched by few of the files', async () => {
    const dir = temporary()
    for (let from = 0; from < COUNT; from += PER_FOLDER) {
      const folder = join(dir, `folder-${from}`)
      mkdirSync(folder)
      for (let at = from; at < Math.min(COUNT, from + PER_FOLDER); at++)
        writeFileSync(join(folder, `skill-${at}.skill.md`), textOf(at))
    }
    const { counts } = await compile({ paths: [dir] })
    expect(counts).toMatchObject({ files: COUNT, found: COUNT, skipped: 0 })

    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    const last = `skill-${COUNT - 1}`
    expect((await runtime.findTool(last))?.name).toBe(last)
    expect(await runtime.invoke(last)).toContain(`Turn valve ${COUNT - 1}.`)
    expect(await runtime.findTool('skill-that-nobody-wrote')).toBeNull()
    const [hit] = await runtime.search(`close valve${COUNT - 1}`)
    expect(hit?.name).toBe(last)
    expect(runtime.stats()).toMatchObject({ via: { disk: 0 }, cascadesComputed: 0, parser: 'unused' })
  })
})

function textOf(number: number): string {
  return `---\nname: skill-${number}\ndescription: Closes valve${number} of the plant.\n---\nTurn valve ${number}.\n`
}
