import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type CompileBundleOptions, compile, compileBundle } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { some } from '../support/long.js'
import { skill, type Tree } from '../support/tree.js'

const TREE: Tree = {
  'agent-apps.config.json': '{ "paths": ["./skills"] }',
  'skills/review/SKILL.md': skill('review', 'See :include[refs/style.md].\n'),
  'skills/review/refs/style.md': 'the style',
  'skills/count.skill.ts': [
    "import { readFileSync } from 'node:fs'",
    "import { unit } from '../lib/unit.js'",
    "export const frontmatter = { name: 'count', description: 'Counts.' }",
    "export default () => unit + readFileSync(new URL('../lib/words.txt', import.meta.url), 'utf8')",
    '',
  ].join('\n'),
  'lib/unit.js': "export const unit = 'words'\n",
  'lib/words.txt': 'one two',
}

describe('compileBundle', () => {
  it.each(some([[{ minify: true, sourcemap: true, keep: ['count'] }], [{}]]))(
    'gives what `compile` writes, and names what it looks at before anything is written: %j',
    async options => {
      const { root } = codeProject(TREE)
      const wasWritten = new Map<string, boolean>()
      const path = (named: string): void =>
        void wasWritten.set(named, existsSync(join(root, 'skills/.agent-apps.json')))
      const looks = { path, directory() {} }
      const { bundle, counts, written } = await compileBundle({ cwd: root, looks, ...options })
      // What code imports, and what contents include.
      expect(wasWritten.get(join(root, 'lib/unit.js'))).toBe(false)
      expect(wasWritten.get(join(root, 'skills/review/refs/style.md'))).toBe(false)
      expect(counts.found).toBe(2)
      expect(written).toContain('skills/.agent-apps.json')
      expect(readdirSync(root)).not.toContain('dist')
      await compile({ cwd: root, bundle: 'dist/agent-apps.mjs', ...options })
      const there = readdirSync(join(root, 'dist'), { recursive: true, encoding: 'utf8' })
        .filter(path => statSync(join(root, 'dist', path)).isFile() && !path.endsWith('bundle.json'))
        .sort()
      expect([...bundle.files.keys()].sort()).toEqual(there)
      expect(there).toContain(bundle.entry)
      for (const [path, contents] of bundle.files)
        expect(readFileSync(join(root, 'dist', path)).equals(contents), path).toBe(true)
      expect([...bundle.assets]).toEqual([
        [expect.stringMatching(/^agent-apps-chunks\/asset-.*\.txt$/), join(root, 'lib/words.txt')],
      ])
      for (const path of bundle.assets.keys()) expect(bundle.files.has(path)).toBe(true)
    },
  )

  it('names where it looks, also where that fails', { tags: 'long' }, async () => {
    const { root } = codeProject(TREE)
    const looked = async (options: CompileBundleOptions = {}): Promise<Set<string>> => {
      const paths = new Set<string>()
      const looks = { path: (path: string) => paths.add(path), directory: (path: string) => paths.add(path) }
      await compileBundle({ cwd: root, looks, ...options }).catch(() => {})
      return paths
    }
    const first = await looked()
    for (const path of ['agent-apps.config.json', 'skills', 'skills/review', 'lib/unit.js', 'lib/words.txt'])
      expect(first).toContain(join(root, path))
    // A compile with nothing to do looks at the same.
    expect(await looked()).toEqual(first)
    expect(await looked({ paths: ['none'] })).toEqual(new Set([join(root, 'none')]))
  })

  it('names a file that code reads before it looks there', { tags: 'long' }, async () => {
    const { root } = codeProject(TREE)
    const words = join(root, 'lib/words.txt')
    const thereWhenNamed: boolean[] = []
    const path = (named: string): void => {
      if (named !== words) return
      thereWhenNamed.push(existsSync(words))
      if (!existsSync(words)) writeFileSync(words, 'three')
    }
    unlinkSync(words)
    const { bundle } = await compileBundle({ cwd: root, looks: { path, directory() {} } })
    expect(thereWhenNamed[0]).toBe(false)
    expect([...bundle.assets.values()]).toEqual([words])
  })

  it('names the file that a link leads to, too', { tags: 'long' }, async () => {
    const { root } = codeProject({ ...TREE, 'lib/real.txt': 'three' })
    unlinkSync(join(root, 'lib/words.txt'))
    symlinkSync('real.txt', join(root, 'lib/words.txt'))
    const paths = new Set<string>()
    const path = (named: string): void => void paths.add(named)
    await compileBundle({ cwd: root, looks: { path, directory() {} } })
    expect(paths).toContain(join(root, 'lib/words.txt'))
    expect(paths).toContain(join(root, 'lib/real.txt'))
  })

  it('a file that has no path is none that a bundle has', { tags: 'long' }, async () => {
    const { root } = codeProject({
      'skills/odd.skill.js':
        "export const frontmatter = { name: 'odd', description: 'Is odd.' }\nexport default () => new URL('./a%2Fb.txt', import.meta.url)\n",
    })
    await expect(compileBundle({ cwd: root, paths: ['skills'] })).rejects.toMatchObject({
      code: 'BUNDLE_CODE',
    })
  })

  it('says how long bundling took, and nothing of what it does not do', { tags: 'long' }, async () => {
    const { root } = codeProject(TREE)
    const result = await compileBundle({ cwd: root })
    expect(result.timings.bundle).toBeGreaterThan(0)
    for (const key of ['bundled', 'outdated', 'stale']) expect(result).not.toHaveProperty(key)
  })

  it('bundles nothing where it was aborted meanwhile', async () => {
    const { root } = codeProject(TREE)
    const index = join(root, 'skills/.agent-apps.json')
    const signal = {
      get aborted() {
        return existsSync(index)
      },
    } as AbortSignal
    await expect(compileBundle({ cwd: root, signal, types: 'tools.d.ts' })).rejects.toMatchObject({
      code: 'COMPILE_ABORTED',
    })
    expect(existsSync(index)).toBe(true)
    expect(existsSync(join(root, 'tools.d.ts'))).toBe(false)
  })

  it('takes the options of `compile` that are about what it gives', async () => {
    const { root } = codeProject(TREE)
    for (const wrong of [{ bundle: 'x.mjs' }, { check: true }, { types: 1 }, { looks: 'x' }, { kep: ['a'] }])
      await expect(compileBundle({ cwd: root, ...wrong } as CompileBundleOptions)).rejects.toMatchObject({
        code: 'OPTIONS_INVALID',
      })
  })
})

describe('its declarations', () => {
  const types = 'src/agent-apps.d.ts'

  it('are written where they changed', { tags: 'long' }, async () => {
    const { root } = codeProject(TREE)
    const file = join(root, types)
    await compileBundle({ cwd: root, types })
    expect(readFileSync(file, 'utf8')).toMatch(
      /^\/\/ Made by agent-apps\..*\n\/\/\/ <reference types="agent-/,
    )
    expect(readFileSync(file, 'utf8')).toContain(
      '"count": { args: Record<string, never> | undefined; result: unknown }',
    )
    const { mtimeMs } = statSync(file)
    await compileBundle({ cwd: root, types })
    expect(statSync(file).mtimeMs).toBe(mtimeMs)
    writeFileSync(join(root, 'skills/more.skill.md'), skill('more'))
    await compileBundle({ cwd: root, types })
    expect(readFileSync(file, 'utf8')).toContain('"more": {')
  })

  it('replace no file of somebody else’s, and become no part of what is compiled', {
    tags: 'long',
  }, async () => {
    const { root } = codeProject({ ...TREE, [types]: 'export {}\n' })
    const written = (to: string) => compileBundle({ cwd: root, types: to })
    await expect(written(types)).rejects.toMatchObject({
      code: 'BUNDLE_PLACE',
      message: expect.stringMatching(/^No declarations can be written: .* is there already/),
    })
    expect(readFileSync(join(root, types), 'utf8')).toBe('export {}\n')
    await expect(written('skills/agent-apps.d.ts')).rejects.toMatchObject({
      code: 'BUNDLE_PLACE',
      message: expect.stringMatching(/^No declarations can be written: .* lies in /),
    })
    await expect(written('src/agent-apps.ts')).rejects.toMatchObject({ code: 'OPTIONS_INVALID' })
    await expect(written('lib/words.txt/agent-apps.d.ts')).rejects.toMatchObject({
      code: 'BUNDLE_NOT_WRITABLE',
    })
    // The first ones were refused before anything was compiled.
    expect(readdirSync(join(root, 'src'))).toEqual(['agent-apps.d.ts'])
  })
})
