import { createRuntime, defineTool } from 'agent-apps'
import { type SkillToolsOptions, skillFiles, skillTools } from 'agent-apps/ai-sdk'
import { testRuntime } from 'agent-apps/testing'
import { generateText, stepCountIs } from 'ai'
import { describe, expect, it } from 'vitest'
import { calling, dataPart, scriptedModel, seenResults, seenSystem, seenTools } from '../support/ai-model.js'
import { oneIn } from '../support/long.js'
import { makeTree } from '../support/tree.js'

const text = (name: string, description = `Does ${name}.`, content = `How to ${name}.`): string =>
  `---\nname: ${name}\ndescription: ${description}\n---\n${content}\n`
const tool = (name: string) => defineTool({ name, description: `Runs ${name}.`, execute: () => name })

describe('the tools that are offered', () => {
  it('no tools for skills where there are none', async () => {
    const runtime = await testRuntime({ skills: { add: tool('add') } })
    const { tools, instructions } = await skillTools(runtime)
    expect(Object.keys(tools)).toEqual(['add'])
    expect(instructions).toBe('')
  })

  it("what is selected, and then the library's own tools too", async () => {
    const runtime = await testRuntime({
      skills: { add: tool('add'), subtract: tool('subtract'), write: text('write'), review: text('review') },
    })
    const { tools, instructions } = await skillTools(runtime, { select: ['add', 'write', 'skill-list'] })
    expect(Object.keys(tools).sort()).toEqual(['add', 'load-skill', 'read-skill-resource', 'skill-list'])
    expect(instructions).toContain('write')
    expect(instructions).not.toContain('review')
    await expect(callOf(tools, 'load-skill', { name: 'review' })).rejects.toThrow(/TOOL_(DENIED|NOT_FOUND)/)
    await runtime.close()
  })

  it('the tools of a workspace, where the host opens one and the agent has their permission', async () => {
    const runtime = createRuntime({ paths: [], workspace: makeTree({ 'a.txt': 'one\n' }) })
    const { tools } = await skillTools(runtime, { policy: { permissions: ['read'] } })
    const names = ['glob', 'grep', 'list', 'read', 'todoread', 'todowrite']
    expect(Object.keys(tools).sort()).toEqual(names)
    expect(await callOf(tools, 'read', { path: 'a.txt' })).toMatchObject({ title: 'Read a.txt' })
    expect((await skillTools(runtime)).tools).toEqual({})
    await runtime.close()
  })

  it('those without a description too, a skill by its name alone', async () => {
    const silent = defineTool({ name: 'silent', execute: () => 'ran' })
    const runtime = await testRuntime({
      skills: { silent, 'mute.skill.md': '---\nname: mute\n---\nBe quiet.\n' },
    })
    const { tools, instructions } = await skillTools(runtime)
    expect(Object.keys(tools)).toEqual(['silent', 'load-skill', 'read-skill-resource'])
    expect(tools.silent).not.toHaveProperty('description')
    expect(instructions).toContain('<also_available>mute</also_available>')
    expect(await callOf(tools, 'silent', {})).toBe('ran')
    expect(await callOf(tools, 'load-skill', { name: 'mute' })).toMatchObject({ content: 'Be quiet.\n' })
    await runtime.close()
  })

  it('what the policy allows', async () => {
    const runtime = await testRuntime({ skills: { add: tool('add'), write: text('write') } })
    expect(Object.keys((await skillTools(runtime, { policy: { deny: 'add' } })).tools)).not.toContain('add')
    expect(Object.keys((await skillTools(runtime, { policy: { deny: 'write' } })).tools)).toEqual(['add'])
    await runtime.close()
  })

  it('what a named agent may call', async () => {
    const agents = [{ id: 'writer', tools: { deny: 'add' } }]
    const runtime = await testRuntime({ agents, skills: { add: tool('add'), write: text('write') } })
    const { tools } = await skillTools(runtime, { agent: 'writer' })
    expect(Object.keys(tools)).toEqual(['load-skill', 'read-skill-resource'])
    await expect(skillTools(runtime, { agent: 'nobody' })).rejects.toMatchObject({ code: 'AGENT_UNKNOWN' })
    await runtime.close()
  })

  it('under other names, with any name where there are many skills', async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 101 }, (_, at) => [`skill-${at}`, text(`skill-${at}`)]),
    )
    const runtime = await testRuntime({ skills })
    const model = scriptedModel({ text: '' })
    const skill = await skillTools(runtime, { names: { load: 'open' }, budget: 20_000 })
    await generateText({ ...skill, model, prompt: 'Hi' })
    const offered = seenTools(model) as { name: string; inputSchema: { properties: { name: object } } }[]
    expect(offered.map(({ name }) => name)).toEqual(['open', 'read-skill-resource'])
    expect(offered[0]?.inputSchema.properties.name).not.toHaveProperty('enum')
    await runtime.close()
  })

  it('a search where the catalog has no space for all', async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`skill-${at}`, text(`skill-${at}`)]),
    )
    const runtime = await testRuntime({
      skills: { ...skills, bake: text('bake', 'Bakes bread.'), 'bread-price': tool('bread-price') },
    })
    const { tools, instructions } = await skillTools(runtime, { budget: 100 })
    expect(instructions).not.toContain('Does skill-9.')
    expect(instructions).toContain('To find one of these, call search-skills with words of the task.')
    expect(await callOf(tools, 'search-skills', { query: 'bread' })).toEqual({
      skills: [{ name: 'bake', description: 'Bakes bread.' }],
    })
    // Where the agent may not search, nothing does that in its place.
    const denied = await skillTools(runtime, { budget: 100, policy: { deny: 'agent-discover' } })
    expect(denied.tools).not.toHaveProperty('search-skills')
    expect(denied.instructions).not.toContain('search-skills')
    await runtime.close()
  })

  it('a search where a skill is left to it, whose name the model does not see before', async () => {
    const never = '---\nname: bake\ndescription: Bakes bread.\nmetadata: { catalog: never }\n---\nKnead.\n'
    const runtime = await testRuntime({ skills: { bake: never, write: text('write') } })
    const model = scriptedModel(
      calling('search-skills', { query: 'bread' }, 'search'),
      calling('load-skill', { name: 'bake' }, 'load'),
      { text: 'Baked.' },
    )
    await generateText({ ...(await skillTools(runtime)), model, prompt: 'Hi', stopWhen: stepCountIs(3) })
    expect(JSON.stringify([seenSystem(model), seenTools(model)])).not.toContain('bake')
    expect(seenResults(model)).toMatchObject({ load: { value: 'Knead.\n' } })
    await runtime.close()
  })

  it('the skills that the words of the user find, behind a catalog that stays the same', async () => {
    const skills = Object.fromEntries(
      Array.from({ length: 60 }, (_, at) => [`skill-${at}`, text(`skill-${at}`)]),
    )
    const extra = { yeast: text('yeast', 'Bakes bread.'), 'yeast-price': tool('yeast-price') }
    const runtime = await testRuntime({ skills: { ...skills, ...extra } })
    const { instructions } = await skillTools(runtime, { budget: 200 })
    const about = await skillTools(runtime, { budget: 200, for: 'Which yeast for bread?' })
    expect(about.instructions).toBe(`${instructions}
<relevant_skills>
  <skill>
    <name>yeast</name>
    <description>Bakes bread.</description>
  </skill>
</relevant_skills>
`)
    expect(about.system).toBe(about.instructions)
    expect((await skillTools(runtime, { budget: 200, for: 'xylophone' })).instructions).toBe(instructions)
    const narrow = { budget: 200, for: 'bread', select: 'skill-*' }
    expect((await skillTools(runtime, narrow)).instructions).not.toContain('yeast')
    await runtime.close()
  })
})

describe('skills', () => {
  it('tell their folder only where that is wanted', async () => {
    const runtime = await testRuntime({ skills: { 'write/SKILL.md': text('write'), 'write/a.md': 'A' } })
    for (const directory of [false, true]) {
      const { tools } = await skillTools(runtime, { directory })
      const opened = (await callOf(tools, 'load-skill', { name: 'write' })) as { directory?: string }
      expect('directory' in opened).toBe(directory)
    }
    await runtime.close()
  })

  it('files are shown as what they are', async () => {
    const runtime = await testRuntime({
      skills: { 'write/SKILL.md': text('write'), 'write/a.png': 'bytes', 'write/b.txt': 'B' },
    })
    const read = (path: string, id: string) => calling('read-skill-resource', { name: 'write', path }, id)
    const model = scriptedModel(
      read('a.png', 'image'),
      read('SKILL.md', 'skill'),
      read('../x', 'outside'),
      calling('read-skill-resource', {}, 'nothing'),
      { text: '' },
    )
    const skills = await skillTools(runtime)
    await generateText({ ...skills, model, prompt: 'Read.', stopWhen: stepCountIs(5) })
    expect(seenResults(model)).toEqual({
      image: { type: 'content', value: [expect.objectContaining(dataPart('Ynl0ZXM=', 'image/png'))] },
      skill: { type: 'text', value: text('write') },
      outside: { type: 'error-text', value: expect.stringContaining('RESOURCE_NOT_FOUND') },
      nothing: { type: 'error-text', value: expect.stringContaining('ARGS_INVALID') },
    })
    await runtime.close()
  })

  it('are given with all their files, to be uploaded', async () => {
    const runtime = await testRuntime({ skills: { 'write/SKILL.md': text('write'), 'write/a/b.md': 'B' } })
    const files = await skillFiles(runtime, 'write')
    expect(files.map(({ path, data }) => [path, Buffer.from(data).toString()])).toEqual([
      ['SKILL.md', text('write')],
      ['a/b.md', 'B'],
    ])
    await runtime.close()
  })

  it('that belong in the prompt are there, unless somebody had to be asked', async () => {
    const always = (gated: boolean) =>
      `---\nname: style\ndescription: Style.\nmetadata: { role: context, gated: ${gated} }\n---\nShort.\n`
    for (const gated of [false, true]) {
      const runtime = await testRuntime({ skills: { style: always(gated) }, interact: () => 'allow-once' })
      const { instructions } = await skillTools(runtime)
      expect(instructions.includes('Short.')).toBe(!gated)
      await runtime.close()
    }
  })
})

describe('names', () => {
  const namesFor = async (...names: string[]): Promise<Record<string, unknown>> => {
    const runtime = createRuntime({ paths: [] })
    for (const name of names) runtime.register(() => name, { name, description: name })
    const { tools } = await skillTools(runtime)
    return Object.fromEntries(Object.entries(tools).map(([name, { description }]) => [description, name]))
  }

  it('are such as models accept', async () => {
    expect(await namesFor('deploy', 'acme:deploy')).toEqual({
      deploy: 'deploy',
      'acme:deploy': 'acme__deploy',
    })
  })

  it('have digits of a digest where they would be none, too long, or taken', async () => {
    const long = `acme:${'x'.repeat(59)}`
    const found = await namesFor('acme:deploy', 'acme__deploy', long, 'load-skill')
    expect(found).toEqual({
      acme__deploy: 'acme__deploy',
      'acme:deploy': expect.stringMatching(/^acme__deploy_[0-9a-f]{8}$/),
      [long]: expect.stringMatching(/^acme__x{49}_[0-9a-f]{8}$/),
      'load-skill': expect.stringMatching(/^load-skill_[0-9a-f]{8}$/),
    })
    // Whatever order they come in.
    expect(await namesFor('load-skill', long, 'acme__deploy', 'acme:deploy')).toEqual(found)
  })
})

it.each(
  oneIn<[string, SkillToolsOptions]>(2, [
    ['budgett', { budgett: 1 } as SkillToolsOptions],
    ['names.lode', { names: { lode: 'x' } } as SkillToolsOptions],
    ['a name', { names: { load: 'load skill' } }],
    ['approval', { approval: 'none' } as unknown as SkillToolsOptions],
    ['agent and policy', { agent: 'a', policy: {} }],
    ['a session of no agent', { sessionId: 's' }],
  ]),
)('refuses the option: %s', async (_, options) => {
  const refused = skillTools(createRuntime({ paths: [] }), options)
  await expect(refused).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
})

type Tools = Awaited<ReturnType<typeof skillTools>>['tools']

/** What a tool gives in the end. */
async function callOf(tools: Tools, name: string, input: unknown): Promise<unknown> {
  const made = tools[name]?.execute?.(input, { toolCallId: 'call', messages: [] })
  let last: unknown
  for await (const one of made as AsyncIterable<unknown>) last = one
  return last
}
