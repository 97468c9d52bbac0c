import { createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree } from '../support/tree.js'

const ABOUT: Record<string, string> = {
  bake: 'Bakes bread and cakes.',
  brew: 'Brews coffee, strong or weak.',
  deploy: 'Deploys the website to production.',
  'deploy-check': 'Checks a deployment before production sees it.',
  paint: 'Paints walls in any colour.',
}

async function runtimes(extra: Record<string, string> = {}): Promise<[way: string, Runtime][]> {
  const cwd = makeTree({
    ...Object.fromEntries(
      Object.entries(ABOUT).map(([name, description]) => [
        `skills/${name}/SKILL.md`,
        `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`,
      ]),
    ),
    ...extra,
  })
  const disk = createRuntime({ cwd, paths: ['skills'] })
  await disk.listTools()
  await compile({ cwd, paths: ['skills'] })
  return [
    ['disk', disk],
    ['index', createRuntime({ cwd, paths: ['skills'] })],
  ]
}

describe('the skills that the words of a user find', () => {
  it('are described beside a catalog that stays the same', async () => {
    for (const [way, runtime] of await runtimes()) {
      const agent = runtime.forAgent()
      const plain = await agent.catalog({ budget: 80 })
      expect([way, plain.described, plain.relevant]).toEqual([way, ['bake'], ''])
      const about = await agent.catalog({ budget: 80, for: 'Deploy it to production', relevantBudget: 100 })
      expect(about.text).toBe(plain.text)
      expect(about.relevant).toBe(`<relevant_skills>
  <skill>
    <name>deploy</name>
    <description>Deploys the website to production.</description>
  </skill>
  <skill>
    <name>deploy-check</name>
    <description>Checks a deployment before production sees it.</description>
  </skill>
</relevant_skills>
`)
      expect(about.relevantTools).toEqual(['deploy', 'deploy-check'])
      expect(about.relevantTokens).toBeGreaterThan(0)
      expect(about.relevantTokens).toBeLessThanOrEqual(100)
    }
  })

  it('are within their own budget, a quarter of the other', async () => {
    const [[, runtime] = ['', null]] = await runtimes()
    const agent = runtime?.forAgent()
    const words = { for: 'deploy production' }
    expect((await agent?.catalog({ budget: 80, ...words, relevantBudget: 45 }))?.relevantTools).toEqual([
      'deploy',
    ])
    expect((await agent?.catalog({ budget: 80, ...words }))?.relevant).toBe('')
    expect((await agent?.catalog({ budget: 160, ...words }))?.relevantTokens).toBeLessThanOrEqual(40)
  })

  it('are none if the best does not fit: a worse one would mislead', async () => {
    const skill = (name: string, description: string) =>
      `---\nname: ${name}\ndescription: ${description}\n---\nDo it.\n`
    const [[, runtime] = ['', null]] = await runtimes({
      'skills/refund/SKILL.md': skill(
        'refund',
        'Pays money back to customers: refunds, vouchers, and all that belongs to it.',
      ),
      'skills/backup/SKILL.md': skill('backup', 'Brings data back.'),
    })
    const words = { budget: 20, for: 'a customer wants money back' }
    expect((await runtime?.forAgent().catalog({ ...words, relevantBudget: 45 }))?.relevantTools).toEqual([])
    expect((await runtime?.forAgent().catalog({ ...words, relevantBudget: 200 }))?.relevantTools).toEqual([
      'refund',
      'backup',
    ])
  })

  it('have the format of the catalog, and its count of tokens', async () => {
    const [[, runtime] = ['', null]] = await runtimes()
    const options = {
      budget: 100,
      relevantBudget: 200,
      countTokens: (shown: string) => shown.length,
      for: 'paint',
    }
    const markdown = await runtime?.forAgent().catalog({ ...options, format: 'markdown' })
    expect(markdown?.relevant).toBe('## Relevant skills\n\n- **paint**: Paints walls in any colour.\n')
    expect(markdown?.relevantTokens).toBe(markdown?.relevant.length)
    const json = await runtime?.forAgent().catalog({ ...options, format: 'json' })
    expect(JSON.parse(json?.relevant ?? '')).toEqual({
      relevant_skills: [{ name: 'paint', description: ABOUT.paint }],
    })
  })

  it('are none that the catalog describes already, that nothing tells of, or that the agent may not call', async () => {
    const [[, runtime] = ['', null]] = await runtimes()
    const whole = await runtime?.forAgent().catalog({ for: 'deploy' })
    expect([whole?.described.includes('deploy'), whole?.relevant]).toEqual([true, ''])
    for (const text of ['', 'the how', 'xylophone'])
      expect(
        (await runtime?.forAgent().catalog({ budget: 80, for: text, relevantBudget: 500 }))?.relevant,
      ).toBe('')
    const agent = runtime?.forAgent({ deny: 'deploy' })
    const narrow = await agent?.catalog({ budget: 80, for: 'deploy', relevantBudget: 500 })
    expect(narrow?.relevantTools).toEqual(['deploy-check'])
  })

  it('are those that are left to a search, and those whose required tools the host has', async () => {
    const extra = {
      'skills/migrate/SKILL.md':
        '---\nname: migrate\ndescription: Migrates tables.\nmetadata: { requires-tools: [db-*] }\n---\nDo it.\n',
      'skills/rare/SKILL.md':
        '---\nname: rare\ndescription: Migrates birds.\nmetadata: { catalog: never }\n---\nDo it.\n',
    }
    for (const [way, runtime] of await runtimes(extra)) {
      const agent = runtime.forAgent()
      const about = async (options: object) =>
        (await agent.catalog({ for: 'migrate', ...options })).relevantTools
      expect([way, await about({})]).toEqual([way, ['rare']])
      expect(await about({ budget: 80, relevantBudget: 500, available: ['db-query'] })).toEqual([
        'migrate',
        'rare',
      ])
    }
  })

  it('are asked for with known options', async () => {
    const agent = createRuntime({ paths: [], library: false }).forAgent()
    for (const options of [{ for: 5 }, { relevantBudget: 'x' }, { fro: 'x' }])
      await expect(agent.catalog(options as object)).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})
