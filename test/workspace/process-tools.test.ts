import { encode } from 'gpt-tokenizer'
import { expect, it } from 'vitest'
import { temporary } from '../support/temporary.js'
import { workspaceRuntime } from '../support/workspace-tools.js'

const TOOLS = ['bash', 'task', 'todoread', 'todowrite', 'webfetch']

it.each(TOOLS)('%s is described in few words, with each of its parameters', async name => {
  const tool = await workspaceRuntime(temporary()).findTool(name)
  const { description = '', params, metadata } = tool?.frontmatter ?? {}
  const tokens = encode(description).length
  expect(tokens).toBeGreaterThanOrEqual(10)
  expect(tokens).toBeLessThanOrEqual(40)
  expect(metadata?.permissions).toMatchObject({ required: [expect.any(String)] })
  const { properties, required = [] } = params as unknown as {
    properties: Record<string, Property>
    required?: string[]
  }
  for (const [key, property] of Object.entries(properties)) {
    expect(property.description, key).toMatch(/^[A-Z].*\.$/)
    // What may be left out has a default that is told, or a meaning when it is absent.
    const isTold = 'default' in property || required.includes(key) || ['todos', 'agent'].includes(key)
    expect(isTold, key).toBe(true)
  }
})

interface Property {
  description?: string
  default?: unknown
}
