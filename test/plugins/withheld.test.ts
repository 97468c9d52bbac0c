import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, defineTool, type Runtime } from 'agent-apps'
import { skillTools, toAiTool } from 'agent-apps/ai-sdk'
import { compile } from 'agent-apps/compiler'
import { skillTools as langchainTools } from 'agent-apps/langchain'
import { serveSkills } from 'agent-apps/mcp'
import { testRuntime } from 'agent-apps/testing'
import { asSchema, type ToolSet } from 'ai'
import { describe, expect, it } from 'vitest'
import { codeSkills } from '../support/code-project.js'
import { connectedTo } from '../support/mcp-project.js'
import { makeTree } from '../support/tree.js'

/** Grows when the tool's code runs, in whichever process. */
const canary = join(makeTree({}), 'ran.txt')
const hasRun = (): string => (existsSync(canary) ? readFileSync(canary, 'utf8') : '')
const zodTool = (field: string): string => `import { defineTool } from 'agent-apps'
import { z } from 'zod'
process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(canary)}, 'x')
export default defineTool({
  name: 'greet',
  description: 'Greets.',
  params: z.object({ ${field}: z.string() }),
  execute: args => args,
})
`
const schemaOf = async (tools: ToolSet, name: string): Promise<unknown> =>
  (await asSchema(tools[name]?.inputSchema).jsonSchema) as unknown
const fields = (...names: string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])),
})

describe('a tool whose arguments only its code tells', () => {
  /** What each adapter shows of the tool. */
  async function shownBy(runtime: Runtime): Promise<unknown[]> {
    const { tools } = await skillTools(runtime)
    const { tools: others } = await langchainTools(runtime)
    const client = await connectedTo(runtime, serveSkills(runtime))
    const { tools: served } = await client.listTools()
    const discovered = (await runtime.forAgent().invoke('agent-discover', {})) as {
      output: { tools: { params?: unknown }[] }
    }
    return [
      await schemaOf(tools, 'greet'),
      others[0]?.schema,
      served[0]?.inputSchema,
      discovered.output.tools[0]?.params,
    ]
  }

  it('reaches a model with them, compiled or not, and once it is edited', { tags: 'long' }, async () => {
    const { dir } = codeSkills({ 'greet.skill.ts': zodTool('name') })
    const runtime = createRuntime({ paths: [dir] })
    const [listed] = await runtime.forAgent().listTools()
    expect(listed?.frontmatter).toMatchObject({ name: 'greet', paramsUnknown: true })
    expect(hasRun()).toBe('')
    expect(() => toAiTool(runtime.forAgent(), listed as NonNullable<typeof listed>)).toThrow(
      'Only the code of "greet" declares its arguments, and was not run.',
    )
    for (const schema of await shownBy(runtime)) expect(schema).toMatchObject(fields('name'))
    expect(hasRun()).not.toBe('')
    await compile({ cwd: dir, paths: [dir] })
    writeFileSync(join(dir, 'greet.skill.ts'), zodTool('someone'))
    const edited = createRuntime({ paths: [dir], freshness: 'check' })
    for (const schema of await shownBy(edited)) expect(schema).toMatchObject(fields('someone'))
  })

  it('is withheld and reported where its code may not run', async () => {
    const { root } = codeSkills({
      'greet.skill.ts': zodTool('name'),
      'add.skill.ts': `import { defineTool } from 'agent-apps'
export default defineTool({ name: 'add', description: 'Adds.', params: { type: 'object' }, execute: () => 1 })
`,
    })
    const before = hasRun()
    const dir = join(root, 'skills')
    for (const runtime of [
      createRuntime({ paths: [dir], evaluate: false }),
      createRuntime({ paths: [{ dir, trust: 'ask' }], interact: () => 'deny' }),
    ]) {
      const { tools, withheld } = await skillTools(runtime)
      expect(Object.keys(tools)).toEqual(['add'])
      expect(withheld).toEqual([
        {
          name: 'greet',
          why: 'only its code tells its arguments, and may not be run here',
          grant: 'Run `agent-apps compile`, write its `params` as literals, or trust the project.',
        },
      ])
      expect(runtime.diagnostics()).toContainEqual(expect.objectContaining({ rule: 'not-evaluated' }))
      await expect(runtime.forAgent().describe('greet')).rejects.toMatchObject({ code: 'NOT_EVALUATED' })
    }
    expect(hasRun()).toBe(before)
  })

  it('is withheld where its code fails', { tags: 'long' }, async () => {
    const { dir } = codeSkills({ 'greet.skill.ts': `throw new Error('not today')\n${zodTool('name')}` })
    const { tools, withheld } = await skillTools(createRuntime({ paths: [dir] }))
    expect(tools).toEqual({})
    expect(withheld).toMatchObject([{ name: 'greet', why: expect.stringContaining('not today') }])
  })
})

describe('what a model does not get', () => {
  it('is a tool that no model can be shown, and no other for it', async () => {
    const runtime = createRuntime({ paths: [] })
    const params = (properties: object) => ({ type: 'object', properties })
    let deep: object = { type: 'object' }
    for (let depth = 0; depth < 20_000; depth++) deep = params({ a: deep })
    for (const tool of [
      { name: 'odd\ud800' },
      { name: 'said', description: 'x\ud800' },
      { name: 'half', params: params({ '\ud800': {} }) },
      { name: 'deep', params: deep },
      { name: 'returns', returns: deep },
      { name: 'fine', description: '\u{1f600} and \\ud800' },
    ])
      runtime.register({ description: 'Does it.', ...tool, execute: () => 'ran' } as never)
    const { tools, withheld } = await skillTools(runtime)
    expect(Object.keys(tools)).toEqual(['fine'])
    const half = 'its texts contain half of a character'
    const nested = 'its description nests deeper than 200 levels'
    expect(withheld.map(({ name, why }) => [name, why])).toEqual([
      ['odd\ud800', half],
      ...['said', 'half'].map(name => [name, half]),
      ...['deep', 'returns'].map(name => [name, nested]),
    ])
    expect((await langchainTools(runtime)).tools.map(({ name }) => name)).toEqual(['fine'])
    await runtime.close()
  })

  it('is told with the reason and what grants it, for the AI SDK and for LangChain', async () => {
    const runtime = createRuntime({ paths: [], workspace: makeTree({ 'a.txt': 'one\n' }) })
    const policy = { permissions: ['read' as const], deny: 'glob' }
    const { tools, withheld } = await skillTools(runtime, { policy })
    expect(Object.keys(tools)).toContain('read')
    expect(withheld).toContainEqual({
      name: 'write',
      why: 'the policy does not grant write',
      grant:
        'Grant it `permissions: ["write"]`, in the policy of createRuntime, and in the agent\'s where that has permissions.',
    })
    expect(withheld).toContainEqual({
      name: 'glob',
      why: 'the list `deny` of the policy denies it with "glob"',
      grant: 'Let the list or the rule allow it.',
    })
    expect(withheld.map(({ name }) => name)).not.toContain('read')
    expect((await langchainTools(runtime, { policy })).withheld).toEqual(withheld)
    expect((await skillTools(runtime, { policy, select: 'read, write' })).withheld).toMatchObject([
      { name: 'write' },
    ])
    await runtime.close()
  })

  it('is nothing where all is granted, disabled tools apart', async () => {
    const add = defineTool({ name: 'add', description: 'Adds.', execute: () => 1 })
    const runtime = await testRuntime({ skills: { add }, config: { tools: { add: { enabled: false } } } })
    expect((await skillTools(runtime)).withheld).toMatchObject([
      { name: 'add', why: 'the configuration disables it' },
    ])
    const all = await testRuntime({ skills: { add } })
    expect((await skillTools(all)).withheld).toEqual([])
  })
})
