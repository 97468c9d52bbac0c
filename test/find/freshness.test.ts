import { readdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { clearToolCache, createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn, times } from '../support/long.js'
import { ownTools } from '../support/own-tools.js'
import { goodSkills, makeTree, skill, type Tree, writeTree } from '../support/tree.js'

/** Gives a file a time after its index's, as an edit does that is not made within the same tick of the clock. */
function later(file: string, seconds = 10): void {
  const time = new Date(Date.now() + seconds * 1_000)
  utimesSync(file, time, time)
}

async function start(freshness: 'trust' | 'check', count = 4): Promise<{ dir: string; runtime: Runtime }> {
  const dir = makeTree({ ...goodSkills(count), 'good-1/notes.txt': 'one\n' })
  await compile({ paths: [dir] })
  return { dir, runtime: createRuntime({ paths: [dir], freshness }) }
}

describe.each([['before the first look'], ['after a look']])('check, %s', when => {
  const looked = async (names: string[]): Promise<{ dir: string; runtime: Runtime }> => {
    const started = await start('check')
    if (when === 'after a look') {
      for (const name of names) await started.runtime.findTool(name)
      await started.runtime.listTools()
    }
    return started
  }

  it('sees skills that were added, also when they are asked for together', async () => {
    const { dir, runtime } = await looked(['one', 'two'])
    writeTree(dir, { 'one/SKILL.md': skill('one'), 'two/SKILL.md': skill('two') })
    const found = await Promise.all(['one', 'two'].map(name => runtime.findTool(name)))
    expect(found.map(tool => tool?.name)).toEqual(['one', 'two'])
  })

  it('sees a file that was edited', async () => {
    const { dir, runtime } = await looked(['good-1'])
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'A longer text than before.\n') })
    later(join(dir, 'good-1/SKILL.md'))
    const tool = await runtime.findTool('good-1')
    expect(tool?.origin.via).toBe('disk')
    expect(await tool?.content?.()).toBe('A longer text than before.\n')
    expect((await runtime.findTool('good-2'))?.origin.via).toBe('index')
    expect(await runtime.render('good-1')).toBe('A longer text than before.\n')
  })

  it('sees an edit that kept the size', async () => {
    const { dir, runtime } = await looked(['good-1'])
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Be good-1.\n') })
    later(join(dir, 'good-1/SKILL.md'))
    expect(await runtime.render('good-1')).toBe('Be good-1.\n')
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'As good-1.\n') })
    later(join(dir, 'good-1/SKILL.md'), 20)
    expect(await runtime.render('good-1')).toBe('As good-1.\n')
  })

  it('takes a file that was only touched from the index', async () => {
    const { dir, runtime } = await looked(['good-1'])
    later(join(dir, 'good-1/SKILL.md'))
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
    expect(runtime.stats().parser).toBe('unused')
  })

  it('sees a skill that was added at the top', async () => {
    const { dir, runtime } = await looked(['added', 'single'])
    writeTree(dir, { 'added/SKILL.md': skill('added'), 'single.skill.md': skill('single') })
    later(dir)
    expect(await runtime.render('added')).toBe('Do added.\n')
    expect(await runtime.render('single')).toBe('Do single.\n')
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual([
      'added',
      'good-0',
      'good-1',
      'good-2',
      'good-3',
      'single',
    ])
  })

  it('sees that a skill was deleted', async () => {
    const { dir, runtime } = await looked(['good-1'])
    rmSync(join(dir, 'good-1'), { recursive: true })
    later(dir)
    expect(await runtime.findTool('good-1')).toBeNull()
    expect((await ownTools(runtime)).map(({ name }) => name)).toEqual(['good-0', 'good-2', 'good-3'])
  })

  it('sees that a folder was renamed', async () => {
    const { dir, runtime } = await looked(['good-1'])
    renameSync(join(dir, 'good-1'), join(dir, 'moved'))
    later(dir)
    const tool = await runtime.findTool('good-1')
    expect(tool?.origin.file).toBe('moved/SKILL.md')
    expect(await tool?.content?.()).toBe('Do good-1.\n')
  })

  it('sees that a file gives another name now', async () => {
    const { dir, runtime } = await looked(['good-1', 'nothing', 'other'])
    writeTree(dir, { 'good-1/SKILL.md': skill('other') })
    later(join(dir, 'good-1/SKILL.md'))
    expect(await runtime.findTool('good-1')).toBeNull()
    await expect(runtime.render('good-1')).rejects.toMatchObject({ code: 'TOOL_NOT_FOUND' })
  })

  it('sees that a file broke, and that it was mended', async () => {
    const { dir, runtime } = await looked(['good-1'])
    writeTree(dir, { 'good-1/SKILL.md': '---\nname: good-1\n---x\n' })
    later(join(dir, 'good-1/SKILL.md'))
    expect(await runtime.findTool('good-1')).toBeNull()
    await expect(runtime.render('good-1')).rejects.toMatchObject({
      code: 'TOOL_BROKEN',
      position: { line: 3, column: 1 },
    })
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Mended.\n') })
    later(join(dir, 'good-1/SKILL.md'), 20)
    expect(await runtime.render('good-1')).toBe('Mended.\n')
  })

  it('takes up an index that was compiled meanwhile', async () => {
    const { dir, runtime } = await looked(['good-1'])
    writeTree(dir, {
      'good-1/SKILL.md': skill('good-1', 'Recompiled.\n'),
      'deep/er/SKILL.md': skill('deeper'),
    })
    await compile({ paths: [dir] })
    const tool = await runtime.findTool('good-1')
    expect([tool?.origin.via, await tool?.content?.()]).toEqual(['index', 'Recompiled.\n'])
    expect((await runtime.findTool('deeper'))?.origin.via).toBe('index')
    expect(runtime.diagnostics()).toEqual([])
  })

  it('takes up an index where there was none, and goes without one that went', async () => {
    const dir = makeTree(goodSkills(3))
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    if (when === 'after a look') expect((await runtime.findTool('good-1'))?.origin.via).toBe('disk')
    await compile({ paths: [dir] })
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
    rmSync(join(dir, '.agent-apps.json'))
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('disk')
  })

  it('without an index, sees edits too', async () => {
    const dir = makeTree(goodSkills(3))
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    if (when === 'after a look') await runtime.listTools()
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Edited.\n'), 'added/SKILL.md': skill('added') })
    later(join(dir, 'good-1/SKILL.md'))
    later(dir)
    expect(await runtime.render('good-1')).toBe('Edited.\n')
    expect(await runtime.render('added')).toBe('Do added.\n')
  })
})

describe.each(['compiled', 'from disk'])('check, %s: after a name was looked for in all files', way => {
  const looked = async (files: Record<string, string>): Promise<{ dir: string; runtime: Runtime }> => {
    const dir = makeTree({ ...goodSkills(2), 'group/old/SKILL.md': skill('old'), ...files })
    if (way === 'compiled') await compile({ paths: [dir] })
    const runtime = createRuntime({ paths: [dir], freshness: 'check' })
    expect(await runtime.findTool('added')).toBeNull()
    return { dir, runtime }
  }

  it.each([0, 60])('one is found that was added below the top %i ms later', async pause => {
    const { dir, runtime } = await looked({})
    await sleep(pause)
    for (const name of ['added', 'more']) {
      writeTree(dir, { [`group/deep/${name}/SKILL.md`]: skill(name) })
      const tool = await runtime.findTool(name)
      expect(tool?.origin).toMatchObject({ via: 'disk', file: `group/deep/${name}/SKILL.md` })
      expect(await tool?.content?.()).toBe(`Do ${name}.\n`)
      await sleep(pause)
    }
    expect((await runtime.findTool('old'))?.origin.file).toBe('group/old/SKILL.md')
  })

  it('one is found that was added to a file', async () => {
    const { dir, runtime } = await looked({ 'group/pair.skill.md': skill('one') })
    writeTree(dir, { 'group/pair.skill.md': `${skill('one')}\n${skill('added')}` })
    expect((await runtime.findTool('added'))?.src).toMatch(/pair\.skill\.md#added$/)
  })

  it('one that went and came back is found', async () => {
    const { dir, runtime } = await looked({ 'group/other/SKILL.md': skill('other') })
    rmSync(join(dir, 'group/other'), { recursive: true })
    expect(await runtime.findTool('other')).toBeNull()
    writeTree(dir, { 'group/elsewhere/SKILL.md': skill('other') })
    expect((await runtime.findTool('other'))?.origin.file).toBe('group/elsewhere/SKILL.md')
  })

  it('nothing is read again while nothing changed', async () => {
    const { dir, runtime } = await looked({})
    if (way === 'compiled') {
      // Its listing says that there is nothing to read.
      expect(runtime.stats().parser).toBe('unused')
      return
    }
    await sleep(60)
    await runtime.findTool('added')
    const read = runtime.globals.cache.nameIndex.get(dir)
    expect(read?.get('old')).toBe(join(dir, 'group/old/SKILL.md'))
    await runtime.findTool('another')
    expect(runtime.globals.cache.nameIndex.get(dir)).toBe(read)
  })

  it('a turn sees the files as it saw them first', async () => {
    const { dir, runtime } = await looked({})
    await runtime.turn(async () => {
      expect(await runtime.findTool('added')).toBeNull()
      writeTree(dir, { 'group/added/SKILL.md': skill('added') })
      expect(await runtime.findTool('added')).toBeNull()
      expect(await runtime.findTool('another')).toBeNull()
    })
    expect((await runtime.findTool('added'))?.name).toBe('added')
  })
})

describe.each(['compiled', 'from disk'])('check, %s: one snapshot', way => {
  const opened = async (tree: Tree): Promise<{ dir: string; runtime: Runtime }> => {
    const dir = makeTree(tree)
    if (way === 'compiled') await compile({ paths: [dir] })
    return { dir, runtime: createRuntime({ paths: [dir], freshness: 'check', library: false }) }
  }

  it('sees each of many edits that keep the size, however soon they follow', async () => {
    const { dir, runtime } = await opened(goodSkills(3))
    for (let edit = 10; edit < 10 + times(12, 30); edit++) {
      writeTree(dir, { 'good-1/SKILL.md': skill('good-1', `Edit ${edit}.\n`) })
      expect(await runtime.render('good-1')).toBe(`Edit ${edit}.\n`)
    }
  })

  it('answers a call by what was written before it, whatever other calls are in progress', async () => {
    const { dir, runtime } = await opened(goodSkills(3))
    for (let ticks = 0; ticks < times(15, 40); ticks++) {
      const name = `added-${ticks}`
      const early = runtime.findTool(name)
      for (let tick = 0; tick < ticks; tick++) await null
      writeTree(dir, { [`group/${name}/SKILL.md`]: skill(name) })
      expect((await runtime.findTool(name))?.name).toBe(name)
      expect(await early.then(tool => tool?.name ?? name)).toBe(name)
    }
  })

  it('keeps the tools of files that did not change', async () => {
    const pair = { 'pair.skill.md': `${skill('first')}\n${skill('good-0', 'Shadowed.\n')}` }
    const { dir, runtime } = await opened({ ...goodSkills(3), ...pair, 'broken/SKILL.md': '---\nbroken' })
    const before = await runtime.listTools()
    writeTree(dir, {
      'group/added/SKILL.md': skill('added'),
      'good-1/SKILL.md': skill('good-1', 'Edited.\n'),
    })
    const after = new Map((await runtime.listTools()).map(tool => [tool.name, tool]))
    expect([...after.keys()]).toEqual(['added', 'first', 'good-0', 'good-1', 'good-2'])
    for (const tool of before) expect(after.get(tool.name) === tool).toBe(tool.name !== 'good-1')
    rmSync(join(dir, 'group'), { recursive: true })
    expect((await runtime.listTools()).map(({ name }) => name)).toEqual(before.map(({ name }) => name))
    expect(await runtime.findTool('first')).toBe(before[0])
  })

  it('lets a deeper addition come before a later entry once everything was looked at', async () => {
    const { dir, runtime } = await opened({ 'group/old/SKILL.md': skill('old') })
    const later = makeTree({ 'twice/SKILL.md': skill('twice') })
    const both = createRuntime({ paths: [dir, later], freshness: 'check', library: false })
    expect((await both.findTool('twice'))?.origin.entry).toBe(later)
    writeTree(dir, { 'group/twice/SKILL.md': skill('twice') })
    expect((await both.findTool('twice'))?.origin.entry).toBe(later)
    await both.listTools()
    expect((await both.findTool('twice'))?.origin.entry).toBe(dir)
    expect((await runtime.findTool('twice'))?.origin.entry).toBe(dir)
  })

  it('in a turn, keeps what was found, what was not, and what was listed', async () => {
    const { dir, runtime } = await opened(goodSkills(3))
    await runtime.listTools()
    writeTree(dir, { 'good-0/inner/SKILL.md': skill('inner') })
    await runtime.turn(async () => {
      expect((await runtime.findTool('good-1'))?.name).toBe('good-1')
      rmSync(join(dir, 'good-1'), { recursive: true })
      expect(await runtime.findTool('added')).toBeNull()
      writeTree(dir, { 'added/SKILL.md': skill('added') })
      expect((await runtime.findTool('good-1'))?.name).toBe('good-1')
      expect(await runtime.findTool('added')).toBeNull()
      const listed = await runtime.listTools()
      expect(listed.map(({ name }) => name)).toContain('inner')
      writeTree(dir, { 'more/SKILL.md': skill('more') })
      expect(await runtime.listTools()).toEqual(listed)
    })
    expect((await runtime.listTools()).map(({ name }) => name)).toEqual([
      'added',
      'good-0',
      'good-2',
      'inner',
      'more',
    ])
  })
})

const LINKED = join(makeTree({ 'added/SKILL.md': skill('added') }), 'added')

describe('a name that an index lacks', () => {
  const TREE: Tree = {
    'group/old/SKILL.md': skill('old'),
    'group/notes.md': 'Notes.\n',
    'empty/.keep': '',
    'text.skill.md': skill('text'),
  }
  type Freshness = 'check' | 'trust'
  const opened = async (freshness: Freshness, change: (dir: string) => void, more: Tree = {}) => {
    const dir = makeTree({ ...TREE, ...more })
    await compile({ paths: [dir] })
    change(dir)
    return createRuntime({ paths: [dir], freshness, library: false })
  }
  const CODE = `export const frontmatter = { name: 'added', description: 'x' }\nexport default () => 1\n`

  /** What is added, and whether its name leads to it, so that it is found under `trust` too. */
  const ADDED: [what: string, tree: Tree, isNamedSo: boolean, name?: string][] = [
    ['a folder beside others', { 'group/added/SKILL.md': skill('added') }, true],
    ['a folder at the top', { 'added/SKILL.md': skill('added') }, true],
    ['a single file', { 'group/added.skill.md': skill('added') }, true],
    ['a code file', { 'group/added.skill.mjs': CODE }, true],
    ['a link to a skill', { 'group/added': { link: LINKED } }, true],
    ['a skill deeper down', { 'group/deep/added/SKILL.md': skill('added') }, false],
    ['a skill in a folder without any', { 'empty/added/SKILL.md': skill('added') }, false],
    ['one in other letters', { 'group/added/skill.md': skill('added') }, false],
    ['a file of another name', { 'group/x.skill.mjs': CODE }, false],
    ['another skill in a file', { 'text.skill.md': `${skill('text')}\n${skill('added')}` }, false],
    ['a plugin', { 'group/.claude-plugin/plugin.json': '{ "name": "added" }' }, false, 'added:old'],
  ]

  it.each(oneIn(3, ADDED))('check finds and lists %s', async (_, tree, __, name = 'added') => {
    const runtime = await opened('check', dir => writeTree(dir, tree))
    expect((await runtime.findTool(name))?.name).toBe(name)
    const other = createRuntime({ paths: runtime.globals.config.paths, freshness: 'check' })
    expect((await other.listTools()).map(tool => tool.name)).toContain(name)
  })

  it.each(oneIn(3, ADDED))(
    'trust looks for %s where its name leads',
    async (_, tree, isNamedSo, name = 'added') => {
      const runtime = await opened('trust', dir => writeTree(dir, tree))
      expect((await runtime.findTool(name))?.name).toBe(isNamedSo ? name : undefined)
      expect(runtime.stats().parser).toBe(isNamedSo ? 'loaded' : 'unused')
    },
  )

  it('trust finds none that the ignore patterns leave out', async () => {
    const dir = makeTree({ ...TREE, 'drafts/older/SKILL.md': skill('older') })
    const paths = [{ ignore: 'drafts/new*' }, dir]
    await compile({ paths })
    writeTree(dir, { 'drafts/newer/SKILL.md': skill('newer'), 'drafts/better/SKILL.md': skill('better') })
    const runtime = createRuntime({ paths, freshness: 'trust' })
    expect(await runtime.findTool('newer')).toBeNull()
    expect((await runtime.findTool('better'))?.origin.file).toBe('drafts/better/SKILL.md')
  })

  it('trust finds one of a namespace by both of its names', async () => {
    const dir = makeTree({ 'acme/deploy/SKILL.md': skill('deploy') })
    const paths = [{ dir, namespace: 'folder' }]
    await compile({ paths })
    writeTree(dir, { 'acme/added/SKILL.md': skill('added') })
    for (const name of ['added', 'acme:added']) {
      const runtime = createRuntime({ paths, freshness: 'trust' })
      expect((await runtime.findTool(name))?.name).toBe('acme:added')
    }
  })

  it('trust looks at 1,000 places, and says so where there are more', async () => {
    const names = Array.from({ length: 170 }, (_, number) => `g${String(number).padStart(3, '0')}`)
    const dir = makeTree(
      Object.fromEntries(names.map(name => [`${name}/in-${name}/SKILL.md`, skill(`in-${name}`)])),
    )
    await compile({ paths: [dir] })
    writeTree(dir, { 'g000/added/SKILL.md': skill('added'), 'g169/late/SKILL.md': skill('late') })
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    expect((await runtime.findTool('added'))?.name).toBe('added')
    expect(await runtime.findTool('late')).toBeNull()
    expect(runtime.diagnostics().map(({ rule, file }) => [rule, file])).toEqual([
      ['search-cut', join(dir, '.agent-apps.json')],
    ])
  })

  it('check finds the one that a skill of its name hid until it went', async () => {
    const hidden = { 'group/x.skill.md': skill('twice'), 'group/y.skill.md': skill('twice', 'The other.\n') }
    const runtime = await opened('check', dir => rmSync(join(dir, 'group/x.skill.md')), hidden)
    expect(await runtime.render('twice')).toBe('The other.\n')
  })

  it('check finds one where a skill around it is gone', async () => {
    const inner = { 'group/old/assets/inner/SKILL.md': skill('added') }
    const runtime = await opened('check', dir => rmSync(join(dir, 'group/old/SKILL.md')), inner)
    expect((await runtime.findTool('added'))?.name).toBe('added')
  })

  it.each(['check', 'trust'] as const)('%s reads no files where only others came', async freshness => {
    const runtime = await opened(freshness, dir =>
      writeTree(dir, { 'group/old/more.md': 'x', 'group/.gitignore': 'x', 'group/new/readme.md': 'x' }),
    )
    expect(await runtime.findTool('added')).toBeNull()
    expect(runtime.stats().parser).toBe('unused')
    expect((await runtime.findTool('old'))?.origin.via).toBe('index')
  })
})

it('check: a directory that came after it was looked for is searched', async () => {
  const cwd = makeTree({ 'other.txt': '' })
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness: 'check' })
  expect(await runtime.findTool('added')).toBeNull()
  writeTree(cwd, { 'skills/added/SKILL.md': skill('added') })
  expect((await runtime.findTool('added'))?.origin.via).toBe('disk')
  expect(await ownTools(runtime)).toHaveLength(1)
})

it('trust, from disk: `clearToolCache` has a name looked for in the files again', async () => {
  const dir = makeTree(goodSkills(2))
  const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
  expect(await runtime.findTool('added')).toBeNull()
  writeTree(dir, { 'group/added/SKILL.md': skill('added') })
  expect(await runtime.findTool('added')).toBeNull()
  clearToolCache('added', runtime.globals)
  expect((await runtime.findTool('added'))?.name).toBe('added')
})

describe('trust', () => {
  it('looks at no file to resolve', async () => {
    const { dir, runtime } = await start('trust')
    rmSync(join(dir, 'good-1'), { recursive: true })
    expect((await runtime.findTool('good-1'))?.origin.via).toBe('index')
    await expect(runtime.render('good-1')).rejects.toMatchObject({
      code: 'INDEX_STALE',
      file: join(dir, 'good-1/SKILL.md'),
    })
  })

  it.each([
    ['longer', skill('good-1', 'A much longer text than it was compiled with.\n')],
    ['shorter', skill('good-1', '.\n')],
    ['with more frontmatter', skill('good-1', 'Do good-1.\n', 'license: MIT\n')],
  ])('never cuts a file wrongly that became %s', async (_, text) => {
    const { dir, runtime } = await start('trust')
    const tool = await runtime.findTool('good-1')
    writeTree(dir, { 'good-1/SKILL.md': text })
    expect(await tool?.content?.()).toBe(text.slice(text.indexOf('---\n', 4) + 4))
    expect(runtime.diagnostics().map(({ rule, file }) => [rule, file])).toEqual([
      ['index-stale', join(dir, 'good-1/SKILL.md')],
    ])
    expect(await runtime.render('good-1')).toBe(await tool?.content?.())
    expect(runtime.diagnostics()).toHaveLength(1)
  })

  const GUARDED = [
    'metadata: {gated: true}',
    'metadata: {visibility: hidden}',
    'metadata: {enabled: false}',
    'metadata: {permissions: {required: [write]}}',
    'metadata: {trust: {rules: "good-2"}}',
    'metadata: {approval-key: "all"}',
    'metadata: {role: middleware}',
    'allowed-tools: good-2',
  ]

  it.each(oneIn(3, GUARDED))('serves no new text under the old guards, where %s was added', async guard => {
    const { dir, runtime } = await start('trust')
    const tool = await runtime.findTool('good-1')
    writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'A new text.\n', `${guard}\n`) })
    const stale = { code: 'INDEX_STALE', message: expect.stringContaining('guards of "good-1" changed') }
    await expect(tool?.content?.()).rejects.toMatchObject(stale)
    await expect(runtime.forAgent({ sessionId: 's' }).open('good-1')).rejects.toMatchObject(stale)
  })

  it.each(oneIn(3, GUARDED))('serves a new text that keeps its guard %s', async guard => {
    const guarded = (text: string): Tree => ({ 'good-1/SKILL.md': skill('good-1', text, `${guard}\n`) })
    const dir = makeTree(guarded('Old.\n'))
    await compile({ paths: [dir] })
    const tool = await createRuntime({ paths: [dir], freshness: 'trust' }).findTool('good-1')
    writeTree(dir, guarded('A new text.\n'))
    expect(await tool?.content?.()).toBe('A new text.\n')
  })

  it('in a turn, serves no new text under the old guards', async () => {
    const { dir, runtime } = await start('check')
    await runtime.turn(async () => {
      await runtime.listTools()
      const gated = skill('good-1', 'A new text.\n', 'metadata: {gated: true}\n')
      writeTree(dir, { 'good-1/SKILL.md': gated })
      await expect(runtime.render('good-1')).rejects.toMatchObject({ code: 'INDEX_STALE' })
    })
    expect(await runtime.render('good-1')).toBe('A new text.\n')
  })

  it('says so where the file no longer holds the tool', async () => {
    const { dir, runtime } = await start('trust')
    writeTree(dir, { 'good-1/SKILL.md': skill('another-name') })
    await expect(runtime.render('good-1')).rejects.toMatchObject({ code: 'INDEX_STALE', tool: 'good-1' })
    writeTree(dir, { 'good-2/SKILL.md': '---\nbroken' })
    await expect(runtime.render('good-2')).rejects.toMatchObject({ code: 'INDEX_STALE', tool: 'good-2' })
  })

  it('survives that a recompile removed the shards it knew', { tags: 'long' }, async () => {
    const { dir, runtime } = await start('trust', 300)
    const early = await runtime.findTool('good-0')
    expect(early).not.toBeNull()
    const before = shards(dir)
    for (let index = 0; index < 300; index++)
      writeTree(dir, { [`good-${index}/SKILL.md`]: skill(`good-${index}`, `New ${index}.\n`) })
    await compile({ paths: [dir] })
    expect(shards(dir).filter(name => before.includes(name))).toEqual([])
    for (let index = 0; index < 300; index++) {
      const tool = await runtime.findTool(`good-${index}`)
      expect(tool?.origin.via).toBe('index')
      expect(await tool?.content?.()).toBe(`New ${index}.\n`)
      expect((await runtime.describe(`good-${index}`)).verbatim.name).toBe(`good-${index}`)
    }
    expect(runtime.diagnostics().map(({ rule }) => rule)).not.toContain('index-refused')
  })

  it('gives details of a tool whose shard went since it was found', async () => {
    const { dir, runtime } = await start('trust', 300)
    const resources = (await runtime.describe('good-1')).resources
    expect(resources.map(({ path }) => path)).toEqual(['notes.txt'])
    const other = createRuntime({ paths: [dir], freshness: 'trust' })
    await other.findTool('good-1')
    for (const name of shards(dir)) rmSync(join(dir, '.agent-apps', name))
    expect((await other.describe('good-1')).resources).toEqual(resources)
    expect((await other.describe('good-2')).verbatim.name).toBe('good-2')
  })

  const shards = (dir: string): string[] =>
    readdirSync(join(dir, '.agent-apps')).filter(name => name.startsWith('index-'))
})

it('compiling sees an edit that kept size and time, by what else changed', async () => {
  const dir = makeTree(goodSkills(3))
  const file = join(dir, 'good-1/SKILL.md')
  const old = new Date(Date.now() - 100_000)
  utimesSync(file, old, old)
  await compile({ paths: [dir] })
  writeTree(dir, { 'good-1/SKILL.md': skill('good-1', 'Be good-1.\n') })
  utimesSync(file, old, old)
  expect(statSync(file).mtimeMs).toBeCloseTo(old.getTime(), 0)
  await compile({ paths: [dir] })
  const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
  expect(await runtime.render('good-1')).toBe('Be good-1.\n')
})
