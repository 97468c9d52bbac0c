import { createRuntime, registerTool } from 'agent-apps'
import { serveSkills } from 'agent-apps/mcp'
import { describe, expect, it } from 'vitest'
import { connectedTo } from '../support/mcp-project.js'

/** The names that tools are served by, by the names that they have. */
async function servedNames(names: readonly string[]): Promise<Record<string, string>> {
  const runtime = createRuntime({ paths: [], library: false })
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
    const names = ['plain', 'acme:deploy', 'a:b', 'a__b', 'my_tool', `${long}a`, `${long}b`]
    const served = await servedNames(names)
    expect(served).toMatchObject({
      plain: 'plain',
      'acme:deploy': 'acme__deploy',
      // The one that fits as it is keeps its name.
      a__b: 'a__b',
      my_tool: 'my_tool',
    })
    expect(served['a:b']).toMatch(/^a__b_[0-9a-f]{8}$/)
    expect(new Set(Object.values(served)).size).toBe(names.length)
    for (const name of Object.values(served)) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(await servedNames([...names].reverse())).toEqual(served)
  })
})
