import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { check, compile, graph, loadConfig, type Message, verify } from 'agent-apps/compiler'
import { beforeEach, describe, expect, it } from 'vitest'
import { codeProject, shown } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { isLong, some } from '../support/long.js'
import { kept, temporary } from '../support/temporary.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

/** Where each piece of code writes down that it ran. */
const canary = join(kept(), 'ran.txt')
beforeEach(() => rmSync(canary, { force: true }))

/** A statement that says that its place ran. */
const sings = (place: string): string =>
  `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(canary)}, '${place}\\n')\n`
const ran = (): string[] =>
  existsSync(canary) ? [...new Set(readFileSync(canary, 'utf8').trim().split('\n'))].sort() : []

const code = (name: string, metadata: string, body = '() => 1', top = ''): string =>
  `${sings(`top of ${name}`)}${top}export const frontmatter = { name: '${name}', description: 'Does ${name}.', metadata: ${metadata} }
export default ${body}\n`

/** Code in every place that a project can have it in, but its configuration. */
const PLACES: Tree = {
  'package.json': '{}\n',
  'agent-apps.config.json': '{ "paths": ["./skills"] }\n',
  'skills/plain.skill.js': code('plain', '{}'),
  'skills/typed.skill.ts': `const loud: boolean = true\n${code('typed', '{}')}`,
  'skills/computed.skill.js': code(
    'computed',
    "{ params: { type: 'object', required: fields.slice() } }",
    '() => 1',
    "const fields = ['text']\n",
  ),
  'skills/defined.skill.js': `import { defineTool } from 'agent-apps'
export default defineTool('defined', () => {
  ${sings('a definition')}  return { description: 'Is defined.', execute: () => 1 }
})\n`,
  'skills/importing.skill.js': `import { size } from 'loud-package'\nimport './beside.js'\n${code('importing', '{ params: size }')}`,
  'skills/beside.js': sings('an imported file'),
  'node_modules/loud-package/package.json':
    '{ "name": "loud-package", "type": "module", "main": "index.js" }\n',
  'node_modules/loud-package/index.js': `${sings('a package')}export const size = {}\n`,
  'skills/delegating.skill.md': skill('delegating', 'D.\n', 'metadata:\n  delegate: ./delegate.js\n'),
  'skills/delegate.js': `${sings('a delegate')}export default () => 1\n`,
  'skills/inline.skill.md': skill(
    'inline',
    'I.\n',
    `metadata:\n  delegate: ${JSON.stringify(`inline://code,${sings('an inline delegate')};export default () => 1`)}\n`,
  ),
  'skills/shout.skill.js': code(
    'shout',
    "{ static: true, tags: ['meta-directive-inline'] }",
    `(_ctx, { arg }) => { ${sings('a static directive')}; return String(arg).toUpperCase() }`,
  ),
  'skills/include.skill.js': code(
    'include',
    "{ static: true, tags: ['meta-directive-inline'] }",
    `() => { ${sings('a directive of a name of the library')}; return '' }`,
  ),
  'skills/whisper.skill.js': code(
    'whisper',
    "{ tags: ['meta-directive-inline'] }",
    `() => { ${sings('a directive')}; return '' }`,
  ),
  'skills/static.skill.md': skill('static', ':shout[x]\n', 'metadata:\n  role: context\n'),
  'skills/including.skill.md': skill('including', ':include[a.md]\n', 'metadata:\n  role: context\n'),
  'skills/a.md': 'A.\n',
  'skills/dynamic.skill.md': skill('dynamic', ':whisper[x]\n', 'metadata:\n  role: context\n'),
  'skills/naming.skill.md': skill(
    'naming',
    `:skill[inline://base64,${btoa(`inline://code,${sings('named inline code')}export default () => 1`)}]\n`,
    'metadata:\n  role: context\n',
  ),
  'skills/heir.skill.md': skill(
    'heir',
    'H.\n',
    `metadata:\n  $inherit: ${JSON.stringify(`inline://code,${sings('inherited inline code')};export default () => 1`)}\n`,
  ),
  'skills/around.skill.js': code('around', "{ role: 'middleware' }", `(ctx) => { ${sings('a middleware')} }`),
  'skills/wrapped.skill.md': skill(
    'wrapped',
    'W.\n',
    'metadata:\n  around: true\n  computed: true\n  params: { type: object, required: [text] }\n',
  ),
}

const LOOKING = [
  ['check'],
  ['check', '--fix'],
  ['check', '--spec'],
  ['graph'],
  ['doctor'],
  ['init'],
  ['compile', '--check', '--verbose'],
  ['compile', '--check', '--force', '--bundle', 'dist/agent.mjs'],
  ['list', '--hidden', '--tokens'],
  ['catalog', '--location'],
  ...['computed', 'importing', 'delegating', 'shout', './skills/defined.skill.js'].map(name => [
    'describe',
    name,
  ]),
  ...['computed', 'inline', 'static', 'dynamic', 'wrapped', 'heir'].map(name => ['explain', name]),
  ['verify'],
  ['clean', '--dry-run'],
  ['--help'],
]

/** Those that differ most in what they read. The others are in `npm run test:long`. */
const SOME_LOOKING = [
  ['list', '--hidden', '--tokens'],
  ['describe', 'computed'],
  ['explain', 'wrapped'],
  ['compile', '--check', '--force', '--bundle', 'dist/agent.mjs'],
  ['verify'],
]

/** The project once it is compiled, which tests copy: compiling it starts seven processes. */
let compiledOnce: { root: string; ran: string[] } | undefined
async function compiledProject(): Promise<{ root: string; ran: string[] }> {
  if (compiledOnce === undefined) {
    const { root } = codeProject(PLACES)
    await agentApps(root, ['compile'])
    compiledOnce = { root, ran: ran() }
    rmSync(canary)
  }
  const root = join(temporary(), 'copied')
  cpSync(compiledOnce.root, root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
  return { root, ran: compiledOnce.ran }
}

/** The commands of all these that ran something, each with what. */
async function ranBy(cwd: string, commands: string[][]): Promise<Record<string, string[]>> {
  const guilty: Record<string, string[]> = {}
  for (const args of commands) {
    await agentApps(cwd, args)
    if (ran().length > 0) guilty[args.join(' ')] = ran()
    rmSync(canary, { force: true })
  }
  return guilty
}

describe('a project that was never compiled', () => {
  it('has its code run by no command but those that are asked to', { tags: 'long' }, async () => {
    const { root } = codeProject(PLACES)
    expect(await ranBy(root, isLong ? LOOKING : SOME_LOOKING)).toEqual({})
    // So that the places are known to be such.
    await agentApps(root, ['run', 'plain'])
    expect(ran()).toEqual(['top of plain'])
    expect((await compiledProject()).ran).toEqual(
      [
        'a definition',
        'a directive of a name of the library',
        'a package',
        'a static directive',
        'an imported file',
        ...['computed', 'importing', 'include', 'plain', 'shout', 'typed', 'whisper', 'around'].map(
          name => `top of ${name}`,
        ),
      ].sort(),
    )
  })

  it('is told of as not evaluated', async () => {
    const { root: cwd } = codeProject(PLACES)
    const told = ({ diagnostics }: { diagnostics: Message[] }): string[] =>
      diagnostics.filter(({ reason }) => reason.includes('not evaluated')).map(shown)
    const directives = ['including.skill.md:7:1', 'static.skill.md:7:1']
    const notEvaluated = (places: string[]): string[] =>
      places.sort().map(place => `skills/${place} not-evaluated info`)
    const checked = told(await check({ cwd }))
    expect(checked.filter(one => one.includes('metadata-dynamic')).map(one => one.split(':')[0])).toEqual(
      ['computed', 'defined', 'importing'].map(name => `skills/${name}.skill.js`),
    )
    expect(checked.filter(one => one.includes('not-evaluated'))).toEqual(notEvaluated(directives))
    const graphed: Message[] = []
    await graph({ cwd, onDiagnostic: message => graphed.push(message) })
    expect(graphed.map(shown)).toEqual(notEvaluated(directives))
    const code = ['around', 'computed', 'defined', 'importing', 'include', 'plain', 'shout', 'whisper']
    const compared = await compile({ cwd, check: true })
    expect(told(compared).filter(one => one.includes('not-evaluated'))).toEqual(
      notEvaluated([...directives, 'typed.skill.ts:1:1', ...code.map(name => `${name}.skill.js:1:1`)]),
    )
    expect(compared.outdated).toContain('skills/.agent-apps.json')
    const runtime = createRuntime({ cwd, paths: ['skills'], evaluate: false })
    await runtime.listTools()
    expect(runtime.diagnostics().map(({ rule, file }) => `${rule} ${basename(file)}`)).toEqual(
      ['computed', 'defined', 'importing'].map(name => `not-evaluated ${name}.skill.js`),
    )
    expect((await runtime.describe('computed')).tool.frontmatter.params).toEqual({ type: 'object' })
    for (const name of ['plain', 'delegating', 'inline'])
      await expect(runtime.invoke(name)).rejects.toMatchObject({ code: 'NOT_EVALUATED', tool: name })
    await expect(runtime.findTool('inline://code,export default 1')).rejects.toMatchObject({
      code: 'NOT_EVALUATED',
    })
    expect(ran()).toEqual([])
  })

  it('is told of by the commands', async () => {
    const { root } = codeProject(PLACES)
    const said = async (...args: string[]): Promise<string> => {
      const { stdout, stderr } = await agentApps(root, args)
      return stdout + stderr
    }
    expect(await said('list')).toContain('skills/computed.skill.js:1:1 info What the code of "computed" says')
    expect(await said('describe', 'computed')).toContain('says when it is run is not evaluated')
    expect(await said('catalog')).toContain('left out the content of dynamic: ')
    expect(await said('doctor')).toContain('11 places not evaluated')
    expect(await said('compile', '--check')).toContain('11 places not evaluated')
    expect(await said('graph')).toContain(
      'skills/static.skill.md:7:1 info The directive "shout" is not evaluated',
    )
    expect(ran()).toEqual([])
  })
})

describe('a project that was compiled', () => {
  it('is found up to date without running anything, and out of date where code changed', {
    tags: 'long',
  }, async () => {
    const { root: cwd } = await compiledProject()
    const told = async () => {
      const { outdated, stale } = await compile({ cwd, check: true })
      return { outdated: outdated.length > 0, stale }
    }
    // As in a checkout, where the cache of the compile is not.
    rmSync(join(cwd, 'skills/.agent-apps/cache.json'))
    expect(await told()).toEqual({ outdated: false, stale: [] })
    const write = (path: string, from: string, to: string) => {
      const file = join(cwd, path)
      const text = readFileSync(file, 'utf8')
      writeFileSync(file, text.replace(from, to))
      return () => writeFileSync(file, text)
    }
    for (const [path, from, to, stale] of [
      ['skills/computed.skill.js', "['text']", "['texts']", ['computed']],
      ['skills/beside.js', 'imported', 'other', ['importing']],
      ['node_modules/loud-package/index.js', '{}', '{ a: 1 }', ['importing']],
      ['skills/shout.skill.js', 'toUpperCase', 'toLowerCase', ['shout', 'static']],
      ['skills/static.skill.md', ':shout[x]', ':shout[y]', ['static']],
    ] as const) {
      const restore = write(path, from, to)
      expect(await told(), path).toEqual({ outdated: true, stale })
      restore()
      expect(await told(), path).toEqual({ outdated: false, stale: [] })
    }
    expect(ran()).toEqual([])
  })

  it('has no module run that somebody put in the place of its own', {
    tags: 'long',
    timeout: 120_000,
  }, async () => {
    const { root: cwd } = await compiledProject()
    const folder = join(cwd, 'skills/.agent-apps')
    const modules = readdirSync(folder).filter(name => name.endsWith('.mjs'))
    for (const name of modules) writeFileSync(join(folder, name), sings('a module of somebody else’s'))
    expect(await ranBy(cwd, isLong ? LOOKING : SOME_LOOKING)).toEqual({})
    const { outdated } = await compile({ cwd, check: true })
    expect(outdated.filter(path => path.endsWith('.mjs'))).toHaveLength(modules.length)
    expect((await verify({ cwd })).deviations).toHaveLength(modules.length)
  })
})

describe.each(some(['mjs', 'js', 'ts']))('a configuration in agent-apps.config.%s', ending => {
  const file = `agent-apps.config.${ending}`
  const project = (text: string) =>
    makeTree({ 'package.json': '{ "type": "module" }\n', 'skills/a.skill.md': skill('a'), [file]: text })

  it('is read as far as it is literal', async () => {
    const type = ending === 'ts' ? ' satisfies object' : ''
    const cwd = project(`const more = ['skills']\nexport default { paths: more, env: [\`A\`] }${type}\n`)
    expect((await check({ cwd })).counts.files).toBe(1)
    expect((await loadConfig({ cwd, evaluate: false, trusted: true })).config).toEqual({
      paths: ['skills'],
      env: ['A'],
    })
  })

  it.each([
    [
      'a call',
      () =>
        `const paths = (() => { ${sings('a configuration')}; return ['skills'] })()\nexport default { paths }\n`,
    ],
    ['a statement beside it', () => `${sings('a configuration')}export default { paths: ['skills'] }\n`],
    ['an import', () => "import { paths } from './paths.js'\nexport default { paths }\n"],
  ])('is not evaluated where it is %s', { timeout: 60_000 }, async (_, text) => {
    const cwd = project(text())
    writeFileSync(join(cwd, 'paths.js'), `${sings('a configuration')}export const paths = ['skills']\n`)
    const refused = { code: 'NOT_EVALUATED', file: join(cwd, file) }
    await expect(check({ cwd })).rejects.toMatchObject(refused)
    await expect(graph({ cwd })).rejects.toMatchObject(refused)
    await expect(verify({ cwd })).rejects.toMatchObject(refused)
    await expect(compile({ cwd, check: true })).rejects.toMatchObject(refused)
    expect(await ranBy(cwd, [['doctor'], ['init'], ['list'], ['clean', '--dry-run']])).toEqual({})
    expect(await agentApps(cwd, ['list'])).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('NOT_EVALUATED'),
    })
    expect((await agentApps(cwd, ['doctor'])).stdout).toContain('is not evaluated')
    expect((await agentApps(cwd, ['init'])).stdout).toContain(`kept ${file}`)
    expect(ran()).toEqual([])
    expect((await agentApps(cwd, ['render', 'a'])).stdout).toBe('Do a.\n')
    expect((await compile({ cwd })).skills).toHaveLength(1)
    expect(ran()).toEqual(['a configuration'])
  })
})
