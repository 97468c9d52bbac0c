import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentAppsOptions } from 'agent-apps/vite'
import { build, type InlineConfig, type Rollup } from 'vite'
import { beforeAll, describe, expect, it } from 'vitest'
import { isLong, some } from '../support/long.js'
import {
  exampleProject,
  PLACED,
  run,
  runAlone,
  saidByBundle,
  smallProject,
} from '../support/plugin-project.js'
import { built, config, failure } from '../support/vite-project.js'

describe('what Vite makes of virtual:agent-apps', () => {
  const input = ['app.js', 'placed.js']
  const PROGRAM = { input: 'app.js', output: { entryFileNames: 'app.js' } }
  const BUILDS: Record<string, InlineConfig['build']> = {
    'for a server': { ssr: true, rolldownOptions: { input } },
    'for a server, minified, with maps': {
      ssr: true,
      minify: true,
      sourcemap: true,
      rolldownOptions: { input },
    },
    'for a server, in folders': {
      ssr: true,
      assetsDir: 'static/files',
      rolldownOptions: {
        input,
        output: { entryFileNames: 'deep/er/[name].js', chunkFileNames: 'chunks/[name]-[hash].js' },
      },
    },
  }
  const builds = some(Object.entries(BUILDS))
  const said: Record<string, string[]> = {}
  const warned: string[] = []
  let expected: string

  beforeAll(async () => {
    const root = exampleProject()
    expected = await saidByBundle(root)
    for (const [number, [, options]] of builds.entries())
      await built(root, { outDir: `out-${number}`, ...options }, {}, warned)
    for (const name of ['skills', 'node_modules', 'answers.js', 'app.js'])
      rmSync(join(root, name), { recursive: true })
    for (const [number, [name]] of builds.entries())
      said[name] = ['app', 'placed'].map(program =>
        runAlone(root, `out-${number}`, `${name.endsWith('folders') ? 'deep/er/' : ''}${program}.js`),
      )
  })

  it.each(builds)('says what the bundle says, without the sources: %s', name => {
    expect(JSON.parse(expected)).toMatchObject({ moody: 'Yes?' })
    expect(said[name]).toEqual([expected, `${PLACED}\n`])
  })

  it('warns of nothing', () => {
    expect(warned).toEqual([])
  })

  it.runIf(isLong)(
    'for browsers, where no skill needs Node; a tool’s code is a chunk, loaded when it is called',
    async () => {
      const root = exampleProject(false)
      const warnings: string[] = []
      const options = { ssr: false, modulePreload: false, rolldownOptions: PROGRAM }
      const { output } = (await built(root, options, {}, warnings)) as Rollup.RolldownOutput
      const names = output.map(({ fileName }) => fileName)
      expect(names.filter(name => name.includes('/module-')).length).toBeGreaterThan(3)
      expect(names.filter(name => name.includes('/content-')).length).toBeGreaterThan(1)
      expect(warnings).toEqual([])
      expect(runAlone(root, 'out', 'app.js')).toBe(await saidByBundle(root))
    },
  )

  it.runIf(isLong)('has files that code reads, for browsers, too', async () => {
    const root = smallProject({
      'skills/placed.skill.js':
        "export const frontmatter = { name: 'placed', description: 'Names a file.' }\nexport default () => new URL('./words.txt', import.meta.url).pathname.split('/').slice(-3).join('/')\n",
      'skills/words.txt': 'words',
    })
    await built(root, { ssr: false, modulePreload: false, rolldownOptions: PROGRAM })
    const [, path = ''] = run(join(root, 'out'), 'app.js').match(/out\/(.*)/) ?? []
    expect(readFileSync(join(root, 'out', path), 'utf8')).toBe('words')
  })

  it.runIf(isLong)('packages that are external to the skills are the bundler’s', async () => {
    const root = smallProject({
      'skills/two.skill.js':
        "import { two } from 'two'\nexport const frontmatter = { name: 'two', description: 'Is two.' }\nexport default () => two\n",
      'node_modules/two/package.json': '{"name":"two","type":"module","exports":"./index.js"}',
      'node_modules/two/index.js': "export const two = 'Two.'\n",
    })
    const own = { paths: ['skills'], external: ['two'] }
    await build({ ...config(root, own), ssr: { noExternal: true }, build: { ssr: 'app.js', outDir: 'out' } })
    expect(runAlone(root, 'out', 'app.js')).toBe('one,two First.\nTwo.\n')
  })

  it('an unused build has nothing of it', async () => {
    const root = smallProject({ 'app.js': 'console.log(1)\n', 'skills/bad.skill.md': '---\nname: [\n---\n' })
    await built(root, {})
    expect(readdirSync(join(root, 'out'))).toEqual(['app.js'])
  })
})

const WARNED = '---\nname: two\ndescription: a: b: c\n---\nTwo.\n'

describe('what is wrong with a skill', () => {
  it('is an error of the build, with its place', async () => {
    const root = smallProject({
      'skills/bad.skill.ts': 'export const frontmatter = {\n  name: }\n',
      'skills/worse.skill.md': '---\nname: [\n---\n',
    })
    const { message, ...error } = await failure(built(root, {}))
    expect(error).toMatchObject({
      plugin: 'agent-apps',
      pluginCode: 'code-syntax',
      loc: { file: join(root, 'skills/bad.skill.ts'), line: 2, column: 8 },
    })
    expect(message).toMatch(
      /\(code-syntax\)\nCorrect the line\.\n\n.*skills\/worse\.skill\.md:2:\d+: .*\(yaml-syntax\)/,
    )
    expect(readdirSync(root)).not.toContain('out')
  })

  it.runIf(isLong)('is a warning where it is one, or an error if it shall be', async () => {
    const root = smallProject({ 'skills/two.skill.md': WARNED })
    const said: string[] = []
    await built(root, {}, {}, said)
    expect(said).toEqual([expect.stringMatching(/skills\/two\.skill\.md:3:14[\s\S]*\(colon-in-value\)/)])
    expect(await failure(built(root, {}, { strict: true }))).toMatchObject({ pluginCode: 'colon-in-value' })
  })

  it('is an error where nothing can be compiled', async () => {
    const root = smallProject()
    expect(await failure(built(root, {}, { paths: ['none'] }))).toMatchObject({
      pluginCode: 'DIRECTORY_NOT_FOUND',
    })
    expect(await failure(built(root, {}, { kep: [] } as AgentAppsOptions))).toMatchObject({
      pluginCode: 'OPTIONS_INVALID',
      message: expect.stringContaining('Did you mean `keep`?'),
    })
  })
})
