import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile, publish } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { ownRuntimes } from '../support/own-runtime.js'
import { failure, published, serve } from '../support/release-server.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, snapshot, writeTree } from '../support/tree.js'

const runtimeOf = ownRuntimes()

const TREE = {
  'review/SKILL.md': skill('review'),
  'review/scripts/run.py': 'print(1)\n',
  'plan.skill.md': skill('plan'),
}

/** The files of a folder of a release, without hidden ones, with their times. */
function filesOf(to: string): Record<string, string> {
  return snapshot(to, { times: true })
}

describe('publish', () => {
  it('writes the same bytes again, and nothing that is there', async () => {
    const { to, pin, skills } = await published(TREE)
    const before = filesOf(to)
    const again = await publish({ paths: [skills], to })
    expect(again).toMatchObject({
      pin,
      skills: 2,
      written: 0,
      isCompared: true,
      added: [],
      changed: [],
      removed: [],
    })
    expect(filesOf(to)).toEqual(before)
    expect((await published(TREE)).pin).toBe(pin)
  })

  it('says what changed since the last release, and removes nothing', async () => {
    const { to, pin, skills } = await published(TREE)
    const server = await serve(to)
    rmSync(join(skills, 'plan.skill.md'))
    writeTree(skills, { 'review/SKILL.md': skill('review', 'New.\n'), 'added/SKILL.md': skill('added') })
    await compile({ paths: [skills] })
    const dry = await publish({ paths: [skills], to, dryRun: true })
    const before = filesOf(to)
    expect(dry).toMatchObject({ added: ['added'], changed: ['review'], removed: ['plan'] })
    expect(dry.written).toBeGreaterThan(4)
    expect(filesOf(to)).toEqual(before)
    const result = await publish({ paths: [skills], to })
    expect(result).toEqual(dry)
    expect(JSON.parse(readFileSync(join(to, 'latest.json'), 'utf8'))).toEqual({
      format: 1,
      header: result.pin,
    })
    const old = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    const fresh = runtimeOf({ paths: [{ url: server.url, integrity: result.pin }] })
    expect(await old.invoke('plan')).toBe('Do plan.\n')
    expect(await fresh.invoke('review')).toBe('New.\n')
    expect(await fresh.findTool('plan')).toBeNull()
  })

  it('replaces files that were damaged', async () => {
    const { to, pin, skills } = await published(TREE)
    const before = snapshot(to)
    for (const folder of ['f', 's', 'h'])
      for (const name of readdirSync(join(to, folder))) writeFileSync(join(to, folder, name), 'damaged')
    const again = await publish({ paths: [skills], to })
    expect(again).toMatchObject({ pin, isCompared: false })
    expect(snapshot(to)).toEqual(before)
  })

  it('runs twice at once, and both end well', async () => {
    const { skills } = await published(TREE)
    const other = makeTree({ 'other/SKILL.md': skill('other') })
    await compile({ paths: [other] })
    const to = temporary()
    const results = await Promise.all([skills, other, skills].map(dir => publish({ paths: [dir], to })))
    const server = await serve(to)
    for (const [at, name] of ['review', 'other', 'plan'].entries()) {
      const runtime = runtimeOf({ paths: [{ url: server.url, integrity: results[at]?.pin as string }] })
      expect(await runtime.invoke(name)).toBe(`Do ${name}.\n`)
    }
    expect(readdirSync(join(to, 'f')).filter(name => name.endsWith('.tmp'))).toEqual([])
  })

  it('refuses a directory that is not as it was compiled, and names the file', async () => {
    const { to, skills } = await published(TREE)
    writeFileSync(join(skills, 'review/scripts/run.py'), 'print(2)\n')
    const error = await failure(publish({ paths: [skills], to }))
    expect(error).toMatchObject({ code: 'PUBLISH_REFUSED', file: join(skills, 'review/scripts/run.py') })
    const fresh = makeTree(TREE)
    expect(await failure(publish({ paths: [fresh], to }))).toMatchObject({ code: 'PUBLISH_REFUSED' })
  })

  it('refuses an index that is not whole, which says so', async () => {
    const { skills, to } = await published(TREE)
    const header = () => JSON.parse(readFileSync(join(skills, '.agent-apps.json'), 'utf8'))
    expect(header()).not.toHaveProperty('cut')
    mkdirSync(join(skills, 'a/'.repeat(65)), { recursive: true })
    expect((await compile({ paths: [skills] })).diagnostics).toMatchObject([
      { ruleId: 'walk-limit', severity: 'error' },
    ])
    expect(header()).toMatchObject({ cut: true })
    const error = await failure(publish({ paths: [skills], to }))
    expect(error).toMatchObject({ code: 'PUBLISH_REFUSED', message: expect.stringContaining('at a limit') })
    rmSync(join(skills, 'a'), { recursive: true })
    await compile({ paths: [skills] })
    expect(header()).not.toHaveProperty('cut')
  })

  it('refuses a folder in that of the skills, one that is a link, and several directories', async () => {
    const { skills, to } = await published(TREE)
    expect(await failure(publish({ paths: [skills], to: join(skills, 'public') }))).toMatchObject({
      code: 'PUBLISH_REFUSED',
    })
    const linked = makeTree({ f: { link: to } })
    expect(await failure(publish({ paths: [skills], to: linked }))).toMatchObject({ code: 'PUBLISH_REFUSED' })
    expect(await failure(publish({ paths: [skills, to], to: temporary() }))).toMatchObject({
      code: 'PUBLISH_REFUSED',
    })
  })

  it('follows no link out of the directory', async () => {
    const { skills, to } = await published(TREE)
    const secret = makeTree({ secret: 'print(1)\n' })
    rmSync(join(skills, 'review/scripts/run.py'))
    writeTree(skills, { 'review/scripts/run.py': { link: join(secret, 'secret') } })
    const error = await failure(publish({ paths: [skills], to }))
    expect(error.message).toContain('a link leads out of the directory')
  })

  it('leaves out what governs others, says what is only listed, and keeps what a skill inherits', async () => {
    const skills = makeTree({
      'SKILL.md':
        '---\nname: main\ndescription: Governs.\nmetadata: { role: main, $global: { triggers: [now] } }\n---\n',
      'review/SKILL.md': skill('review'),
      'runs/SKILL.md': skill('runs', 'x\n', 'metadata: { delegate: review }\n'),
      'broken/SKILL.md': '---\nname: broken\n',
    })
    await compile({ paths: [skills] })
    const to = temporary()
    const result = await publish({ paths: [skills], to })
    expect(result.leftOut.map(({ tool }) => tool).sort()).toEqual(['broken', 'main'])
    expect(result.code).toEqual([{ tool: 'runs', reason: 'has a delegate' }])
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: result.pin }] })
    expect((await runtime.listTools()).map(({ name }) => name)).toEqual(['review', 'runs'])
    expect((await runtime.findTool('review'))?.frontmatter.metadata).toEqual({ triggers: ['now'] })
  })

  it('publishes a directory without skills', async () => {
    const { to, pin } = await published({ 'notes.md': 'Nothing.\n' })
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin }] })
    expect(await runtime.listTools()).toEqual([])
    expect(await runtime.findTool('review')).toBeNull()
    expect(await runtime.search('review')).toEqual([])
  })

  it('takes the namespace of a path entry in the configuration', async () => {
    const root = makeTree({
      'agent-apps.config.json': JSON.stringify({ paths: [{ dir: 'skills', namespace: 'acme' }, 'others'] }),
      'skills/review/SKILL.md': skill('review'),
      'others/plan/SKILL.md': skill('plan'),
    })
    await compile({ cwd: root })
    const to = temporary()
    expect(await failure(publish({ cwd: root, to }))).toMatchObject({ code: 'PUBLISH_REFUSED' })
    const { pin } = await publish({ cwd: root, paths: ['skills'], to })
    const server = await serve(to)
    const runtime = runtimeOf({ paths: [{ url: server.url, integrity: pin, namespace: 'acme' }] })
    expect((await runtime.findTool('review'))?.name).toBe('acme:review')
  })
})
