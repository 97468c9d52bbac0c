import { createRuntime, defineTool } from 'agent-apps'
import { type SkillToolsOptions, skillsMiddleware, skillTools } from 'agent-apps/langchain'
import { testRuntime } from 'agent-apps/testing'
import { AIMessage, createAgent } from 'langchain'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { calling, scriptedModel, seenResults, seenSystem } from '../support/langchain-model.js'

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
const text = (name: string): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\nHow to ${name}.\n`
const namesOf = ({ tools }: { tools: readonly { name: string }[] }) => tools.map(({ name }) => name).sort()

/** What an agent is created with to have the skills. */
const WAYS = {
  skillTools: async (runtime: Awaited<ReturnType<typeof testRuntime>>) => skillTools(runtime),
  skillsMiddleware: async (runtime: Awaited<ReturnType<typeof testRuntime>>) => ({
    middleware: [await skillsMiddleware(runtime)],
  }),
}

describe.each(Object.entries(WAYS))('%s with createAgent', (_, skillsOf) => {
  it('shows the catalog, opens a skill, reads a file and runs a tool', async () => {
    const runtime = await testRuntime({ skills: SKILLS })
    const model = scriptedModel(
      calling('load-skill', { name: 'release-notes' }),
      calling('read-skill-resource', { name: 'release-notes', path: 'template.md' }),
      calling('add', { numbers: [1, 2, 3] }),
      { text: 'Done.' },
    )
    const agent = createAgent({ model, ...(await skillsOf(runtime)) })
    const { messages } = await agent.invoke({ messages: 'Write the release notes.' })
    expect(messages.at(-1)?.text).toBe('Done.')
    expect(seenSystem(model)).toContain('<description>Writes release notes.</description>')
    expect(seenSystem(model)).not.toContain('Adds numbers.')
    const listed = 'Files of this skill, for read-skill-resource:\n- template.md (16 bytes)'
    expect(seenResults(model)).toEqual({
      'call-load-skill': { status: 'success', content: `Begin with the template.\n\n${listed}` },
      'call-read-skill-resource': { status: 'success', content: '# Version, date\n' },
      'call-add': { status: 'success', content: '6' },
    })
    await runtime.close()
  })

  it('offers each tool with its schema, and the names of the skills', async () => {
    const runtime = await testRuntime({ skills: SKILLS })
    const model = scriptedModel({ text: '' })
    await createAgent({ model, ...(await skillsOf(runtime)) }).invoke({ messages: 'Hi' })
    expect(namesOf({ tools: model.offered })).toEqual(['add', 'load-skill', 'read-skill-resource'])
    const schemaOf = (wanted: string) => model.offered.find(({ name }) => name === wanted)?.schema
    expect(schemaOf('add')).toMatchObject({
      properties: { numbers: { type: 'array', items: { type: 'number' } } },
    })
    expect(schemaOf('load-skill')).toMatchObject({ properties: { name: { enum: ['release-notes'] } } })
    await runtime.close()
  })
})

describe('what is offered', () => {
  it('nothing for skills where there are none', async () => {
    const runtime = await testRuntime({ skills: { add: SKILLS.add } })
    const skills = await skillTools(runtime)
    expect(namesOf(skills)).toEqual(['add'])
    expect(skills.systemPrompt).toBe('')
    expect((await skillsMiddleware(runtime)).wrapModelCall).toBeUndefined()
    await runtime.close()
  })

  it('what is selected and allowed, under the names that are given', async () => {
    const agents = [{ id: 'writer', tools: { deny: 'add' } }]
    const runtime = await testRuntime({
      agents,
      skills: { add: SKILLS.add, write: text('write'), review: text('review') },
    })
    const named = async (options: SkillToolsOptions) => namesOf(await skillTools(runtime, options))
    const ways = ['load-skill', 'read-skill-resource']
    expect(await named({ select: ['add', 'write', 'skill-list'] })).toEqual(['add', ...ways, 'skill-list'])
    expect(await named({ policy: { deny: 'add' } })).toEqual(ways)
    expect(await named({ agent: 'writer' })).toEqual(ways)
    expect(await named({ names: { load: 'open' } })).toEqual(['add', 'open', 'read-skill-resource'])
    await expect(skillTools(runtime, { agent: 'nobody' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' })
    const selected = await skillsMiddleware(runtime, { select: 'write' })
    expect(selected.tools?.map(({ name }) => name)).toEqual(ways)
    await runtime.close()
  })

  it("adds the catalog to the agent's own prompt", async () => {
    const runtime = await testRuntime({ skills: { write: text('write') } })
    const model = scriptedModel({ text: '' })
    const middleware = [await skillsMiddleware(runtime)]
    await createAgent({ model, middleware, systemPrompt: 'Be kind.' }).invoke({ messages: 'Hi' })
    expect(seenSystem(model)).toMatch(/^Be kind\.\n\n<available_skills>/)
    await runtime.close()
  })

  it('adds the skills that the last message of the user finds, where that is wanted', async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`skill-${at}`, text(`skill-${at}`)]),
    )
    const runtime = await testRuntime({ skills: { ...skills, yeast: text('yeast'), zest: text('zest') } })
    const found = (name: string) => `<relevant_skills>\n  <skill>\n    <name>${name}</name>`
    expect((await skillTools(runtime, { budget: 200, for: 'zest' })).systemPrompt).toContain(found('zest'))
    const systems: string[] = []
    for (const relevant of [true, false]) {
      const model = scriptedModel({ text: 'One.' })
      const agent = createAgent({
        model,
        middleware: [await skillsMiddleware(runtime, { budget: 200, relevant })],
      })
      await agent.invoke({ messages: ['zest', new AIMessage('Well?'), 'Is it yeast?'] })
      systems.push(seenSystem(model))
    }
    const [about = '', plain = ''] = systems
    expect(about).toContain(found('yeast'))
    expect(about).not.toContain('zest')
    expect(about.startsWith(plain)).toBe(true)
    await runtime.close()
  })
})

it.each<[string, SkillToolsOptions]>([
  ['budgett', { budgett: 1 } as SkillToolsOptions],
  ['names.lode', { names: { lode: 'x' } } as SkillToolsOptions],
  ['agent and policy', { agent: 'a', policy: {} }],
  ['approval', { approval: 'sdk' } as SkillToolsOptions],
  ['for', { for: 5 } as object],
])('refuses the option: %s', async (_, options) => {
  const runtime = createRuntime({ paths: [] })
  const refused = { code: 'OPTIONS_INVALID' }
  await expect(skillTools(runtime, options)).rejects.toMatchObject(refused)
  await expect(skillsMiddleware(runtime, options)).rejects.toMatchObject(refused)
})
