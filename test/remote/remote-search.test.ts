import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { publish } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { ownRuntimes } from '../support/own-runtime.js'
import { craft, failure, type Published, published, serve } from '../support/release-server.js'
import { makeTree, skill } from '../support/tree.js'

const runtimeOf = ownRuntimes()

/** Words that make a search file larger than what is fetched as a whole. */
const WORDS = Array.from({ length: 12 }, (_, at) => `Word${at}`)
const TREE = Object.fromEntries([
  ...Array.from({ length: 400 }, (_, at) => {
    const body = WORDS.map(word => `${word}x${at}`).join(' ')
    return [`skill-${at}/SKILL.md`, skill(`skill-${at}`, `${body}\n`)] as const
  }),
  ['deploy-site/SKILL.md', skill('deploy-site', 'Purge the cache of the website.\n')],
  ['secret/SKILL.md', skill('secret', 'The website has a vault.\n', 'metadata: { gated: true }\n')],
])

let release: Published
beforeAll(async () => {
  release = await published(TREE)
})

describe('a search', () => {
  it('reads parts of the search file, and the tools that it finds', async () => {
    const { to, pin } = release
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    const hits = await runtime.search('purge the cache')
    expect(hits.map(({ name, matched }) => [name, matched])).toEqual([['deploy-site', ['purge', 'cache']]])
    const ranges = server.requests.filter(path => path.includes(' bytes='))
    // The table, a block for each word, and one of names.
    expect(ranges).toHaveLength(4)
    expect(server.requests).toHaveLength(6)
    expect(await hits[0]?.tool.content?.()).toBe('Purge the cache of the website.\n')
    expect(await runtime.search('vault')).toEqual([])
    const [first] = await runtime.search('word3x77')
    expect(first?.name).toBe('skill-77')
  })

  it('reads the whole file from a server without ranges', async () => {
    const { to, pin } = release
    const server = await serve(to, false)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    expect((await runtime.search('purge')).map(({ name }) => name)).toEqual(['deploy-site'])
    const asked = server.requests.length
    expect((await runtime.search('cache')).map(({ name }) => name)).toEqual(['deploy-site'])
    expect(server.requests).toHaveLength(asked)
  })

  it('ranks local and remote tools together, each name once', async () => {
    const { to, pin } = release
    const server = await serve(to)
    const local = makeTree({
      'website/SKILL.md': skill('website', 'Builds it.\n'),
      'deploy-site/SKILL.md': skill('deploy-site', 'Website of mine.\n'),
    })
    const runtime = runtimeOf({ paths: [local, { url: server.url, integrity: pin }] })
    const hits = await runtime.search('website')
    expect(hits.map(({ name, tool }) => [name, tool.origin.layer])).toEqual([
      ['website', 'project'],
      ['deploy-site', 'project'],
    ])
    expect((await runtime.search('website', { limit: 1 })).map(({ name }) => name)).toEqual(['website'])
    expect((await runtime.search('word3', { pattern: 'skill-12*', limit: 3 })).length).toBe(3)
  })

  it('finds for an agent what that agent may call, also where lists leave the entry out', async () => {
    const pin = craft(release, { header: { skills: 20_000 } })
    const server = await serve(release.to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }], policy: { deny: 'deploy-*' } })
    const agent = runtime.forAgent()
    expect(await agent.search('purge')).toEqual([])
    expect((await agent.search('word5x11')).map(({ name }) => name)).toEqual(['skill-11'])
    expect(await failure(agent.listTools())).toMatchObject({ code: 'REMOTE_TOO_LARGE' })
  })

  it('tells an agent nothing of the skills that its policy withholds', async () => {
    const own = Object.fromEntries(
      Array.from({ length: 140 }, (_, at) => [
        `ok-${at}/SKILL.md`,
        skill(`ok-${at}`, at % 10 === 0 ? 'Deploys it.\n' : 'Paints it.\n'),
      ]),
    )
    const others = Object.fromEntries(
      Array.from({ length: 20 }, (_, at) => [
        `no-${at}/SKILL.md`,
        skill(`no-${at}`, `Deploys the merger.\n`),
      ]),
    )
    const [alone, withOthers] = await Promise.all(
      [own, { ...own, ...others }].map(async tree => {
        const { to, pin } = await published(tree)
        const server = await serve(to)
        const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }], library: true })
        const agent = runtime.forAgent({ deny: 'no-*' })
        const hits = await agent.search('deploy', { limit: 30 })
        const discover = (query: string) => agent.invoke('agent-discover', { query, limit: 3 })
        return {
          hits: hits.map(({ name, score }) => [name, score]),
          discovered: [await discover('merger'), await discover('deploy')],
        }
      }),
    )
    expect(alone?.hits).toHaveLength(14)
    expect(withOthers).toEqual(alone)
  })

  it('is not published from a search file that was damaged', async () => {
    const folder = join(release.skills, '.agent-apps')
    const file = join(folder, readdirSync(folder).find(name => name.startsWith('search-')) as string)
    const bytes = readFileSync(file)
    writeFileSync(file, bytes.subarray(1))
    const error = await failure(publish({ paths: [release.skills], to: release.to }))
    writeFileSync(file, bytes)
    expect(error).toMatchObject({ code: 'PUBLISH_REFUSED' })
  })

  it('leaves out an entry whose words were changed, with a diagnostic', async () => {
    const { to, pin } = release
    const server = await serve(to)
    server.answer = (_, response, { headers }) => {
      const [, start = 0, end = 0] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
      if (headers.range === undefined) return false
      response.writeHead(206, { 'content-range': `bytes ${start}-${end}/*` })
      response.end(Buffer.alloc(Number(end) - Number(start) + 1, '0'))
      return true
    }
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    expect(await runtime.search('purge')).toEqual([])
    expect(runtime.diagnostics()).toMatchObject([{ rule: 'remote-left-out' }])
    expect(await runtime.invoke('deploy-site')).toBe('Purge the cache of the website.\n')
  })
})
