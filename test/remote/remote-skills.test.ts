import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { ownRuntimes } from '../support/own-runtime.js'
import { startCode } from '../support/processes.js'
import { failure, published, serve } from '../support/release-server.js'
import { makeTree, skill } from '../support/tree.js'

const runtimeOf = ownRuntimes()

const TREE = {
  'review/SKILL.md': skill('review', 'Read the diff.\n'),
  'review/references/guide.md': 'Be kind.\n',
  'plan.skill.md': skill('plan', 'Plan it.\n'),
}

describe('a remote path entry', () => {
  it('finds, opens and reads a published skill, with three requests and then none', async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    const tool = await runtime.findTool('review')
    expect(tool).toMatchObject({
      name: 'review',
      kind: 'folder',
      runs: false,
      origin: { layer: 'remote', entry: server.url, file: 'review/SKILL.md', via: 'remote', shadows: [] },
    })
    expect(await tool?.content?.()).toBe('Read the diff.\n')
    expect(server.requests.map(path => path.slice(0, 2))).toEqual(['h/', 's/', 'f/'])
    expect(await runtime.invoke('review')).toBe('Read the diff.\n')
    expect(await runtime.render('review')).toBe('Read the diff.\n')
    expect(await runtime.findTool('review')).toBe(tool)
    expect(server.requests).toHaveLength(3)
    const bytes = await runtime.readResource('review', 'references/guide.md')
    expect(new TextDecoder().decode(bytes)).toBe('Be kind.\n')
    expect(server.requests).toHaveLength(4)
    expect(await runtime.describe('review')).toMatchObject({
      verbatim: { name: 'review', description: 'What review does.' },
      resources: [{ path: 'references/guide.md', size: 9 }],
    })
    expect(await failure(runtime.readResource('review', '../../etc/passwd'))).toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
    expect(server.requests).toHaveLength(4)
    expect(runtime.stats().via.remote).toBe(1)
  })

  it('asks twice for a name that is missing, and then no more', async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    expect(await runtime.findTool('constructor')).toBeNull()
    expect(server.requests).toHaveLength(2)
    expect(await runtime.findTool('constructor')).toBeNull()
    expect(await runtime.findTool('other')).toBeNull()
    expect(await failure(runtime.invoke('other'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(server.requests).toHaveLength(2)
  })

  it('comes after all others, and lists what they do not have', async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const local = makeTree({ 'review/SKILL.md': skill('review', 'Mine.\n') })
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }, local] })
    expect(await runtime.invoke('review')).toBe('Mine.\n')
    expect(server.requests).toEqual([])
    const tools = await runtime.listTools()
    expect(tools.map(({ name, origin }) => [name, origin.layer])).toEqual([
      ['review', 'project'],
      ['plan', 'remote'],
    ])
    expect(await runtime.findTool('plan')).toBe(tools[1])
    expect(await tools[1]?.content?.()).toBe('Plan it.\n')
  })

  it('is asked by agents: they find, open, list and describe its skills without approval', async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const agent = runtimeOf({ paths: [{ url: server.url, integrity: pin }] }).forAgent()
    expect(await agent.invoke('review')).toEqual({
      content: 'Read the diff.\n',
      resources: [{ path: 'references/guide.md', size: 9 }],
    })
    expect(await agent.open('plan')).toEqual({ content: 'Plan it.\n', resources: [] })
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(['plan', 'review'])
    expect((await agent.catalog()).text).toContain('What review does.')
    const bytes = await agent.readResource('review', 'references/guide.md')
    expect(new TextDecoder().decode(bytes)).toBe('Be kind.\n')
  })

  it('is never reached by a name in a local skill', async () => {
    const { to, pin } = await published({ 'helper/SKILL.md': skill('helper', 'Help.\n') })
    const server = await serve(to)
    const local = makeTree({
      'calls.skill.mjs':
        "export const frontmatter = { name: 'calls', description: 'Calls.' }\nexport default ctx => ctx.manager.invoke('helper')\n",
      'delegates/SKILL.md':
        '---\nname: delegates\ndescription: Delegates.\nmetadata: { delegate: helper }\n---\n',
    })
    const runtime = runtimeOf({ paths: [local, { url: server.url, integrity: pin }] })
    expect(await runtime.invoke('helper')).toBe('Help.\n')
    expect(await failure(runtime.invoke('calls'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(await failure(runtime.invoke('delegates'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('has nothing around its skills, whatever a project promotes to all tools', async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const local = makeTree({
      'SKILL.md':
        '---\nname: main\ndescription: Governs.\nmetadata: { role: main, $global: { shout: true } }\n---\n',
      'shout.skill.mjs': `export const frontmatter = { name: 'shout', description: 'Shouts.', metadata: { role: 'middleware' } }
export default async ctx => (await ctx.manager.next()).toUpperCase()
`,
      'own/SKILL.md': skill('own', 'Mine.\n'),
    })
    const runtime = runtimeOf({ paths: [local, { url: server.url, integrity: pin }] })
    expect(await runtime.invoke('own')).toBe('MINE.\n')
    expect(await runtime.invoke('review')).toBe('Read the diff.\n')
  })

  it('asks no server what a rule means for tools that it does not name', async () => {
    const tree = Object.fromEntries(
      Array.from({ length: 200 }, (_, at) => [`acme/tool-${at}/SKILL.md`, skill(`tool-${at}`)]),
    )
    const { to, pin } = await published(tree, 'folder')
    const server = await serve(to)
    const policy = { rules: 'tool-7($policy=deny)' }
    const agent = runtimeOf({ paths: [{ url: server.url, integrity: pin }], policy }).forAgent()
    expect(await agent.listTools()).toHaveLength(199)
    // The header, the list, and the shard of the one that is named.
    expect(server.requests).toHaveLength(3)
  })

  it('has the names of its namespaces, and is limited by the policy of the host', async () => {
    const { to, pin } = await published(
      {
        'acme/deploy/SKILL.md': skill('deploy', 'One.\n'),
        'beta/deploy/SKILL.md': skill('deploy', 'Two.\n'),
      },
      'folder',
    )
    const server = await serve(to)
    const paths = [{ url: server.url, integrity: pin, namespace: 'folder' }]
    const runtime = runtimeOf({ paths })
    expect(await runtime.invoke('deploy')).toBe('One.\n')
    expect(await runtime.invoke('beta:deploy')).toBe('Two.\n')
    expect((await runtime.findTool('deploy'))?.name).toBe('acme:deploy')
    const denied = runtimeOf({ paths, policy: { deny: 'deploy' } }).forAgent()
    expect(await failure(denied.invoke('deploy'))).toMatchObject({ code: 'TOOL_DENIED' })
    expect(await denied.listTools()).toEqual([])
    const chosen = runtimeOf({ paths, policy: { allow: 'deploy' } }).forAgent()
    expect((await chosen.listTools()).map(({ name }) => name)).toEqual(['acme:deploy'])
    expect((await runtime.forAgent().within('beta:deploy').findTool('deploy'))?.name).toBe('beta:deploy')
    const asked = runtimeOf({ paths, policy: { rules: 'acme:*($policy=ask)' } }).forAgent()
    expect(await failure(asked.invoke('deploy'))).toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
    expect(await asked.invoke('beta:deploy')).toMatchObject({ content: 'Two.\n' })
    const other = runtimeOf({ paths: [{ ...paths[0], url: server.url, integrity: pin, namespace: 'acme' }] })
    expect(await failure(other.findTool('deploy'))).toMatchObject({ code: 'REMOTE_FORMAT' })
  })

  it('gives a text with what it includes, as one file', async () => {
    const { to, pin } = await published({
      'guide/SKILL.md': skill('guide', 'Before.\n\n::include[part.md]\n\nAfter.\n'),
      'guide/part.md': 'Part with :include[inner.md].\n',
      'guide/inner.md': 'inner',
      'chosen/SKILL.md': skill('chosen', ':::if{path=args.x}\nYes.\n:::\n'),
    })
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    expect(await runtime.invoke('guide')).toBe('Before.\n\nPart with inner.\n\nAfter.\n')
    expect(server.requests).toHaveLength(3)
    expect(await failure(runtime.invoke('chosen'))).toMatchObject({ code: 'REMOTE_CODE' })
  })

  it('opens what it listed by its shards alone, and keeps a hidden or gated skill so', async () => {
    const { to, pin } = await published({
      'shy/SKILL.md': '---\nname: shy\ndescription: Hides.\nmetadata: { visibility: hidden }\n---\nShy.\n',
      'kept/SKILL.md': '---\nname: kept\ndescription: Is gated.\nmetadata: { gated: true }\n---\nKept.\n',
    })
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    const agent = runtime.forAgent()
    expect((await agent.listTools()).map(({ name }) => name)).toEqual(['kept'])
    expect(await failure(agent.invoke('shy'))).toMatchObject({ code: 'TOOL_NOT_FOUND' })
    expect(await failure(agent.invoke('kept'))).toMatchObject({ code: 'APPROVAL_UNAVAILABLE' })
    expect(await runtime.invoke('shy')).toBe('Shy.\n')
  })

  it('is found by another process', { tags: 'long' }, async () => {
    const { to, pin } = await published(TREE)
    const server = await serve(to)
    const paths = JSON.stringify([{ url: server.url, integrity: pin }])
    const code = `import { createRuntime } from 'agent-apps'
const runtime = createRuntime({ paths: ${paths} })
console.log(await runtime.invoke('plan'))`
    expect(await startCode(code)).toBe('Plan it.\n\n')
  })

  it.each(
    oneIn(2, [
      [{ url: 'http://skills.example.com/' }, 'which is not `https:`'],
      [{ url: 'https://me:secret@skills.example.com/' }, 'has a user or a password'],
      [{ url: 'https://skills.example.com/?v=1' }, 'has a query or a fragment'],
      [{ url: 'skills' }, 'is not a URL'],
      [{ url: 'https://skills.example.com/', integrity: 'sha256-abc' }, 'is not a pin'],
      [{ url: 'https://skills.example.com/', integrity: undefined }, 'has no `integrity`'],
      [{ url: 'https://skills.example.com/', ignore: '*' }, 'has a key `ignore`'],
    ]),
  )('is refused at once: %j', async (entry, message) => {
    const paths = [{ integrity: `sha256-${'0'.repeat(64)}`, ...entry }]
    expect(() => runtimeOf({ paths: paths as never })).toThrow(message)
    expect(() => runtimeOf({ paths: paths as never })).not.toThrow('secret')
    expect(await failure(compile({ paths: paths as never }))).toMatchObject({ code: 'OPTIONS_INVALID' })
  })
})
