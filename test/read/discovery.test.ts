import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { createRuntime, findAuthority, pathEntryDir } from 'agent-apps'
import { check, compile, loadConfig, verify } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { expectAsWritten } from '../support/expected.js'
import { isLong, oneIn, some } from '../support/long.js'
import { repositories, type Sample } from '../support/sample.js'
import { temporary } from '../support/temporary.js'
import { type Tree, writeTree } from '../support/tree.js'

/**
 * Each folder `samples/discovery/<layout>/` is a layout of repositories: `repository/`, and `expected.json`, what
 * is found in it. `UPDATE=1` writes the expected file anew; read the diff.
 */
describe('repositories', () => {
  it.each(
    oneIn(
      3,
      repositories().map(sample => [sample.id, sample] as const),
    ),
  )('%s', async (_, sample) => {
    expectAsWritten(sample.folder, await outcome(sample))
  })
})

async function outcome(sample: Sample): Promise<unknown> {
  const cwd = copyOf(sample)
  const { files, diagnostics } = await check({ cwd })
  const error = await compile({ cwd }).then(
    () => null,
    ({ code, message, hint }) => `${code} ${message.replaceAll(cwd, '…')} ${hint}`,
  )
  const { paths } = await loadConfig({ cwd, trusted: true })
  const [entry] = paths
  const index = join(typeof entry === 'string' ? entry : cwd, '.agent-apps.json')
  return {
    files: files.map(({ file, outcome }) => `${file} ${outcome}`).sort(),
    diagnostics: diagnostics.map(
      ({ file, line, column, ruleId, severity, reason, note }) =>
        `${file}:${line}:${column} ${ruleId} ${severity}: ${reason}. ${note}`,
    ),
    ...(error === null ? headerOf(index) : { error }),
  }
}

/** What an index says of the units of its directory. */
function headerOf(index: string): object {
  const { units, plugins, manifests, listed } = JSON.parse(readFileSync(index, 'utf8'))
  return { units, plugins, manifests: manifests?.map(({ path }: { path: string }) => path), listed }
}

function copyOf({ folder }: Sample): string {
  // A name that a plugin may have.
  const cwd = join(temporary(), 'repository')
  cpSync(join(folder, 'repository'), cwd, { recursive: true })
  return cwd
}

const DUMP = fileURLToPath(new URL('../support/dump-tools.mjs', import.meta.url))
/** Layouts that a compile takes for what they are. */
const COMPILED = repositories().filter(({ id }) => !['guessed', 'unreadable'].includes(id))

interface Dump {
  tools: unknown[]
  vias: string[]
}

describe('a repository is the same from its files, its index and a bundle:', () => {
  const samples = some(COMPILED)
  const dumps = new Map<string, Record<'files' | 'checked' | 'trusted' | 'bundled', Dump>>()

  beforeAll(async () => {
    const laidOut = await Promise.all(
      samples.map(async sample => {
        const cwd = copyOf(sample)
        const { paths } = await loadConfig({ cwd, trusted: true })
        return { cwd, paths }
      }),
    )
    const files = dumped(laidOut.map(one => ({ ...one, freshness: 'check' })))
    const bundles: object[] = []
    for (const { cwd } of laidOut) {
      const bundle = join(temporary(), 'agent.mjs')
      await compile({ cwd, bundle })
      bundles.push({ bundle: pathToFileURL(bundle).href })
    }
    const compiled = (freshness: string) => laidOut.map(one => ({ ...one, freshness }))
    const all = dumped([...compiled('check'), ...compiled('trust'), ...bundles])
    const count = laidOut.length
    const [checked, trusted, bundled] = [0, 1, 2].map(way => all.slice(way * count, (way + 1) * count)) as [
      Dump[],
      Dump[],
      Dump[],
    ]
    for (const [number, { id }] of samples.entries()) {
      dumps.set(id, {
        files: files[number] as Dump,
        checked: checked[number] as Dump,
        trusted: trusted[number] as Dump,
        bundled: bundled[number] as Dump,
      })
    }
  })

  it.each(
    oneIn(
      3,
      samples.map(({ id }) => id),
    ),
  )('%s', id => {
    const { files, checked, trusted, bundled } = dumps.get(id) ?? expect.fail('it was not read')
    expect([files.vias, checked.vias, trusted.vias, bundled.vias]).toEqual([
      ['disk'],
      ['index'],
      ['index'],
      ['bundle'],
    ])
    expect(files.tools.length).toBeGreaterThan(0)
    expect(checked.tools).toEqual(files.tools)
    expect(trusted.tools).toEqual(files.tools)
    expect(bundled.tools).toEqual(files.tools)
  })
})

/** What the runtimes of some jobs list, each a runtime of its own, in a process that has read nothing before. */
function dumped(jobs: readonly object[]): Dump[] {
  const { stdout, stderr } = spawnSync(process.execPath, [DUMP], {
    input: JSON.stringify(jobs.map(job => ({ names: [], ...job }))),
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  expect(stderr).toBe('')
  const answers: { listed: Record<string, unknown>[]; vias: string[] }[] = JSON.parse(stdout)
  return answers.map(({ listed, vias }) => ({
    vias,
    tools: listed.map(({ name, origin, content, resources, bytes }) => {
      const { file } = origin as { file: string }
      return { name, file, content, resources, bytes }
    }),
  }))
}

function skill(name: string, text = ''): string {
  return `---\nname: ${name}\ndescription: Does ${name}.\n---\n${text}`
}

function repository(tree: Tree): string {
  const cwd = temporary()
  writeTree(cwd, tree)
  return cwd
}

async function filesIn(cwd: string): Promise<string[]> {
  return (await check({ cwd })).files.map(({ file }) => file).sort()
}

async function rulesIn(cwd: string): Promise<string[]> {
  return (await check({ cwd })).diagnostics.map(({ file, line, ruleId }) => `${file}:${line} ${ruleId}`)
}

describe('conventional places', () => {
  const places = [
    ...['skills', '.agents/skills', '.claude/skills', '.github/skills', '.codex/skills', '.opencode/skills'],
    ...['.cursor/skills', '.gemini/skills', '.cline/skills', '.codebuddy/skills', '.commandcode/skills'],
    ...['.continue/skills', '.factory/skills', '.goose/skills', '.grok/skills', '.iflow/skills'],
    ...['.junie/skills', '.kilo/skills', '.kilocode/skills', '.kimchi/skills', '.kiro/skills'],
    ...['.minimax/skills', '.mux/skills', '.neovate/skills', '.openhands/skills', '.pi/skills'],
    ...['.posit/assistant/skills', '.qoder/skills', '.roo/skills', '.trae/skills', '.windsurf/skills'],
    ...['.zcode/skills', '.zencoder/skills'],
  ]

  it('are all searched', async () => {
    const skills = places.map((place, at) => [`${place}/skill-${at}/SKILL.md`, skill(`skill-${at}`)])
    const cwd = repository(Object.fromEntries(skills))
    expect(await filesIn(cwd)).toEqual(skills.map(([file]) => file).sort())
  })

  it.each(some(places, 3))('alone: %s', async directory => {
    const cwd = repository({
      [`${directory}/one/SKILL.md`]: skill('one'),
      'other/deep/two/SKILL.md': skill('two'),
    })
    // `npx skills` knows all but these two, and finds the other one beside them.
    const isOurs = /^\.(?:cursor|gemini)\//.test(directory)
    const others = isOurs ? ['other/deep/two/SKILL.md'] : []
    expect(await filesIn(cwd)).toEqual([`${directory}/one/SKILL.md`, ...others])
    expect((await compile({ cwd })).files.map(({ file }) => file)).toEqual([`${directory}/one/SKILL.md`])
  })

  it('a collection that is a link is one with what it leads to', async () => {
    const cwd = repository({ 'skills/one/SKILL.md': skill('one') })
    mkdirSync(join(cwd, '.claude'))
    symlinkSync('../skills', join(cwd, '.claude/skills'))
    expect(await filesIn(cwd)).toEqual(['skills/one/SKILL.md'])
    expect(await rulesIn(cwd)).toEqual([])
  })

  it('a collection elsewhere is read through a link', async () => {
    const team = repository({ 'one/SKILL.md': skill('one') })
    const cwd = repository({ 'README.md': '' })
    mkdirSync(join(cwd, '.claude'))
    symlinkSync(team, join(cwd, '.claude/skills'))
    expect(await filesIn(cwd)).toEqual(['.claude/skills/one/SKILL.md'])
  })

  it('a repository that is a skill has no other skills among its resources', async () => {
    const cwd = copyOf(COMPILED.find(({ id }) => id === 'root-skill') as Sample)
    const runtime = createRuntime({ cwd, paths: [{ dir: '.', discover: true }], library: false })
    const resources = async (name: string): Promise<string[]> =>
      (await runtime.describe(name)).resources.map(({ path }) => path)
    expect(await resources('whole')).toEqual(['docs/page.md', 'references/guide.md'])
    expect(await resources('part')).toEqual(['notes.md'])
  })
})

describe('an index of a repository', () => {
  const tree = {
    '.claude-plugin/marketplace.json': JSON.stringify({
      plugins: [{ name: 'acme', source: './plugins/acme' }],
    }),
    'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    'skills/own/SKILL.md': skill('own'),
  }

  it('is up to date beside a new folder, and out of date after an edit of a manifest', async () => {
    const cwd = repository(tree)
    await compile({ cwd })
    writeTree(cwd, { 'dist/index.js': '', 'docs/page.md': '' })
    expect((await compile({ cwd, check: true })).outdated).toEqual([])
    const file = join(cwd, '.claude-plugin/marketplace.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"acme"', '"beta"'))
    expect((await compile({ cwd, check: true })).outdated).not.toEqual([])
    await compile({ cwd })
    expect((await compile({ cwd, check: true })).outdated).toEqual([])
  })

  it('is put aside where a manifest was edited, and files are looked at', async () => {
    const cwd = repository(tree)
    await compile({ cwd })
    const open = (freshness: 'check' | 'trust') =>
      createRuntime({ cwd, paths: [{ dir: '.', discover: true }], freshness, library: false })
    const runtime = open('check')
    expect((await runtime.findTool('acme:deploy'))?.origin.via).toBe('index')
    const file = join(cwd, '.claude-plugin/marketplace.json')
    writeFileSync(file, `${readFileSync(file, 'utf8').replace('"acme"', '"betas"')} `)
    expect(await runtime.findTool('acme:deploy')).toBeNull()
    expect((await runtime.findTool('betas:deploy'))?.origin.via).toBe('disk')
    expect(runtime.diagnostics().map(({ rule }) => rule)).toEqual(['index-refused'])
    expect((await open('trust').findTool('acme:deploy'))?.origin.via).toBe('index')
  })

  it('misses what was added to a unit, and what became one', async () => {
    const cwd = repository(tree)
    await compile({ cwd })
    const runtime = createRuntime({ cwd, paths: [{ dir: '.', discover: true }], library: false })
    expect(await runtime.findTool('more')).toBeNull()
    writeTree(cwd, { 'plugins/acme/skills/more/SKILL.md': skill('more') })
    expect((await runtime.findTool('acme:more'))?.origin.via).toBe('disk')
    writeTree(cwd, { '.agents/skills/late/SKILL.md': skill('late') })
    expect((await runtime.findTool('late'))?.origin.via).toBe('disk')
    expect((await runtime.listTools()).map(({ name }) => name).sort()).toEqual([
      'acme:deploy',
      'acme:more',
      'late',
      'own',
    ])
  })

  it('is verified with its manifests', async () => {
    const cwd = repository(tree)
    await compile({ cwd })
    expect((await verify({ cwd })).deviations).toEqual([])
    writeFileSync(join(cwd, '.claude-plugin/marketplace.json'), '{}')
    expect((await verify({ cwd })).deviations.map(({ file }) => file)).toEqual([
      '.claude-plugin/marketplace.json',
    ])
  })

  it('has the units that were there before a manifest was added', async () => {
    const cwd = repository(tree)
    const units = async (): Promise<unknown[]> => {
      await compile({ cwd })
      return JSON.parse(readFileSync(join(cwd, '.agent-apps.json'), 'utf8')).units
    }
    const before = await units()
    writeTree(cwd, {
      '.codex-plugin/marketplace.json': JSON.stringify({
        plugins: [
          { name: 'acme', source: './plugins/other' },
          { name: 'beta', source: './plugins/beta' },
        ],
      }),
      'plugins/beta/skills/test/SKILL.md': skill('test'),
    })
    const after = await units()
    expect(after).toEqual(expect.arrayContaining(before))
    expect(after).toHaveLength(before.length + 1)
  })
})

describe('a manifest that is added changes no unit that was there', () => {
  /** For another plugin, wherever its manifest lies and its folder. */
  const added = (place: string, existing: readonly string[] = [], base = ''): Tree => ({
    [`${base}${place}`]: JSON.stringify({
      plugins: [
        // Manifests before it say what these are.
        ...existing.map(name => ({ name, source: './added' })),
        { name: 'added-plugin', source: './added' },
      ],
    }),
    [`${base}added/skills/added-skill/SKILL.md`]: skill('added-skill'),
  })

  it.each(some(COMPILED, 2).map(sample => [sample.id, sample] as const))('%s', async (id, sample) => {
    const found = async (cwd: string) => {
      const { paths } = await loadConfig({ cwd, trusted: true })
      const { skills, directories } = await compile({ cwd })
      expect(directories.length, id).toBeGreaterThan(0)
      const dir = pathEntryDir(paths[0] ?? cwd)
      return { ...JSON.parse(readFileSync(join(dir, '.agent-apps.json'), 'utf8')), skills }
    }
    const before = await found(copyOf(sample))
    const known = (before.plugins ?? []).map(({ name }: { name: string }) => name)
    const isPlain = (await loadConfig({ cwd: copyOf(sample), trusted: true })).file !== null
    const additions = isPlain
      ? [added('.plugin/marketplace.json', [], 'vendor/aaa/')]
      : [
          added('.plugin/marketplace.json'),
          added('.github/plugin/marketplace.json'),
          added('.cursor-plugin/marketplace.json', known),
        ]
    for (const tree of additions) {
      const cwd = copyOf(sample)
      const isNew = (path: string): boolean => !existsSync(join(cwd, path))
      if (!Object.keys(tree).every(isNew)) continue
      writeTree(cwd, tree)
      const after = await found(cwd)
      const others = (all: { path: string; namespace?: string; name?: string }[] = []) =>
        all.filter(({ namespace, name }) => namespace !== 'added-plugin' && name !== 'added-plugin')
      expect(others(after.units)).toEqual(before.units ?? [])
      expect(others(after.plugins)).toEqual(before.plugins ?? [])
      const own = after.skills.filter(({ name }: { name: string }) => !name.includes('added-skill'))
      expect(own).toEqual(before.skills)
    }
  })
})

describe('a unit', () => {
  it('bounds what its contents include', async () => {
    const include = (path: string): string => `:include[${path}]\n`
    const cwd = repository({
      '.claude-plugin/marketplace.json': JSON.stringify({
        plugins: [{ name: 'acme', source: './plugins/acme' }],
      }),
      'plugins/acme/shared.md': 'Shared.',
      'plugins/acme/skills/inside/SKILL.md': skill('inside', include('../../shared.md')),
      'plugins/acme/skills/outside/SKILL.md': skill('outside', include('../../../../skills/own/notes.md')),
      'skills/own/SKILL.md': skill('own', include('notes.md')),
      'skills/own/notes.md': 'Notes.',
    })
    const render = async (freshness: 'check' | 'trust') => {
      const runtime = createRuntime({ cwd, paths: [{ dir: '.', discover: true }], freshness })
      expect(await runtime.render('acme:inside')).toBe('Shared.\n')
      expect(await runtime.render('own')).toBe('Notes.\n')
      await expect(runtime.render('acme:outside')).rejects.toThrow('it lies outside of the skills’ directory')
    }
    await render('check')
    const { diagnostics } = await compile({ cwd })
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
      'plugins/acme/skills/outside/SKILL.md directive-failed',
    ])
    await render('trust')
  })

  it('bounds its main skills', async () => {
    const main = `---\nname: over-all\ndescription: Main.\nmetadata:\n  role: main\n---\n`
    const cwd = repository({
      'skills/SKILL.md': main,
      'skills/own/SKILL.md': skill('own'),
      '.agents/skills/other/SKILL.md': skill('other'),
    })
    const authorities = async (freshness: 'check' | 'trust') => {
      const runtime = createRuntime({ cwd, paths: [{ dir: '.', discover: true }], freshness, library: false })
      return Promise.all(
        ['own', 'other'].map(async name => {
          const tool = await runtime.findTool(name)
          return tool && (await findAuthority(tool, runtime.globals))?.name
        }),
      )
    }
    expect(await authorities('check')).toEqual(['over-all', undefined])
    await compile({ cwd })
    expect(await authorities('trust')).toEqual(['over-all', undefined])
  })
})

describe('a source of a marketplace with a `pluginRoot`', () => {
  const folders = (...paths: string[]): Tree =>
    Object.fromEntries(paths.map(path => [`${path}/skills/deploy/SKILL.md`, skill('deploy')]))

  it.each(
    oneIn(3, [
      // Both folders are there: the way in which it is written decides.
      ['./plugins/acme', ['plugins/acme', 'plugins/plugins/acme'], 'plugins/acme', []],
      ['plugins/acme', ['plugins/acme', 'plugins/plugins/acme'], 'plugins/plugins/acme', []],
      ['acme', ['acme', 'plugins/acme'], 'plugins/acme', []],
      ['./acme', ['acme', 'plugins/acme'], 'acme', []],
      ['.\\acme', ['acme', 'plugins/acme'], 'acme', []],
      [{ source: 'local', path: './acme' }, ['acme', 'plugins/acme'], 'acme', []],
      // One of them is.
      ['plugins/acme', ['plugins/acme'], 'plugins/acme', ['plugin-path-meant']],
      ['./acme', ['plugins/acme'], 'plugins/acme', ['plugin-path-meant']],
      ['../acme', ['acme'], 'acme', ['plugin-path-meant']],
      ['acme', ['acme'], 'acme', ['plugin-path-meant']],
      // Neither is.
      ['./acme', [], null, ['plugin-path-missing']],
      ['../../acme', [], null, ['manifest-escapes']],
    ] as const),
  )('%j beside %j leads to %j', async (source, there, expected, rules) => {
    const cwd = repository({
      '.claude-plugin/marketplace.json': JSON.stringify({
        metadata: { pluginRoot: './plugins' },
        plugins: [{ name: 'acme', source }],
      }),
      ...folders(...there),
      'plugins/README.md': '',
    })
    const { files, skills, diagnostics } = await check({ cwd })
    expect(files.map(({ file }) => file)).toEqual(expected ? [`${expected}/skills/deploy/SKILL.md`] : [])
    expect(skills.map(({ name }) => name)).toEqual(expected ? ['acme:deploy'] : [])
    expect(diagnostics.map(({ ruleId }) => ruleId).filter(rule => rule !== 'skills-elsewhere')).toEqual(rules)
  })
})

describe('a manifest that cannot be read', () => {
  const main = '---\nname: over-all\ndescription: Main.\nmetadata:\n  role: main\n---\n'

  describe.each([
    ['is not JSON', '{'],
    ['is not an object', '[]'],
    ['has no name', '{ "description": "Tools." }'],
    ['is too large', `{ "name": "other", "padding": "${'x'.repeat(2 ** 20)}" }`],
  ])('because it %s', (_, manifest) => {
    it.each([
      [
        'of the directory that is named',
        { 'acme/.claude-plugin/plugin.json': manifest },
        [undefined, ['./acme'], ['.'], ['./ac*']],
      ],
      [
        'of a folder in it',
        { 'skills/acme/.claude-plugin/plugin.json': manifest },
        [undefined, ['./skills'], ['.']],
      ],
      ['of a repository', { '.claude-plugin/plugin.json': manifest }, [undefined, ['.']]],
    ] as const)('leaves the skills %s their folder’s namespace', async (at, tree, ways) => {
      const base = at === 'of a folder in it' ? 'skills/acme/' : at === 'of a repository' ? '' : 'acme/'
      const cwd = join(temporary(), 'acme')
      writeTree(cwd, {
        [`${base}skills/deploy/SKILL.md`]: skill('deploy'),
        [`${base}more/rollback/SKILL.md`]: skill('rollback'),
        ...tree,
      })
      for (const paths of ways) {
        const { skills, diagnostics } = await check({ cwd, ...(paths && { paths: [...paths] }) })
        expect(skills.map(({ name }) => name).sort(), String(paths)).toEqual(['acme:deploy', 'acme:rollback'])
        expect(diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
          { ruleId: 'manifest-invalid' },
        ])
      }
    })
  })

  it('stands in for no wall: main skills around the folder do not count in it', async () => {
    const cwd = repository({
      'skills/SKILL.md': main,
      'skills/acme/.claude-plugin/plugin.json': '{',
      'skills/acme/deploy/SKILL.md': skill('deploy'),
      'skills/own/SKILL.md': skill('own'),
    })
    for (const paths of [[{ dir: '.', discover: true }], ['skills']]) {
      const runtime = createRuntime({ cwd, paths, library: false })
      const authorities = async (): Promise<unknown[]> =>
        Promise.all(
          ['own', 'acme:deploy'].map(async name => {
            const tool = await runtime.findTool(name)
            return tool && ((await findAuthority(tool, runtime.globals))?.name ?? 'none')
          }),
        )
      expect(await authorities()).toEqual(['over-all', 'none'])
      await compile({ cwd, paths })
      expect(await authorities()).toEqual(['over-all', 'none'])
    }
  })

  it('of a marketplace leaves the plugins in it that say themselves what they are', async () => {
    const cwd = repository({
      'vendor/.claude-plugin/marketplace.json': '{ "plugins": ',
      'vendor/plugins/beta/.claude-plugin/plugin.json': '{ "name": "betas" }',
      'vendor/plugins/beta/skills/test/SKILL.md': skill('test'),
      'vendor/plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    })
    for (const paths of [undefined, ['vendor'], ['.']]) {
      const { skills } = await check({ cwd, ...(paths && { paths }) })
      expect(skills.map(({ name }) => name).sort()).toEqual(['betas:test', 'vendor:deploy'])
    }
  })

  it.each(['npm', 'Bad Name', 'x'])(
    'in the folder "%s" loses its skills, which are counted',
    async folder => {
      const cwd = repository({
        [`skills/${folder}/.claude-plugin/plugin.json`]: '{',
        [`skills/${folder}/one/SKILL.md`]: skill('one'),
        [`skills/${folder}/two/SKILL.md`]: skill('two'),
        'skills/own/SKILL.md': skill('own'),
      })
      for (const paths of [undefined, ['skills']]) {
        const { skills, diagnostics } = await check({ cwd, ...(paths && { paths }) })
        expect(skills.map(({ name }) => name)).toEqual(['own'])
        expect(diagnostics).toMatchObject([
          {
            ruleId: 'manifest-invalid',
            reason: expect.stringContaining('; its 2 skills do not load, as the folder'),
          },
        ])
      }
    },
  )

  it.each(['aaa', 'zzz'])('takes no name from a plugin, wherever that comes: in %s', async folder => {
    const cwd = repository({
      'skills/mmm/.claude-plugin/plugin.json': '{',
      'skills/mmm/lost/SKILL.md': skill('lost'),
      [`skills/${folder}/.claude-plugin/plugin.json`]: '{ "name": "mmm" }',
      [`skills/${folder}/found/SKILL.md`]: skill('found'),
    })
    for (const paths of [undefined, ['skills']]) {
      const { skills, diagnostics } = await check({ cwd, ...(paths && { paths }) })
      expect(skills.map(({ name }) => name)).toEqual(['mmm:found'])
      expect(diagnostics).toMatchObject([
        { reason: expect.stringContaining('; its 1 skill does not load, as the folder') },
      ])
    }
  })

  it('puts the index aside once it is mended', async () => {
    const cwd = repository({
      'skills/acme/.claude-plugin/plugin.json': '{',
      'skills/acme/deploy/SKILL.md': skill('deploy'),
    })
    for (const paths of [[{ dir: '.', discover: true }], ['skills']]) {
      await compile({ cwd, paths })
      const open = () => createRuntime({ cwd, paths, freshness: 'check', library: false })
      expect((await open().findTool('acme:deploy'))?.origin.via).toBe('index')
      writeTree(cwd, { 'skills/acme/.claude-plugin/plugin.json': '{ "name": "betas" }' })
      expect((await open().findTool('betas:deploy'))?.origin.via).toBe('disk')
      writeTree(cwd, { 'skills/acme/.claude-plugin/plugin.json': '{' })
    }
  })
})

describe('globs in paths', () => {
  const tree = {
    'plugins/acme/.claude-plugin/plugin.json': '{ "name": "acme" }',
    'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    'plugins/bare/skills/free/SKILL.md': skill('free'),
    'plugins/file': '',
  }

  it('are the directories that they match, in order, each with its plugin', async () => {
    const cwd = repository({ ...tree, 'agent-apps.config.json': '{ "paths": ["./plugins/*/skills"] }' })
    expect((await loadConfig({ cwd, trusted: true })).paths).toEqual([
      { namespace: 'acme', dir: join(cwd, 'plugins/acme/skills') },
      { dir: join(cwd, 'plugins/bare/skills') },
    ])
    const { skills, directories } = await compile({ cwd })
    expect(directories).toEqual(['plugins/acme/skills', 'plugins/bare/skills'])
    expect(skills.map(({ name }) => name)).toEqual(['acme:deploy', 'free'])
  })

  it.each([
    ['has a name that is none', 'plugins/acme', '{\n "name": "npm" }', 'plugin-name', 2],
    ['is not JSON, in a folder whose name is none,', 'plugins/npm', '{', 'manifest-invalid', 1],
    ['has no name, in a folder whose name is none,', 'plugins/npm', '{}', 'manifest-invalid', 1],
  ])('leave out a plugin whose manifest %s and nothing else', async (_, folder, manifest, rule, line) => {
    const cwd = repository({
      'plugins/bare/skills/free/SKILL.md': skill('free'),
      [`${folder}/skills/deploy/SKILL.md`]: skill('deploy'),
      [`${folder}/.claude-plugin/plugin.json`]: manifest,
      'agent-apps.config.json': '{ "paths": ["./plugins/*/skills"] }',
    })
    for (const command of [check, compile, compile]) {
      const { skills, directories, diagnostics } = await command({ cwd })
      expect(directories).toEqual(['plugins/bare/skills'])
      expect(skills.map(({ name }) => name)).toEqual(['free'])
      expect(diagnostics).toMatchObject([
        { file: `${folder}/.claude-plugin/plugin.json`, line, ruleId: rule, severity: 'error' },
      ])
    }
    const { paths, faults } = await loadConfig({ cwd, trusted: true })
    expect(faults.map(({ file }) => file)).toEqual([join(cwd, folder, '.claude-plugin/plugin.json')])
    const runtime = createRuntime({ cwd, paths, library: false })
    expect((await runtime.listTools()).map(({ name }) => name)).toEqual(['free'])
    writeFileSync(join(cwd, folder, '.claude-plugin/plugin.json'), '{ "name": "acme" }')
    expect((await compile({ cwd })).skills.map(({ name }) => name).sort()).toEqual(['acme:deploy', 'free'])
  })

  it('leave nothing to check where every plugin has a fault, which is said', async () => {
    const cwd = repository({ ...tree, 'plugins/acme/.claude-plugin/plugin.json': '{ "name": "npm" }' })
    const { counts, diagnostics } = await check({ cwd, paths: ['plugins/a*/skills'] })
    expect(counts.files).toBe(0)
    expect(diagnostics.map(({ ruleId }) => ruleId)).toEqual(['plugin-name'])
  })

  it.each([
    ['./skils', '.', './skills'],
    ['./pluginz/acme/skils', '.', './plugins/acme/skills'],
    ['./skils', 'plugins/acme', './skills'],
    ['./other', '.', null],
  ])('misspelt as %s are named with their configuration', async (path, from, meant) => {
    const cwd = repository({
      'skills/own/SKILL.md': skill('own'),
      'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
      'agent-apps.config.json': JSON.stringify({ paths: [path] }),
    })
    const config = from === '.' ? 'agent-apps.config.json' : '../../agent-apps.config.json'
    const end = meant === null ? '.' : `; did you mean ${meant}?`
    await expect(check({ cwd: join(cwd, from) })).rejects.toMatchObject({
      code: 'DIRECTORY_NOT_FOUND',
      message: `There is no directory ${join(cwd, path)}, which \`paths\` of ${config} names${end}`,
    })
    await expect(check({ cwd, paths: [path] })).rejects.toMatchObject({
      message: `There is no directory ${join(cwd, path)}${end}`,
    })
  })

  it('are refused where nothing matches', async () => {
    const cwd = repository(tree)
    await expect(check({ cwd, paths: ['none/*/skills'] })).rejects.toMatchObject({
      code: 'DIRECTORY_NOT_FOUND',
    })
  })
})

describe('plugin folders of one name', () => {
  const plugin = (name: string): string => JSON.stringify({ name })
  const marketplace = JSON.stringify({ plugins: [{ name: 'acme', source: './plugins/acme' }] })
  const tree = {
    'a/.claude-plugin/plugin.json': plugin('acme'),
    'a/skills/old/SKILL.md': skill('old'),
    'a/more/older/SKILL.md': skill('older'),
    'b/.claude-plugin/plugin.json': plugin('beta'),
    'b/skills/test/SKILL.md': skill('test'),
    'team/.claude-plugin/marketplace.json': marketplace,
    'team/plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    'z/.claude-plugin/plugin.json': plugin('acme'),
    'z/skills/last/SKILL.md': skill('last'),
  }

  it('in a plain entry are those that a marketplace names', async () => {
    const cwd = repository(tree)
    const listed = async (): Promise<string[]> =>
      (await createRuntime({ cwd, paths: ['.'], library: false }).listTools()).map(({ name }) => name).sort()
    expect(await listed()).toEqual(['acme:deploy', 'beta:test'])
    const { skills, diagnostics } = await compile({ cwd, paths: ['.'] })
    expect(skills.map(({ name }) => name).sort()).toEqual(['acme:deploy', 'beta:test'])
    expect(diagnostics.map(({ file, ruleId }) => `${file} ${ruleId}`)).toEqual([
      'a/.claude-plugin/plugin.json plugin-duplicate',
      'z/.claude-plugin/plugin.json plugin-duplicate',
    ])
    expect(await listed()).toEqual(['acme:deploy', 'beta:test'])
  })

  it('in a plain entry are the first where no marketplace names one', async () => {
    const { 'team/.claude-plugin/marketplace.json': _, ...rest } = tree
    const cwd = repository(rest)
    expect((await check({ cwd, paths: ['.'] })).skills.map(({ name }) => name).sort()).toEqual([
      'acme:old',
      'acme:older',
      'beta:test',
      'deploy',
    ])
  })

  it('in a repository are those of its marketplace', async () => {
    const cwd = repository({
      ...tree,
      '.claude-plugin/marketplace.json': JSON.stringify({
        plugins: [
          { name: 'acme', source: './team/plugins/acme' },
          { name: 'acme', source: './a' },
        ],
      }),
    })
    expect((await check({ cwd })).skills.map(({ name }) => name)).toEqual(['acme:deploy'])
  })

  it('never load without their namespace where the manifest has a fault', async () => {
    const cwd = repository({
      ...tree,
      'b/.claude-plugin/plugin.json': plugin('npm'),
      'b/x/SKILL.md': skill('x'),
    })
    expect((await check({ cwd, paths: ['.'] })).skills.map(({ name }) => name)).toEqual(['acme:deploy'])
  })
})

describe('hostile manifests', () => {
  const marketplace = (plugins: unknown): Tree => ({
    '.claude-plugin/marketplace.json': JSON.stringify({ plugins }),
    'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
  })

  it('lead nowhere outside of the repository', async () => {
    const outside = repository({ 'skills/secret/SKILL.md': skill('secret') })
    const cwd = repository({
      ...marketplace([
        { name: 'up', source: '../..' },
        { name: 'absolute', source: outside },
        { name: 'linked', source: './linked' },
        { name: 'drive', source: 'c:/skills' },
        { name: 'lists', source: './plugins/acme', skills: ['../../../..', outside, './link'] },
      ]),
    })
    symlinkSync(outside, join(cwd, 'linked'))
    symlinkSync(outside, join(cwd, 'plugins/acme/link'))
    expect((await rulesIn(cwd)).map(rule => rule.replace(/:\d+/, ''))).toEqual(
      Array.from({ length: 7 }, () => '.claude-plugin/marketplace.json manifest-escapes'),
    )
    expect(await filesIn(cwd)).toEqual(['plugins/acme/skills/deploy/SKILL.md'])
  })

  it('of a plugin take no skills of others', async () => {
    const cwd = repository({
      ...marketplace([
        { name: 'acme', source: './plugins/acme' },
        { name: 'other', source: './plugins/other' },
      ]),
      'plugins/acme/.claude-plugin/plugin.json': JSON.stringify({
        name: 'acme',
        skills: ['../other/skills', '../../skills', './linked'],
      }),
      'plugins/acme/linked': { link: '../../skills' },
      'plugins/other/skills/ship/SKILL.md': skill('ship'),
      'skills/own/SKILL.md': skill('own'),
    })
    const escapes = 'plugins/acme/.claude-plugin/plugin.json manifest-escapes'
    expect((await rulesIn(cwd)).map(rule => rule.replace(/:\d+/, ''))).toEqual([escapes, escapes, escapes])
    const { skills } = await check({ cwd })
    expect(skills.map(({ name }) => name)).toEqual(['acme:deploy', 'other:ship', 'own'])
  })

  it.each(
    oneIn(2, [
      ['whose name is none', { name: 'Bad Name', source: './plugins/acme' }],
      ['without a name', { nam: 'other', source: './plugins/acme' }],
      ['whose name another plugin has', { name: 'acme', source: './plugins/acme' }],
      ['whose skills are of another type', { name: 'other', source: './plugins/acme', skills: [5] }],
      ['that lists the same skills', { name: 'npm', source: './plugins/acme', skills: ['./skills'] }],
      ['around it', { name: 'npm', source: './plugins' }],
    ]),
  )('close no folder of another plugin for an entry %s', async (_, faulty) => {
    const sound = { name: 'acme', source: './plugins/acme' }
    const isDuplicate = 'name' in faulty && faulty.name === 'acme'
    for (const plugins of [[sound, faulty], ...(isDuplicate ? [] : [[faulty, sound]])]) {
      const cwd = repository(marketplace(plugins))
      for (const paths of [undefined, ...(faulty.source === './plugins' ? [] : [['.']])]) {
        const { skills, diagnostics } = await check({ cwd, ...(paths && { paths }) })
        expect(skills.map(({ name }) => name)).toEqual(['acme:deploy'])
        expect(diagnostics).toHaveLength(1)
      }
    }
  })

  it('close what a faulty entry lists beside the skills of another in a folder that they share', async () => {
    const sound = { name: 'acme', source: './', skills: ['./skills/deploy'] }
    const faulty = { name: 'Bad Name', source: './' }
    for (const plugins of [
      [sound, faulty],
      [faulty, sound],
    ]) {
      const cwd = repository({
        '.claude-plugin/marketplace.json': JSON.stringify({ plugins }),
        'skills/deploy/SKILL.md': skill('deploy'),
        'skills/lost/SKILL.md': skill('lost'),
      })
      expect((await check({ cwd })).skills.map(({ name }) => name)).toEqual(['acme:deploy'])
    }
  })

  it('of one folder that all plugins share is read once', async () => {
    const count = isLong ? 10_000 : 500
    const plugins = Array.from({ length: count }, (_, at) => ({ name: `p-${at}`, source: './plugins/acme' }))
    const cwd = repository({
      ...marketplace(plugins),
      'plugins/acme/.claude-plugin/plugin.json': JSON.stringify({
        name: 'acme',
        skills: Array(1_000).fill('./skills'),
        padding: 'x'.repeat(900_000),
      }),
    })
    await compile({ cwd })
    const { manifests } = JSON.parse(readFileSync(join(cwd, '.agent-apps.json'), 'utf8'))
    expect(manifests.map(({ path }: { path: string }) => path)).toEqual([
      '.claude-plugin/marketplace.json',
      'plugins/acme/.claude-plugin/plugin.json',
    ])
  })

  it('that are links out of the repository are not read', async () => {
    const outside = repository({ 'marketplace.json': '{ "plugins": [] }' })
    const cwd = repository({ 'skills/own/SKILL.md': skill('own') })
    mkdirSync(join(cwd, '.claude-plugin'))
    symlinkSync(join(outside, 'marketplace.json'), join(cwd, '.claude-plugin/marketplace.json'))
    expect(await rulesIn(cwd)).toEqual(['.claude-plugin/marketplace.json:1 manifest-escapes'])
    expect(await filesIn(cwd)).toEqual([])
  })

  it('have own keys alone', async () => {
    const cwd = repository({
      '.claude-plugin/marketplace.json':
        '{ "__proto__": { "plugins": [] },\n"plugins": [{ "__proto__": { "name": "acme" }, "source": "./plugins/acme" }] }',
      'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    })
    expect(await rulesIn(cwd)).toEqual(['.claude-plugin/marketplace.json:2 manifest-invalid'])
    expect(await filesIn(cwd)).toEqual([])
  })

  it.each(
    oneIn(2, [
      ['too many plugins', { plugins: Array.from({ length: 10_001 }, (_, at) => ({ name: `p-${at}` })) }],
      [
        'too many paths',
        { plugins: [{ name: 'acme', source: './plugins/acme', skills: Array(1001).fill('./a') }] },
      ],
      ['too many bytes', { plugins: [], padding: 'x'.repeat(2 ** 20) }],
      ['no array', { plugins: { length: 3 } }],
      ['no objects', { plugins: [null, 5, ['acme']] }],
      ['paths of another type', { plugins: [{ name: 'acme', source: './plugins/acme', skills: [5] }] }],
      ['a root of another type', { metadata: { pluginRoot: 5 }, plugins: [] }],
    ]),
  )('are faulty: %s', async (_, manifest) => {
    const cwd = repository({
      '.claude-plugin/marketplace.json': JSON.stringify(manifest),
      'plugins/acme/skills/deploy/SKILL.md': skill('deploy'),
    })
    expect(new Set(await rulesIn(cwd))).toEqual(
      new Set(['.claude-plugin/marketplace.json:1 manifest-invalid']),
    )
    expect(await filesIn(cwd)).toEqual([])
  })

  it.runIf(isLong)('may be as large as the limits', async () => {
    const plugins = Array.from({ length: 10_000 }, (_, at) => ({ name: `p-${at}`, source: './plugins/acme' }))
    const cwd = repository(marketplace(plugins))
    const found = await rulesIn(cwd)
    expect(new Set(found)).toEqual(new Set(['.claude-plugin/marketplace.json:1 plugin-duplicate']))
    expect(found).toHaveLength(9_999)
    expect(await filesIn(cwd)).toEqual(['plugins/acme/skills/deploy/SKILL.md'])
  })

  it('nest as deep as they like', { tags: 'long' }, async () => {
    const cwd = repository({
      '.claude-plugin/marketplace.json': `${'['.repeat(300_000)}`,
      'skills/own/SKILL.md': skill('own'),
    })
    expect(await rulesIn(cwd)).toEqual(['.claude-plugin/marketplace.json:1 manifest-invalid'])
  })

  it('of plugins in plugins come to an end', async () => {
    const cwd = repository({
      ...marketplace([{ name: 'acme', source: './plugins/acme' }]),
      'plugins/acme/.claude-plugin/marketplace.json': JSON.stringify({
        plugins: [{ name: 'acme', source: './' }],
      }),
      'plugins/acme/.claude-plugin/plugin.json': JSON.stringify({ name: 'acme', skills: ['./again', './'] }),
    })
    symlinkSync('.', join(cwd, 'plugins/acme/again'))
    expect(await filesIn(cwd)).toEqual(['plugins/acme/skills/deploy/SKILL.md'])
  })
})
