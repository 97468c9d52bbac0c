import { spawnSync } from 'node:child_process'
import { readdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type AgentAppsOptions, agentApps } from 'agent-apps/esbuild'
import { type BuildFailure, type BuildOptions, type BuildResult, build, type Plugin } from 'esbuild'
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
import { skill } from '../support/tree.js'

function built(root: string, options: BuildOptions, own: AgentAppsOptions = {}): Promise<BuildResult> {
  return build({
    absWorkingDir: root,
    entryPoints: ['app.js'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    outdir: 'out',
    logLevel: 'silent',
    plugins: [agentApps(own)],
    ...options,
  })
}

/** The text of a message that names a rule, or an error's code. */
const ofRule = (id: string): unknown => expect.stringMatching(new RegExp(`\\(${id}\\)$`))
/** What esbuild adds of itself. */
const BY_PLUGIN = { text: expect.stringContaining('"agent-apps"') }

const failure = (work: Promise<unknown>): Promise<BuildFailure> =>
  work.then(
    () => ({ errors: [] }) as unknown as BuildFailure,
    error => error,
  )

describe('what esbuild makes of virtual:agent-apps', () => {
  const FORMATS: Record<string, BuildOptions> = {
    'modules, split': { splitting: true },
    'one module': {},
    'what is the default for Node': { format: undefined as never, outExtension: { '.js': '.cjs' } },
    'modules, minified, with maps': { splitting: true, minify: true, sourcemap: true },
    CommonJS: { format: 'cjs', outExtension: { '.js': '.cjs' } },
    'modules in folders, split': {
      splitting: true,
      entryNames: 'deep/[name]',
      chunkNames: 'chunks/[name]-[hash]',
      assetNames: 'files/[name]-[hash]',
    },
  }
  const formats = some(Object.entries(FORMATS))
  const said: Record<string, string[]> = {}
  let expected: string
  let inScript: BuildFailure
  /** The chunks of the last of them. */
  let chunks: string[]

  beforeAll(async () => {
    const root = exampleProject()
    expected = await saidByBundle(root)
    inScript = await failure(built(root, { format: 'iife' }))
    for (const [number, [, options]] of formats.entries())
      await built(root, { entryPoints: ['app.js', 'placed.js'], outdir: `out-${number}`, ...options })
    for (const name of ['skills', 'node_modules', 'answers.js', 'app.js'])
      rmSync(join(root, name), { recursive: true })
    for (const [
      number,
      [name, { outExtension = { '.js': '.js' }, entryNames = '[name]' }],
    ] of formats.entries())
      said[name] = ['app', 'placed'].map(program =>
        runAlone(root, `out-${number}`, `${entryNames.replace('[name]', program)}${outExtension['.js']}`),
      )
    chunks = readdirSync(join(root, `out-${formats.length - 1}`, 'chunks'))
  })

  it.each(formats)('says what the bundle says, without the sources: %s', name => {
    expect(JSON.parse(expected)).toMatchObject({ moody: 'Yes?' })
    expect(said[name]).toEqual([expected, `${PLACED}\n`])
  })

  it('a tool’s code is a chunk, loaded when it is called', () => {
    expect(chunks.filter(name => name.startsWith('module-')).length).toBeGreaterThan(3)
    expect(chunks.filter(name => name.startsWith('content-')).length).toBeGreaterThan(1)
  })

  it.runIf(isLong)('for neutral hosts and browsers, where no skill needs Node', async () => {
    const portable = exampleProject(false)
    await built(portable, { splitting: true, platform: 'neutral' })
    expect(readdirSync(join(portable, 'out')).filter(name => name.startsWith('module-'))).not.toEqual([])
    await built(portable, { platform: 'browser', format: 'iife', outdir: 'script' })
    expect(run(join(portable, 'script'), 'app.js')).toBe(await saidByBundle(portable))
  })

  it('a file that code reads has no place in a script', () => {
    expect(inScript.errors).toMatchObject([
      { text: ofRule('BUNDLE_CODE'), notes: [{ text: expect.stringContaining("'esm'") }] },
    ])
  })

  it.runIf(isLong)('tells faults with the author’s file and line, where it has maps', async () => {
    const root = smallProject({
      'skills/one/SKILL.md': skill('one', 'metadata: {}\n', 'metadata: { delegate: ./fails.ts }\n'),
      'skills/one/fails.ts':
        'type Text = string\n\nexport default (text: Text) => {\n  throw new Error(`No ${text}`)\n}\n',
    })
    await built(root, { splitting: true, sourcemap: true })
    const out = join(root, 'out')
    const { stderr } = spawnSync(process.execPath, ['--enable-source-maps', 'app.js'], {
      cwd: out,
      encoding: 'utf8',
    })
    expect(stderr).toMatch(/skills\/one\/fails\.ts:4:/)
  })

  it.runIf(isLong)('packages that are external to the skills are the bundler’s', async () => {
    const root = smallProject({
      'skills/two.skill.js':
        "import { two } from 'two'\nexport const frontmatter = { name: 'two', description: 'Is two.' }\nexport default () => two\n",
      'node_modules/two/package.json': '{"name":"two","type":"module","exports":"./index.js"}',
      'node_modules/two/index.js': "export const two = 'Two.'\n",
    })
    await built(root, {}, { paths: ['skills'], external: ['two'] })
    expect(runAlone(root, 'out', 'app.js')).toBe('one,two First.\nTwo.\n')
  })
})

describe('options', () => {
  it.runIf(isLong)('are those of compile', async () => {
    const root = smallProject({
      'app/deep/skills/two.skill.md': skill('two'),
      'app/deep/skills/three.skill.md': skill('three'),
    })
    await built(root, {}, { cwd: 'app/deep', keep: ['t*o'], types: 'types/agent-apps.d.ts' })
    expect(runAlone(root, 'out', 'app.js')).toBe('two Do two.\n\n')
    expect(readdirSync(join(root, 'app/deep/types'))).toEqual(['agent-apps.d.ts'])
    // Nothing is configured: the one index is at the root of the repository.
    expect(readdirSync(join(root, 'app/deep'))).toContain('.agent-apps.json')
  })

  it('that are not known are said', async () => {
    const { errors } = await failure(built(smallProject(), {}, { kep: ['x'] } as AgentAppsOptions))
    expect(errors).toMatchObject([
      {
        text: ofRule('OPTIONS_INVALID'),
        pluginName: 'agent-apps',
        location: { file: 'said.js' },
        notes: [{ text: 'Did you mean `keep`?' }],
      },
    ])
  })
})

const WARNED = '---\nname: two\ndescription: é b: c\n---\nTwo.\n'

describe('what is wrong with a skill', () => {
  it('is an error of the build, with its place', async () => {
    const root = smallProject({ 'skills/bad.skill.ts': 'export const frontmatter = {\n  name: }\n' })
    const { errors } = await failure(built(root, {}))
    expect(errors).toMatchObject([
      {
        text: ofRule('code-syntax'),
        pluginName: 'agent-apps',
        location: { file: 'skills/bad.skill.ts', line: 2, column: 8, lineText: '  name: }' },
        notes: [{ text: 'Correct the line.' }, BY_PLUGIN],
      },
    ])
    expect(readdirSync(root)).not.toContain('out')
  })

  it.runIf(isLong)('is told, and not what follows from it for others', async () => {
    const root = smallProject({
      'skills/a/SKILL.md': skill('a', '', 'metadata: { guard: 1, $inherit: [guard] }\n'),
      'skills/guard.skill.md': skill('guard', '', 'metadata: {\n'),
    })
    expect((await failure(built(root, {}))).errors).toMatchObject([{ text: ofRule('yaml-syntax') }])
  })

  it('is a warning where it is one, or an error if it shall be', { tags: 'long' }, async () => {
    const root = smallProject({ 'skills/two.skill.md': WARNED })
    const { warnings } = await built(root, {})
    const place = { file: 'skills/two.skill.md', line: 3, column: 13 }
    expect(warnings).toMatchObject([{ text: ofRule('colon-in-value'), location: place }])
    expect(await failure(built(root, {}, { strict: true }))).toMatchObject({
      errors: [{ text: ofRule('colon-in-value'), location: place }],
      warnings: [],
    })
  })

  it('is placed by bytes, as esbuild counts', { tags: 'long' }, async () => {
    const root = smallProject({ 'skills/two.skill.md': skill('two', 'é :skill[nobody]\n') })
    const { errors } = await failure(built(root, {}))
    expect(errors).toMatchObject([{ location: { line: 5, column: 3, lineText: 'é :skill[nobody]' } }])
  })

  it('is an error where code cannot be followed, with its place', { tags: 'long' }, async () => {
    const root = smallProject({
      'skills/two.skill.ts':
        "export const frontmatter = { name: 'two', description: 'Is two.' }\nexport default () => import.meta.dirname\n",
    })
    expect(await failure(built(root, {}))).toMatchObject({
      errors: [{ text: ofRule('BUNDLE_CODE'), location: { file: 'skills/two.skill.ts', line: 2 } }],
    })
  })

  it('is an error where a configuration leads nowhere', async () => {
    const root = smallProject()
    symlinkSync('own.json', join(root, 'own.json'))
    expect(await failure(built(root, {}, { config: 'own.json' }))).toMatchObject({
      errors: [{ text: ofRule('CONFIG_NOT_FOUND') }],
    })
  })

  it('is an error where the bundle has no such file', async () => {
    const lost = (namespace: string): Promise<BuildFailure> => {
      const setup: Plugin['setup'] = ({ onResolve }) =>
        onResolve({ filter: /^\.\/said\.js$/ }, () => ({ path: 'lost.txt', namespace }))
      return failure(built(smallProject(), { plugins: [{ name: 'lost', setup }, agentApps()] }))
    }
    for (const namespace of ['agent-apps', 'agent-apps-files'])
      expect(await lost(namespace)).toMatchObject({ errors: [{ text: 'The bundle has no file lost.txt.' }] })
  })

  it('is an error where nothing can be compiled', async () => {
    const root = smallProject()
    expect(await failure(built(root, {}, { paths: ['none'] }))).toMatchObject({
      errors: [{ text: ofRule('DIRECTORY_NOT_FOUND') }],
    })
  })
})
