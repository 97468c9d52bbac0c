import { describe, expect, it } from 'vitest'
import { ERAS, overStdio } from '../support/mcp-project.js'

describe.each(ERAS)('agent-apps mcp over stdio, as the client of %s sees it', era => {
  it('lists tools and calls them', async () => {
    const { client, said } = await overStdio(era)
    expect(client.getServerVersion()).toMatchObject({ name: 'agent-apps', version: '0.1.0' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      'count',
      'fail',
      'greet',
      'hang',
      'list',
      'locked',
      'odd',
      'refuse',
      'review',
      'save',
      'slow',
    ])
    expect(await client.callTool({ name: 'count', arguments: { text: 'a b c' } })).toMatchObject({
      content: [{ type: 'text', text: '{"words":3}' }],
      structuredContent: { words: 3 },
    })
    expect(said()).toContain('Serving over MCP')
  })
})
