import { createRuntime, registerTool } from 'agent-apps'
import { type ServeOptions, serveSkills } from 'agent-apps/mcp'
import { describe, expect, it } from 'vitest'
import { connectedTo } from '../support/mcp-project.js'
import { makeTree } from '../support/tree.js'

/** The names that tools are served by, by the names that they have. */
async function servedNames(names: readonly string[], skills: string[]): Promise<Record<string, string>> {
  const tree = Object.fromEntries(
    skills.map(name => [`${name}.skill.md`, `---\nname: ${name}\ndescription: ${name}\n---\n${name}`]),
  )
  const runtime = createRuntime({ paths: ['.'], cwd: makeTree(tree) })
  for (const name of names) registerTool(runtime.globals, { name, description: name, fn: () => name })
  const client = await connectedTo(runtime, serveSkills(runtime))
  const { tools } = await client.listTools()
  for (const { name, description } of tools)
    expect(await client.callTool({ name })).toMatchObject({ content: [{ text: description }] })
  return Object.fromEntries(tools.map(({ name, description = '' }) => [description, name]))
}

describe('the names that tools are served by', () => {
  it('are what models accept, and differ where those of the tools do', async () => {
    const long = 'long-'.repeat(20)
    const names = ['plain', 'acme:deploy', 'ab:cd', 'ab__cd', 'my_tool']
    const skills = [`${long}a`, `${long}b`]
    const served = await servedNames(names, skills)
    expect(served).toMatchObject({
      plain: 'plain',
      'acme:deploy': 'acme__deploy',
      // The one that fits as it is keeps its name.
      ab__cd: 'ab__cd',
      my_tool: 'my_tool',
    })
    expect(served['ab:cd']).toMatch(/^ab__cd_[0-9a-f]{8}$/)
    expect(new Set(Object.values(served)).size).toBe(names.length + skills.length)
    for (const name of Object.values(served)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(await servedNames([...names].reverse(), skills.reverse())).toEqual(served)
  })
})

describe('search-skills', () => {
  it('finds the skills that are served, by the names that they are served by', async () => {
    const tree = {
      'acme/deploy.skill.md': '---\nname: deploy\ndescription: Ships.\n---\nRollback.',
      'acme/other.skill.md': '---\nname: other\ndescription: Rollback.\n---\nRollback.',
      'acme/search-skills.skill.md': '---\nname: search-skills\ndescription: Own.\n---\nOwn.',
    }
    const runtime = createRuntime({ paths: [{ dir: 'acme', namespace: 'acme' }], cwd: makeTree(tree) })
    runtime.register({ name: 'search-skills', description: 'Rollback.', execute: () => 1 })
    const found = async (options: ServeOptions) => {
      const client = await connectedTo(runtime, serveSkills(runtime, options))
      const call = { name: 'search-skills', arguments: { query: 'rollback' } }
      return (await client.callTool(call)).structuredContent
    }
    expect(await found({ search: true })).toEqual({
      skills: [
        { name: 'acme__other', description: 'Rollback.' },
        { name: 'acme__deploy', description: 'Ships.' },
      ],
    })
    expect(await found({ search: true, tools: '*:deploy' })).toEqual({
      skills: [{ name: 'acme__deploy', description: 'Ships.' }],
    })
    // Without it, the name is the tool's own.
    expect(await found({ search: false })).toBeUndefined()
    expect(await found({ search: true, policy: { deny: 'agent-discover' } })).toBeUndefined()
    await runtime.close()
  })
})

it('a tool that no client can be shown is left out, and no other for it', async () => {
  const runtime = createRuntime({ paths: [] })
  let deep: object = { type: 'object' }
  for (let depth = 0; depth < 20_000; depth++) deep = { type: 'object', properties: { a: deep } }
  const tool = (name: string, fields: object = {}) =>
    runtime.register({ name, description: name, execute: () => name, ...fields } as never)
  tool('deep', { params: deep })
  tool('odd\ud800')
  tool('said', { description: '\ud800' })
  tool('fine')
  const client = await connectedTo(runtime, serveSkills(runtime))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['fine'])
  expect(await client.callTool({ name: 'fine' })).toMatchObject({ content: [{ text: 'fine' }] })
  await expect(client.callTool({ name: 'said' })).rejects.toThrow(/said/)
  await runtime.close()
})

describe('the tools of the library', () => {
  it('are not served, except those of a workspace that the host opens', async () => {
    const runtime = createRuntime({ paths: [], workspace: makeTree({ 'a.txt': 'one\n' }) })
    const policy = { permissions: ['read' as const] }
    const client = await connectedTo(runtime, serveSkills(runtime, { policy }))
    const { tools } = await client.listTools()
    const names = ['glob', 'grep', 'list', 'read', 'todoread', 'todowrite']
    expect(tools.map(({ name }) => name)).toEqual(names)
    const read = await client.callTool({ name: 'read', arguments: { path: 'a.txt' } })
    expect(read).toMatchObject({ content: [{ text: '     1\tone' }] })
  })
})
