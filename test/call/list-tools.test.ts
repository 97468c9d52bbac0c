import { createRuntime, type RuntimeOptions, registerTool, unregisterTool } from 'agent-apps'
import { describe, expect, it } from 'vitest'
import { RuleIndex } from '../../src/patterns/rule-index.js'
import { parsePatterns, selectsTool } from '../../src/patterns/tool-pattern.js'
import { times } from '../support/long.js'
import { randomFrom } from '../support/policy-model.js'
import { runtimeWith } from '../support/registered-runtime.js'
import { makeTree, skill } from '../support/tree.js'

describe('what an agent is listed', () => {
  const names = async (agent: { listTools: () => Promise<{ name: string }[]> }): Promise<string[]> =>
    (await agent.listTools()).map(({ name }) => name)

  it('is kept until the tools or the policy change', async () => {
    const runtime = runtimeWith({ one: {}, two: {} })
    const agent = runtime.forAgent({ deny: 'two three' })
    expect(await names(agent)).toEqual(['one'])
    ;(await agent.listTools()).length = 0
    expect(await names(runtime.forAgent({ deny: 'two three' }))).toEqual(['one'])
    expect(await names(runtime.forAgent({ deny: 'one' }))).toEqual(['two'])
    expect(await names(agent.spawn({ deny: 'one' }))).toEqual([])
    for (const name of ['three', 'four'])
      registerTool(runtime.globals, { name, description: 'x', params: {}, fn: () => name })
    expect(await names(agent)).toEqual(['one', 'four'])
    unregisterTool(runtime.globals, 'one')
    expect(await names(agent)).toEqual(['four'])
    registerTool(runtime.globals, {
      ...{ name: 'four', description: 'x', params: {}, permissions: { required: ['write'] } },
      fn: () => 4,
    })
    expect(await names(agent)).toEqual([])
  })

  it('follows a skill in whose place the agent is', async () => {
    const runtime = runtimeWith({ one: {}, two: {}, careful: { allowedTools: 'one' } })
    const agent = runtime.forAgent()
    expect(await names(agent.within('careful'))).toEqual(['one'])
    expect(await names(agent)).toEqual(['one', 'two', 'careful'])
    registerTool(runtime.globals, { name: 'careful', allowedTools: 'two', fn: () => 1 })
    expect(await names(agent.within('careful'))).toEqual(['two'])
  })

  it('is, of many tools, what each alone would be', async () => {
    const tree: Record<string, string> = {}
    for (let count = 0; count < 40; count++) {
      const folder = count % 4 === 0 ? 'team/deep' : count % 4 === 1 ? 'team' : 'other'
      tree[`${folder}/tool-${count}/SKILL.md`] = skill(
        `tool-${count}`,
        'x',
        count % 3 === 0 ? 'metadata: { tags: [odd] }\n' : '',
      )
    }
    tree['team/SKILL.md'] = skill(
      'team-main',
      'x',
      'metadata: { role: main, trust: { rules: "#odd($deny)" } }\n',
    )
    tree['other/nested/SKILL.md'] = skill(
      'nested-main',
      'x',
      'metadata: { role: main, trust: { rules: "*($deny)" } }\n',
    )
    tree['other/nested/tool-x/SKILL.md'] = skill('tool-x')
    const paths = [makeTree(tree), { dir: makeTree({ ...tree }), namespace: 'acme' }]
    const policy = { rules: 'tool-1?($deny) tool-{20,21}($deny) acme:*4($deny) *-35($deny) x y z' }
    for (const options of [{ paths }, { paths, freshness: 'trust' }] as RuntimeOptions[]) {
      const runtime = createRuntime({ library: false, policy, ...options })
      const agent = runtime.forAgent({
        deny: 'tool-2($deny) tool-*7',
        allowedTools: 'tool-* acme:tool-* a b c',
      })
      const found: string[] = []
      for (const { name } of await runtime.listTools()) if (await agent.findTool(name)) found.push(name)
      expect(found.length).toBeGreaterThan(10)
      expect(found).not.toContain('tool-x')
      expect(await names(agent)).toEqual(found)
    }
  })
})

it('an index of rules leaves out none that selects a tool', () => {
  const random = randomFrom(5)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const piece = (): string =>
    pick([
      'a',
      'b',
      'ab',
      'bash',
      'Bash',
      '*',
      '?',
      '[ab]',
      '{a,b}',
      '{ab,}',
      '{a*,b}',
      '-',
      'mcp__',
      'acme:',
    ])
  const pattern = (): string => {
    const text = Array.from({ length: 1 + Math.floor(random() * 4) }, piece).join('')
    return (
      pick(['', '', '', '#', '$']) +
      pick([text, text, text, `a!(${pick(['a', 'b*'])})`]) +
      pick(['', '($deny)', '(a=1)'])
    )
  }
  const word = (): string =>
    Array.from({ length: 1 + Math.floor(random() * 3) }, () => pick(['a', 'b', 'ab', 'bash', '-'])).join('')
  let selected = 0
  for (let count = 0; count < times(20, 2_000); count++) {
    const rules = Array.from({ length: 12 }, () => parsePatterns(pattern())).flat()
    const index = new RuleIndex(rules)
    for (let round = 0; round < 5; round++) {
      const tool = {
        name: pick([word(), `acme:${word()}`, 'bash', 'acme:bash', 'mcp://a/b']),
        tags: pick([[], [word()], [word(), word()]]),
        src: pick([null, null, 'mcp://ab/a']),
        isLibrary: random() < 0.3,
      }
      for (const [denying, byEither] of [
        [true, true],
        [false, false],
        [false, true],
      ] as const)
        for (const isMeant of [true, false]) {
          const those = rules.filter(rule => selectsTool(rule, { ...tool, isMeant }, denying, byEither))
          selected += those.length
          const kept = index.of(tool)
          expect(those.filter(rule => !kept.includes(rule)).map(({ text }) => [text, tool])).toEqual([])
          expect(kept).toEqual(rules.filter(rule => kept.includes(rule)))
        }
    }
  }
  expect(selected).toBeGreaterThan(times(200, 10_000))
}, 60_000)
