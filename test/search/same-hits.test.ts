import { createRuntime } from 'agent-apps'
import { skillTools as aiTools } from 'agent-apps/ai-sdk'
import { compile } from 'agent-apps/compiler'
import { skillTools as langChainTools } from 'agent-apps/langchain'
import { serveSkills } from 'agent-apps/mcp'
import { describe, expect, it } from 'vitest'
import { agentApps } from '../support/commands.js'
import { connectedTo } from '../support/mcp-project.js'
import { makeTree, skill } from '../support/tree.js'

const described = (name: string, description: string): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\nText.\n`

const others = Array.from({ length: 120 }, (_, number) => `skill-${number}`)
const POLICY = { deny: 'bread-vault' }
const TREE = {
  'agent-apps.config.json': JSON.stringify({ paths: ['skills'], policy: POLICY }),
  ...Object.fromEntries(others.map(name => [`skills/${name}/SKILL.md`, skill(name)])),
  'skills/bake/SKILL.md': described('bake', 'Bakes bread with yeast.'),
  'skills/bread-price/SKILL.md': described('bread-price', 'Says what bread costs.'),
  'skills/bread-vault/SKILL.md': described('bread-vault', 'Keeps the secret yeast for bread.'),
  'skills/toast/SKILL.md': described(
    'toast',
    'Toasts a slice. Any bread will do, and the older it is the better.',
  ),
}
const QUERY = 'yeast for bread'

interface Found {
  name: string
}

interface Answer {
  skills: Found[]
}

const namesOf = (found: readonly Found[]): string[] => found.map(({ name }) => name)

async function lastOf(answers: AsyncIterable<Answer>): Promise<readonly Found[]> {
  let last: Answer = { skills: [] }
  for await (const answer of answers) last = answer
  return last.skills
}

describe('every way to search', () => {
  it('finds the same skills in the same order, and none that the policy denies', async () => {
    const cwd = makeTree(TREE)
    await compile({ cwd })
    const runtime = createRuntime({ cwd, paths: ['skills'], policy: POLICY })
    const agent = runtime.forAgent()
    const expected = ['bake', 'bread-price', 'toast']
    expect(namesOf(await agent.search(QUERY, { runs: false }))).toEqual(expected)
    const all = namesOf(await runtime.search(QUERY, { runs: false }))
    expect(all.filter(name => name !== 'bread-vault')).toEqual(expected)
    expect(all).toHaveLength(expected.length + 1)

    const { output } = (await agent.invoke('agent-discover', { query: QUERY, runs: false })) as {
      output: { tools: Found[] }
    }
    expect(namesOf(output.tools)).toEqual(expected)

    const { tools: forAiSdk } = await aiTools(runtime, { budget: 300 })
    const asked = forAiSdk['search-skills']?.execute?.({ query: QUERY }, {
      toolCallId: '1',
      messages: [],
    } as never)
    expect(namesOf(await lastOf(asked as AsyncIterable<Answer>))).toEqual(expected)

    const { tools: forLangChain } = await langChainTools(runtime, { budget: 300 })
    const search = forLangChain.find(({ name }) => name === 'search-skills')
    const { skills } = JSON.parse((await search?.invoke({ query: QUERY })) as string) as Answer
    expect(namesOf(skills)).toEqual(expected)

    const client = await connectedTo(runtime, serveSkills(runtime))
    const served = await client.callTool({ name: 'search-skills', arguments: { query: QUERY } })
    expect(namesOf((served.structuredContent as Answer).skills)).toEqual(expected)

    // The command is a person's, whom the policy of a project does not limit.
    const printed = await agentApps(cwd, ['search', ...QUERY.split(' '), '--json'])
    const unlimited = createRuntime({ cwd, paths: ['skills'] })
    const ofAll = namesOf(await unlimited.forAgent().search(QUERY))
    expect(namesOf(JSON.parse(printed.stdout) as Found[])).toEqual(ofAll)
    expect(ofAll).toEqual(all)
    await Promise.all([runtime.close(), unlimited.close()])
  })
})
