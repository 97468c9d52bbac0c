import { appendFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type CompileOptions, clean, compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { sealedText } from '../support/sealed-text.js'
import { goodSkills, skill, snapshot, type Tree, writeTree } from '../support/tree.js'

const TREE: Tree = {
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`skills/s${at}/SKILL.md`, skill(`s${at}`)])),
  'skills/words.skill.ts': `import { readFileSync } from 'node:fs'
import { AgentAppsError } from 'agent-apps'
import { more } from '../lib/more.js'
export const frontmatter = { name: 'words', description: 'Gives words.' }
export default () => [AgentAppsError.name, more, readFileSync(new URL('./words.txt', import.meta.url), 'utf8')].join(' ')
`,
  'skills/count.skill.ts':
    "export const frontmatter = { name: 'count', description: 'Counts.' }\nexport default () => 1\n",
  'skills/words.txt': 'words',
  'lib/more.js': 'export const more = 1\n',
}

/** A project that was bundled, and a way to bundle it again. */
async function bundledOnce(tree = TREE, options: Partial<CompileOptions> = {}) {
  const { root } = codeProject(tree)
  const bundle = (more: Partial<CompileOptions> = {}) =>
    compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs', ...options, ...more })
  const first = await bundle()
  return { root, bundle, first }
}

/** The names of the files written, chunks without their digests. */
const namesOf = ({ bundled }: { bundled: string[] }): string[] =>
  bundled.map(file =>
    file.replace(/^dist\/(?:agent-chunks\/)?/, '').replace(/(?:-[0-9A-Z]{8,16})+(?=\.mjs)/, ''),
  )

describe('a bundle after a change', () => {
  it.each<[string, Tree, string[]]>([
    [
      'of a content',
      { 'skills/s5/SKILL.md': skill('s5', 'Do otherwise.\n') },
      ['content.mjs', 'table.mjs', 'bundle.json', 'agent.mjs'],
    ],
    [
      'of a description',
      { 'skills/s5/SKILL.md': skill('s5').replace('What s5', 'That s5') },
      ['agent.d.mts', 'agent.mjs'],
    ],
    [
      'of code',
      {
        'skills/count.skill.ts':
          "export const frontmatter = { name: 'count', description: 'Counts.' }\nexport default () => 2\n",
      },
      ['module.mjs', 'bundle.json', 'agent.mjs'],
    ],
  ])('%s writes few files', async (_, change, written) => {
    const { root, bundle, first } = await bundledOnce()
    expect(first.bundled.length).toBeGreaterThan(60)
    writeTree(root, change)
    expect(namesOf(await bundle()).sort()).toEqual(written.sort())
    const whole = snapshot(join(root, 'dist'))
    rmSync(join(root, 'dist'), { recursive: true })
    await bundle()
    expect(snapshot(join(root, 'dist'))).toEqual(whole)
  })

  it('is seen by a process that has the one before, where it imports the entry once more', async () => {
    const { root, bundle } = await bundledOnce()
    const load = async (times: number) =>
      (await import(`${pathToFileURL(join(root, 'dist/agent.mjs')).href}?${times}`)).runtime
    expect(await (await load(1)).invoke('s5')).toBe('Do s5.\n')
    writeTree(root, {
      'skills/s5/SKILL.md': skill('s5', 'Do otherwise.\n'),
      'skills/new.skill.md': skill('new'),
    })
    await bundle()
    const second = await load(2)
    expect([await second.invoke('s5'), await second.invoke('new')]).toEqual(['Do otherwise.\n', 'Do new.\n'])
  })
})

describe('a bundle that would be the same', () => {
  it('is not made again', async () => {
    const { root } = codeProject({ 'skills/a/SKILL.md': skill('a') })
    writeTree(join(root, 'theirs'), goodSkills(300))
    await compile({ cwd: root, paths: ['theirs'] })
    const paths = ['skills', { dir: 'theirs', external: true }]
    const bundle = (more: Partial<CompileOptions> = {}) =>
      compile({ cwd: root, paths, bundle: 'dist/agent.mjs', ...more })
    await bundle()
    const before = snapshot(join(root, 'dist'), { times: true })
    expect((await bundle({ force: true })).bundled).toEqual([])
    // Of an index that is split nobody who does not make a bundle reads more than the header.
    const folder = join(root, 'theirs/.agent-apps')
    for (const name of readdirSync(folder))
      if (name.startsWith('index-')) appendFileSync(join(folder, name), ' ')
    expect((await bundle()).bundled).toEqual([])
    expect((await bundle({ check: true })).outdated).toEqual([])
    expect(snapshot(join(root, 'dist'), { times: true })).toEqual(before)
    await expect(bundle({ force: true })).rejects.toMatchObject({ code: 'BUNDLE_UNCOMPILED' })
  })

  it('is made of a cache that may be lost, and that `clean` removes', async () => {
    const { root, bundle } = await bundledOnce()
    const folder = join(root, 'skills/.agent-apps')
    for (const text of ['{', 'null', '{"key":1}', sealedText('null'), sealedText('{"key":1}')]) {
      writeFileSync(join(folder, 'cache-bundle.json'), text)
      expect((await bundle()).bundled).toEqual([])
    }
    await clean({ cwd: root, paths: ['skills'] })
    expect(readdirSync(join(root, 'skills'))).not.toContain('.agent-apps')
  })

  it.each<[string, (cache: Record<string, unknown>) => void]>([
    ['other files', cache => Object.assign(cache, { files: [] })],
    ['files that are none', cache => Object.assign(cache, { files: [null] })],
    ['a path that none can be', cache => Object.assign(cache, { files: [['/a\0b', null, '']] })],
    ['no looks', cache => Reflect.deleteProperty(cache, 'looks')],
    ['nothing said', cache => Object.assign(cache, { diagnostics: [null] })],
  ])('is known by a cache as it was written alone, not by one with %s', async (_, edit) => {
    const { root, bundle } = await bundledOnce()
    const file = join(root, 'skills/.agent-apps/cache-bundle.json')
    const [seal, ...rest] = readFileSync(file, 'utf8').split('\n')
    const cache = JSON.parse(rest.join('\n'))
    edit(cache)
    writeFileSync(file, `${seal}\n${JSON.stringify(cache)}`)
    const entry = join(root, 'dist/agent.mjs')
    const text = readFileSync(entry, 'utf8')
    writeFileSync(entry, `${text.split('\n')[0]}\nthrow new Error('another')\n`)
    expect((await bundle({ check: true })).outdated).toEqual(['dist/agent.mjs'])
    expect((await bundle()).bundled).toEqual(['dist/agent.mjs'])
    expect(readFileSync(entry, 'utf8')).toBe(text)
  })

  it('is not taken for it by a cache that did not look at it', async () => {
    const { root, bundle } = await bundledOnce()
    const file = join(root, 'skills/.agent-apps/cache-bundle.json')
    const cache = JSON.parse(readFileSync(file, 'utf8').slice(65))
    const entry = join(root, 'dist/agent.mjs')
    rmSync(join(root, 'dist'), { recursive: true })
    for (const files of [[], [[entry, null, '']]]) {
      writeFileSync(file, sealedText(JSON.stringify({ ...cache, files })))
      expect((await bundle({ check: true })).outdated).toContain('dist/agent.mjs')
    }
  })

  it.each<[string, (root: string) => void]>([
    ['a file of it is gone', root => rmSync(join(root, 'dist/agent.d.mts'))],
    ['its list is gone', root => rmSync(join(root, 'dist/agent-chunks/bundle.json'))],
    [
      'a file of it was changed, to as many bytes, at once',
      root => {
        const file = join(root, 'dist/agent.d.mts')
        writeFileSync(file, readFileSync(file, 'utf8').replace('"s5"', '"s_"'))
      },
    ],
    ['a file changed that code reads', root => writeFileSync(join(root, 'skills/words.txt'), 'other')],
    ['code changed elsewhere', root => writeFileSync(join(root, 'lib/more.js'), 'export const more = 2\n')],
  ])('is not taken for it where %s', async (_, change) => {
    const { root, bundle } = await bundledOnce()
    change(root)
    expect((await bundle({ check: true })).outdated).not.toEqual([])
    expect((await bundle()).bundled).not.toEqual([])
    expect((await bundle({ check: true })).outdated).toEqual([])
    expect((await bundle()).bundled).toEqual([])
  })

  it.each<[string, Partial<CompileOptions>]>([
    ['keep', { keep: ['s1'] }],
    ['minify', { minify: true }],
    ['sourcemap', { sourcemap: true }],
    ['another name', { bundle: 'other/agent.mjs' }],
  ])('is not taken for one of other options: %s', async (_, options) => {
    const { bundle } = await bundledOnce()
    expect((await bundle(options)).bundled).not.toEqual([])
    expect((await bundle(options)).bundled).toEqual([])
  })

  it('is not taken for it where others’ files changed under their index', async () => {
    const { root } = codeProject({
      'skills/a/SKILL.md': skill('a'),
      'theirs/b/SKILL.md': skill('b', 'One.\n'),
    })
    await compile({ cwd: root, paths: ['theirs'] })
    const paths = ['skills', { dir: 'theirs', external: true }]
    const bundle = () => compile({ cwd: root, paths, bundle: 'dist/agent.mjs' })
    await bundle()
    writeFileSync(join(root, 'theirs/b/SKILL.md'), skill('b', 'Two.\n'))
    expect((await bundle()).bundled).not.toEqual([])
  })
})
