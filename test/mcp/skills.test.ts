import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsClient, SkillVerificationError } from '@modelcontextprotocol/client/ext/skills'
import { createRuntime, type RuntimeOptions, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { type ServeOptions, serveSkills, skillSource } from 'agent-apps/mcp'
import { describe, expect, it } from 'vitest'
import { some } from '../support/long.js'
import { connectedTo, ERAS, inProcess } from '../support/mcp-project.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'

/** A client of a server in this process. */
async function served(
  tree: Tree,
  {
    runtime: own = {},
    serve = {},
  }: {
    runtime?: RuntimeOptions
    serve?: ServeOptions
  } = {},
) {
  const cwd = makeTree(tree)
  const runtime = createRuntime({ paths: ['skills'], cwd, ...own })
  const client = await connectedTo(runtime, serveSkills(runtime, serve))
  return { cwd, runtime, client, reader: new SkillsClient(client) }
}

describe.each(some(ERAS))('skills under the Skills extension, as a client of %s reads them', era => {
  it('are listed with what is in the index, got, and read as they are', async () => {
    const { client } = await inProcess(era)
    const reader = new SkillsClient(client)
    expect([reader.supported, reader.directoryRead]).toEqual([true, true])
    const { skills } = await reader.list()
    // `locked` needs approval, the metadata of `odd` is not as the specification has it.
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://review/SKILL.md'])
    const { skill: review } = await reader.get('skill://review/SKILL.md')
    expect(review).toEqual(skills[0])
    expect(review.frontmatter).toEqual({ name: 'review', description: 'What review does.' })
    const manifest = await reader.read(review)
    expect(manifest).toMatchObject({ verified: true, body: 'Review it: see [the guide](docs/guide.md).\n' })
    expect(await reader.read(review, 'docs/guide.md')).toMatchObject({ verified: true, text: 'Be kind.\n' })
    const logo = await reader.read(review, 'logo.png')
    expect([...logo.bytes]).toEqual([137, 80, 78, 71, 0, 255])
    const { resources } = await reader.readDirectory('skill://review')
    expect(resources.map(({ uri, mimeType }) => [uri, mimeType])).toEqual([
      ['skill://review/SKILL.md', 'text/markdown'],
      ['skill://review/docs', 'inode/directory'],
      ['skill://review/logo.png', 'image/png'],
    ])
    const inside = await reader.readDirectory('skill://review/docs')
    expect(inside.resources).toMatchObject([{ uri: 'skill://review/docs/guide.md', size: 9 }])
    await expect(reader.readDirectory('skill://review/logo.png')).rejects.toThrow(/not a directory/)
  })

  it('are not to be had by another way', async () => {
    const { client } = await inProcess(era)
    for (const uri of [
      'skill://none/SKILL.md',
      'skill://locked/SKILL.md',
      'skill://review/..%2F..%2Fpackage.json',
      'skill://review/docs/../../../package.json',
      'skill://count/count.skill.mjs',
      'skill://skill/SKILL.md',
    ])
      await expect(client.readResource({ uri }), uri).rejects.toMatchObject({ code: -32602 })
  })
})

describe('skillSource', () => {
  it('lists by the index alone, and reads nothing', async () => {
    const cwd = makeTree({ 'skills/one/SKILL.md': skill('one'), 'skills/one/a/b.md': 'b' })
    await compile({ cwd, paths: ['skills'] })
    rmSync(join(cwd, 'skills/one'), { recursive: true })
    const source = skillSource(createRuntime({ paths: ['skills'], cwd, freshness: 'trust' }))
    const { skills } = await source.list({}, undefined as never)
    expect(skills.map(({ resources }) => resources)).toMatchObject([
      [{ uri: 'skill://one/SKILL.md' }, { uri: 'skill://one/a/b.md', size: 1 }],
    ])
  })

  it('gives pages that are the whole list, each skill once', { tags: 'long' }, async () => {
    const names = Array.from({ length: 120 }, (_, number) => `skill-${number}`)
    const tree = Object.fromEntries(names.map(name => [`skills/${name}/SKILL.md`, skill(name)]))
    const { reader, client } = await served(tree)
    const { skills } = await reader.list()
    expect(skills.map(({ frontmatter }) => frontmatter.name)).toEqual([...names].sort())
    const first = await client.request({ method: 'skills/list', params: {} }, { '~standard': anything })
    expect((first as { skills: unknown[] }).skills).toHaveLength(100)
    const tools = (await client.listTools()).tools.map(({ name }) => name)
    expect(tools.toSorted()).toEqual(['search-skills', ...names].sort())
    await expect(reader.list({ cursor: 'abc' })).rejects.toThrow(/Invalid cursor/)
  })

  it('refuses what the extension does not admit, and says why', async () => {
    const many = Object.fromEntries(
      Array.from({ length: 512 }, (_, number) => [`skills/many/${number}.txt`, 'x']),
    )
    const refused: string[][] = []
    const cwd = makeTree({
      ...many,
      'skills/many/SKILL.md': skill('many'),
      'skills/large/SKILL.md': skill('large'),
      'skills/large/data.bin': new Uint8Array(16 * 1024 * 1024),
      'skills/fine/SKILL.md': skill('fine'),
    })
    const runtime = createRuntime({ paths: ['skills'], cwd })
    const source = skillSource(runtime, { onRefused: (uri, reason) => refused.push([uri, reason]) })
    const { skills } = await source.list({}, undefined as never)
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://fine/SKILL.md'])
    expect(refused).toEqual([
      ['skill://large/SKILL.md', 'it has more than 16777216 bytes'],
      ['skill://many/SKILL.md', 'it has more than 512 files'],
    ])
  })

  it('refuses a skill that no client can be shown, and lists the others', async () => {
    const refused: string[][] = []
    const half = '---\nname: half\ndescription: "Half. \\ud800"\nuser-invocable: true\n---\nText.\n'
    const { reader, client } = await served(
      { 'skills/half/SKILL.md': half, 'skills/fine/SKILL.md': skill('fine') },
      { serve: { onRefused: (uri, reason) => refused.push([uri, reason]) } },
    )
    expect((await reader.list()).skills.map(({ uri }) => uri)).toEqual(['skill://fine/SKILL.md'])
    expect(refused).toEqual([['skill://half/SKILL.md', 'its texts contain half of a character']])
    expect((await client.listResources()).resources.map(({ name }) => name)).toEqual(['fine'])
    expect((await client.listPrompts()).prompts).toEqual([])
  })

  it('refuses a skill without a description, which the extension needs, and lists the others', async () => {
    const refused: string[][] = []
    const { reader, client } = await served(
      { 'skills/bare/SKILL.md': '---\nname: bare\n---\nText.\n', 'skills/fine/SKILL.md': skill('fine') },
      { serve: { onRefused: (uri, reason) => refused.push([uri, reason]) } },
    )
    expect((await reader.list()).skills.map(({ uri }) => uri)).toEqual(['skill://fine/SKILL.md'])
    expect(refused).toEqual([['skill://bare/SKILL.md', expect.stringContaining('description')]])
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['bare', 'fine'])
  })

  it('keeps two skills apart whose files could have one URI', async () => {
    const { reader, client } = await served(
      {
        'skills/acme/SKILL.md': skill('acme'),
        'skills/acme/deploy/notes.md': 'ours',
        'plugin/.claude-plugin/plugin.json': JSON.stringify({ name: 'acme' }),
        'plugin/skills/deploy/SKILL.md': skill('deploy'),
        'plugin/skills/deploy/notes.md': 'theirs',
      },
      { runtime: { paths: ['skills', 'plugin'] } },
    )
    const { skills } = await reader.list()
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://acme/deploy/SKILL.md'])
    expect(await reader.read(skills[0] as never, 'notes.md')).toMatchObject({ text: 'theirs' })
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['acme', 'acme__deploy'])
  })

  it('serves what the policy lets be known, and a file that changed no longer fits its entry', async () => {
    const { reader, client, cwd } = await served(
      {
        'skills/a/SKILL.md': skill('a'),
        'skills/b/SKILL.md': skill('b'),
        'skills/b/f.md': '1',
        'skills/c/SKILL.md': skill('c'),
      },
      { serve: { policy: { deny: 'a', rules: 'c($policy=ask)' } } },
    )
    const { skills } = await reader.list()
    expect(skills.map(({ uri }) => uri)).toEqual(['skill://b/SKILL.md'])
    writeTree(cwd, { 'skills/b/f.md': '2' })
    await expect(reader.read(skills[0] as never, 'f.md')).rejects.toThrow(SkillVerificationError)
    // What a person has to allow is not to be had by reading the file.
    for (const name of ['a', 'c']) {
      const uri = `skill://${name}/SKILL.md`
      await expect(reader.get(uri)).rejects.toThrow(/No skill/)
      await expect(client.readResource({ uri })).rejects.toThrow(/not found/)
    }
  })
})

describe('serveSkills', () => {
  it('links to the files of a skill that is called as a tool', async () => {
    const { client } = await served({ 'skills/a/SKILL.md': skill('a'), 'skills/a/f g.md': '1' })
    const { content } = await client.callTool({ name: 'a' })
    expect(content).toEqual([
      { type: 'text', text: 'Do a.\n' },
      { type: 'resource_link', uri: 'skill://a/f%20g.md', name: 'f g.md', size: 1 },
    ])
    expect(await client.readResource({ uri: 'skill://a/f%20g.md' })).toMatchObject({
      contents: [{ text: '1' }],
    })
  })

  it('gives attachments as the parts of a message', async () => {
    const { client, runtime } = await served({ 'skills/a/SKILL.md': skill('a') })
    const attachments = [
      { mimeType: 'image/png', data: new Uint8Array([1]) },
      { mime: 'application/pdf', url: 'data:application/pdf;base64,AQ==', filename: 'x.pdf' },
      { url: 'https://example.org/a', filename: 'a' },
      'words',
      { text: 'in words' },
      { data: 'AQ==', name: 'b' },
      { url: 'data:,a%20b' },
      { anything: 7 },
    ]
    const result = { title: 't', metadata: {}, output: { seen: 1 }, attachments }
    registerTool(runtime.globals, { name: 'draw', description: 'Draws.', fn: () => result })
    expect(await client.callTool({ name: 'draw' })).toMatchObject({
      structuredContent: { seen: 1 },
      content: [
        { type: 'text', text: '{"seen":1}' },
        { type: 'image', mimeType: 'image/png', data: 'AQ==' },
        {
          type: 'resource',
          resource: { uri: 'attachment:x.pdf', mimeType: 'application/pdf', blob: 'AQ==' },
        },
        { type: 'resource_link', uri: 'https://example.org/a', name: 'a' },
        { type: 'text', text: 'words' },
        { type: 'text', text: 'in words' },
        {
          type: 'resource',
          resource: { uri: 'attachment:b', mimeType: 'application/octet-stream', blob: 'AQ==' },
        },
        {
          type: 'resource',
          resource: { uri: 'attachment:attachment', mimeType: 'text/plain', blob: 'YSBi' },
        },
        { type: 'text', text: '{"anything":7}' },
      ],
    })
  })

  it('asks the runtime’s own person where it is told to', async () => {
    const asked: string[] = []
    const { client } = await served(
      { 'skills/a/SKILL.md': skill('a', 'Text.\n', 'metadata: { gated: true }\n') },
      {
        serve: { approval: 'runtime' },
        runtime: {
          interact: ({ kind }) => {
            asked.push(kind)
            return 'allow-once'
          },
        },
      },
    )
    expect(await client.callTool({ name: 'a' })).toMatchObject({ content: [{ text: 'Text.\n' }] })
    expect(asked).toEqual(['approval'])
  })

  it('leaves out what it is told to leave out, and knows its options', async () => {
    const tree = { 'skills/a/SKILL.md': skill('a') }
    const { client } = await served(tree, { serve: { tools: false, prompts: false, skills: false } })
    expect(client.getServerCapabilities()).toEqual({ tools: { listChanged: true } })
    expect((await client.listTools()).tools).toEqual([])
    const runtime = createRuntime({ paths: [] })
    for (const options of [{ tool: 'a' }, { approval: 'sdk' }, { tools: 'bash(' }])
      expect(() => serveSkills(runtime, options as never)).toThrow(
        expect.objectContaining({ code: 'OPTIONS_INVALID' }),
      )
  })
})

const anything = { version: 1 as const, vendor: 'test', validate: (value: unknown) => ({ value }) }
