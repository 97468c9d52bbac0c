import { defineTool } from 'agent-apps'
import { skillTools } from 'agent-apps/ai-sdk'
import { testRuntime } from 'agent-apps/testing'
import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel, seenResults, seenSystem, seenTools } from '../support/ai-model.js'

const SKILLS = {
  'release-notes/SKILL.md':
    '---\nname: release-notes\ndescription: Writes release notes.\n---\nBegin with the template.\n',
  'release-notes/template.md': '# Version, date\n',
  add: defineTool({
    name: 'add',
    description: 'Adds numbers.',
    params: z.object({ numbers: z.array(z.number()) }),
    execute: ({ numbers }) => numbers.reduce((sum, one) => sum + one, 0),
  }),
}

describe('skillTools with generateText', () => {
  it('shows the catalog, opens a skill, reads a file and runs a tool', async () => {
    const runtime = await testRuntime({ skills: SKILLS })
    const { tools, system, instructions } = await skillTools(runtime)
    const model = scriptedModel(
      calling('load-skill', { name: 'release-notes' }),
      calling('read-skill-resource', { name: 'release-notes', path: 'template.md' }),
      calling('add', { numbers: [1, 2, 3] }),
      { text: 'Done.' },
    )
    const { text } = await generateText({
      ...{ model, tools, system, prompt: 'Write the release notes.', stopWhen: stepCountIs(9) },
    })
    expect(text).toBe('Done.')
    expect(instructions).toBe(system)
    expect(seenSystem(model)).toContain('<description>Writes release notes.</description>')
    expect(seenSystem(model)).not.toContain('Adds numbers.')
    expect(seenResults(model)).toEqual({
      'call-load-skill': {
        type: 'text',
        value:
          'Begin with the template.\n\nFiles of this skill, for read-skill-resource:\n- template.md (16 bytes)',
      },
      'call-read-skill-resource': { type: 'text', value: '# Version, date\n' },
      'call-add': { type: 'text', value: '6' },
    })
    await runtime.close()
  })

  it('offers each tool with its schema, and the names of the skills', async () => {
    const runtime = await testRuntime({ skills: SKILLS })
    const model = scriptedModel({ text: '' })
    const { tools, system } = await skillTools(runtime)
    await generateText({ model, tools, system, prompt: 'Hi' })
    const offered = seenTools(model) as {
      name: string
      inputSchema: { properties: Record<string, unknown> }
    }[]
    expect(offered.map(({ name }) => name)).toEqual(['add', 'load-skill', 'read-skill-resource'])
    const [add, load] = offered
    expect(add?.inputSchema.properties).toEqual({ numbers: { type: 'array', items: { type: 'number' } } })
    expect(load?.inputSchema.properties.name).toMatchObject({ enum: ['release-notes'] })
    await runtime.close()
  })
})
