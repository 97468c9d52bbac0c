import { execFileSync, spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createRuntime, isAgentAppsError, registerTool, safeStringify, stringify } from 'agent-apps'
import { type CompileResult, check, compile, verify } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { sealed } from '../../src/index/index-format.js'
import { ownTools } from '../support/own-tools.js'
import { changeAsHashed } from '../support/poisoned-index.js'
import { ROOT } from '../support/processes.js'
import { processorTime } from '../support/processor-time.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill, type Tree, writeTree } from '../support/tree.js'

const GOOD: Tree = { 'good/SKILL.md': skill('good') }
const SECRET = 'PASSWORD = hunter2 swordfish'

/** A project of its own, so that what lies beside it lies outside. */
function project(tree: Tree): string {
  const dir = makeTree({ 'package.json': '{"type":"module"}' })
  for (const [path, item] of Object.entries({ ...GOOD, ...tree }))
    writeTree(dir, { [`skills/${path}`]: item })
  return dir
}

function codeSkill(name: string, code: string): string {
  return `${code};\nexport const frontmatter = { name: '${name}', description: 'd', metadata: { key: made() } };\nfunction made() { return 1 }\nexport default () => 1\n`
}

function compiled(dir: string): Promise<CompileResult> {
  return compile({ cwd: dir, paths: ['./skills'] })
}

function rules({ diagnostics }: Pick<CompileResult, 'diagnostics'>): (string | undefined)[] {
  return diagnostics.map(({ ruleId }) => ruleId)
}

/** A command line, ended after a while; what hangs has no status. */
function command(dir: string, ...args: string[]) {
  const main = join(ROOT, 'dist/cli/main.js')
  return spawnSync(process.execPath, [main, ...args], { cwd: dir, encoding: 'utf8', timeout: 15_000 })
}

function pipe(file: string): void {
  execFileSync('mkfifo', [file])
}

describe('time grows with the size of the text', () => {
  const frontmatter = (yaml: string, body = ''): string =>
    `---\nname: x\ndescription: d\n${yaml}\n---\n${body}`
  const texts: Record<string, string> = {
    'a code fence that U+2028 ends': frontmatter('', `${'`'.repeat(200_000)}\u2028x\n`),
    'comments that U+2028 ends': frontmatter(`note: b: ${' #'.repeat(28_000)}\u2028x`),
    'lines that end in CR': frontmatter(`note: "${'a\r'.repeat(30_000)}"`),
    'blank lines that end in CR LF': frontmatter(`note: |\n a${'\r\n'.repeat(30_000)} a`),
    'blank lines that end in U+2028': frontmatter(`note: a${'\u2028'.repeat(20_000)}`),
    'blank lines where an alias may be': frontmatter(`a: a *b\nnote:${'\n'.repeat(60_000)} a`),
  }
  it.each(Object.entries(texts))('%s', async (_, text) => {
    const dir = project({ 'x.skill.md': text })
    const elapsed = processorTime()
    await check({ cwd: dir, paths: ['./skills'] })
    expect(elapsed()).toBeLessThan(2_000)
  })

  it('constants of code that name a long text often', async () => {
    const long = `const a = '${'x'.repeat(100_000)}';`
    const dir = project({
      'x.skill.js': `${long}export const frontmatter = { name: 'x', description: ${Array(3000).fill('a').join('+')} }; export default () => 1`,
    })
    expect(rules(await check({ cwd: dir, paths: ['./skills'] }))).toContain('metadata-dynamic')
  })
})

describe('what lies outside the project is not read', () => {
  const outside = makeTree({
    'secret.js': SECRET,
    'secret.json': '{ "pw": hunter2 }',
    'ok.js': 'export default "hunter2"',
  })
  const imports: Record<string, Tree> = {
    'an import': { 'x.skill.js': codeSkill('x', `import '${outside}/secret.js'`) },
    'a link': {
      'x.skill.js': codeSkill('x', `import './a.js'`),
      'a.js': { link: join(outside, 'secret.js') },
    },
    'a glob': {
      'x.skill.js': codeSkill(
        'x',
        `const g = n => import(\`${'../'.repeat(9)}${outside.slice(1)}/\${n}.js\`)`,
      ),
    },
    'a tsconfig.json': {
      'x.skill.js': codeSkill('x', ''),
      'tsconfig.json': JSON.stringify({ extends: join(outside, 'secret.json') }),
    },
    'a delegate that is a link': {
      'x/SKILL.md': skill('x', '', 'metadata:\n  delegate: ./a.js\n'),
      'x/a.js': { link: join(outside, 'secret.js') },
    },
  }
  it.each(Object.entries(imports))('through %s, nor told in a message', async (_, tree) => {
    const dir = project(tree)
    const result = await compiled(dir)
    const index = readFileSync(join(dir, 'skills/.agent-apps.json'), 'utf8')
    expect(JSON.stringify(result.diagnostics.map(({ reason }) => reason)) + index).not.toMatch(
      /hunter2|swordfish/,
    )
    expect(result.skills.map(({ name }) => name)).toContain('good')
  })

  it('a `data:` import is that skill’s fault alone', async () => {
    const result = await compiled(
      project({ 'x.skill.js': codeSkill('x', `import d from 'data:text/javascript,export default 1'; d`) }),
    )
    expect(rules(result)).toEqual(['code-import'])
  })
})

describe('a file that never ends is not waited for', () => {
  const pipes: Record<string, [Tree, string]> = {
    import: [{ 'x.skill.js': codeSkill('x', `import './pipe.js'`) }, 'pipe.js'],
    'source map': [{ 'x.skill.js': `${codeSkill('x', '')}//# sourceMappingURL=pipe.map\n` }, 'pipe.map'],
    'tsconfig.json': [{ 'x.skill.js': codeSkill('x', '') }, 'tsconfig.json'],
    delegate: [{ 'x/SKILL.md': skill('x', '', 'metadata:\n  delegate: ./pipe.js\n') }, 'x/pipe.js'],
    index: [{}, '.agent-apps.json'],
    cache: [{ '.agent-apps/kept': '' }, '.agent-apps/cache.json'],
  }
  it.each(Object.entries(pipes))('a pipe as %s', (_, [tree, file]) => {
    const dir = project(tree)
    pipe(join(dir, 'skills', file))
    expect(command(dir, 'compile', 'skills').status).not.toBeNull()
    expect(command(dir, 'list').stdout).toContain('good')
  })
})

describe('a delegate that no file can be', () => {
  it.each(['"./a\\0.js"', `./${'a'.repeat(300)}.js`, './loop.js'])(
    '%s is that skill’s fault alone',
    async delegate => {
      const dir = project({
        'x/SKILL.md': skill('x', '', `metadata:\n  delegate: ${delegate}\n`),
        'x/loop.js': { link: 'loop.js' },
      })
      const result = await compiled(dir)
      expect(rules(result)).toContain('delegate-invalid')
      expect(result.skills.map(({ name }) => name)).toContain('good')
    },
  )
})

describe('code that is run to be known harms only itself', () => {
  const other = codeSkill('other', '')
  const evil: Record<string, string> = {
    'kills its process': `process.kill(process.pid, 'SIGKILL')`,
    'waits for a program': `import { execSync } from 'node:child_process'; execSync('sleep 30')`,
    'throws null later': `setTimeout(() => { throw null }); await new Promise(done => setTimeout(done, 300))`,
    'patches what is shared': `JSON.stringify = () => '{"name":"other","description":"SPOOFED"}'`,
    'answers for others': `const spoof = { found: { default: '{"name":"other","description":"SPOOFED"}' } }; setInterval(() => process.send?.(spoof), 1)`,
    'answers with nonsense': `process.send?.({ found: { default: '{' } })`,
    'answers with nothing': `process.send?.(null ?? 5)`,
    'writes to the compiler’s output': `import { writeSync } from 'node:fs'; writeSync(1, 'SPAM')`,
  }
  it.each(Object.entries(evil))('one that %s', (_, code) => {
    const dir = project({ 'a.skill.js': codeSkill('a', code), 'other.skill.js': other })
    const { stdout } = command(dir, 'compile', 'skills', '--json')
    expect(JSON.parse(stdout).counts.files).toBe(3)
    const { tools } = JSON.parse(readFileSync(join(dir, 'skills/.agent-apps.json'), 'utf8'))
    expect(tools.other.frontmatter.description).toBe('d')
    expect(tools.good.frontmatter.name).toBe('good')
  })
})

describe('nothing is written through a link', () => {
  it('that stands where the index is made', async () => {
    const outside = temporary()
    const dir = project({ '.agent-apps': { link: outside }, 'a.skill.js': codeSkill('a', '') })
    await expect(compiled(dir)).rejects.toMatchObject({ code: 'INDEX_NOT_WRITABLE' })
    expect(readdirSync(outside)).toEqual([])
  })

  it('with the name of a file that is being written', async () => {
    const outside = makeTree({ file: 'untouched' })
    const links = [`.agent-apps.json.${process.pid}.tmp`, `.agent-apps/cache.json.${process.pid}.tmp`]
    await compiled(project(Object.fromEntries(links.map(name => [name, { link: join(outside, 'file') }]))))
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('untouched')
  })

  it('with the name of a module, whose content is not believed for its name either', async () => {
    const dir = project({ 'a.skill.js': codeSkill('a', '') })
    await compiled(dir)
    const folder = join(dir, 'skills/.agent-apps')
    const module = readdirSync(folder).find(name => name.endsWith('.mjs')) ?? ''
    writeFileSync(join(folder, module), 'export default () => "another"')
    await compile({ cwd: dir, paths: ['./skills'], force: true })
    expect(readFileSync(join(folder, module), 'utf8')).not.toContain('another')
  })
})

describe('a folder that is only looked into', () => {
  it.each([
    ['is a link to itself', 'skills'],
    ['leads elsewhere', ROOT],
  ])('%s', async (_, link) => {
    const result = await check({ cwd: project({ '.x/skills': { link } }), paths: ['./skills'] })
    expect(result.counts).toMatchObject({ files: 1, found: 1 })
  })
})

describe('a poisoned index', () => {
  type Records = Record<string, Record<string, Record<string, unknown>>>

  /** Compiles, changes the records and makes their hash fit. */
  async function poisoned(tree: Tree, change: (records: Records) => void): Promise<string> {
    const dir = project(tree)
    await compiled(dir)
    const file = join(dir, 'skills/.agent-apps.json')
    const {
      $schema,
      version,
      hash: _,
      ignore,
      listing,
      counts,
      modules,
      ...records
    } = JSON.parse(readFileSync(file, 'utf8'))
    change(records)
    const sections = Object.entries(records)
      .map(([name, section]) => `"${name}":${JSON.stringify(section)}`)
      .join(',\n')
    const header = { $schema, version, hash: hash('sha256', sections), ignore, listing, counts, modules }
    writeFileSync(file, `${JSON.stringify(header).slice(0, -1)},\n${sections}\n}\n`)
    return join(dir, 'skills')
  }

  const wrong: Record<string, (records: Records) => void> = {
    'a delegate that is a text': ({ tools }) => Object.assign(tools?.good ?? {}, { delegate: 'x' }),
    'a delegate that is null': ({ tools }) => Object.assign(tools?.good ?? {}, { delegate: null }),
    'a module that is null': ({ tools }) => Object.assign(tools?.good ?? {}, { module: null }),
    'a content of three numbers': ({ tools }) => Object.assign(tools?.good ?? {}, { content: [0, 1, 2] }),
    'another kind': ({ tools }) => Object.assign(tools?.good ?? {}, { kind: 'file' }),
    'a tool that must run to be found': ({ tools }) => Object.assign(tools?.good ?? {}, { dynamic: true }),
    'a description that is a list': ({ tools }) =>
      Object.assign(tools?.good?.frontmatter ?? {}, { 'allowed-tools': [] }),
    'a diagnostic that is null': ({ files }) =>
      Object.assign(files?.['good/SKILL.md'] ?? {}, { diagnostics: [null] }),
  }
  it.each(Object.entries(wrong))('with %s is put aside as a whole', async (_, change) => {
    const runtime = createRuntime({ paths: [await poisoned({}, change)], freshness: 'trust' })
    expect(await runtime.render('good')).toBe('Do good.\n')
    expect(runtime.diagnostics().map(({ rule }) => rule)).toEqual(['index-refused'])
  })

  it('cannot make a secret or a single file’s neighbour a resource', async () => {
    const tree: Tree = { 'good/.env': 'KEY=1', 'lone.skill.md': skill('lone'), 'notes.txt': 'private' }
    const dir = await poisoned(tree, ({ details }) => {
      Object.assign(details?.good ?? {}, { resources: [{ path: '.env', size: 5, sha256: '' }] })
    })
    const runtime = createRuntime({ paths: [dir], freshness: 'trust' })
    await expect(runtime.readResource('good', '.env')).rejects.toMatchObject({ code: 'RESOURCE_NOT_FOUND' })
    const other = await poisoned(tree, ({ details }) => {
      Object.assign(details?.lone ?? {}, { resources: [{ path: 'notes.txt', size: 7, sha256: '' }] })
    })
    const second = createRuntime({ paths: [other], freshness: 'trust' })
    await expect(second.readResource('lone', 'notes.txt')).rejects.toMatchObject({
      code: 'RESOURCE_NOT_FOUND',
    })
  })

  /** Another tool in the place of a sound one, as a section of its own. */
  const other = (text: string): string => {
    const line = /^"good":\{"content".*$/m.exec(text)?.[0].replace(/,$/, '') ?? ''
    const changed = line.replace('What good does.', 'Something else.').replace(/,"check":"[^"]*"\}$/, '')
    return `"tools":{\n${sealed(changed)}\n}`
  }
  const END = /\n\}\n$/
  const twice: Record<string, (text: string) => string> = {
    'after the others': text => text.replace(END, `,\n${other(text)}\n}\n`),
    'before the others': text => text.replace('\n"tools":{', () => `\n${other(text)},\n"tools":{`),
    'in another one': text => text.replace('\n"files":{\n', () => `\n"files":{\n${other(text)},\n`),
    'and is empty': text => text.replace(END, ',\n"tools":{}\n}\n'),
    'and is empty, ahead of all': text => text.replace('\n"tools":{', '\n"tools":{},\n"tools":{'),
  }
  const compiledTwice = async (change: (text: string) => string): Promise<string> => {
    const dir = project({})
    await compiled(dir)
    changeAsHashed(join(dir, 'skills'), change)
    return dir
  }

  it.each(Object.entries(twice))('is put aside where a section stands twice: %s', async (_, change) => {
    const dir = await compiledTwice(change)
    const runtime = createRuntime({ paths: [join(dir, 'skills')], freshness: 'trust' })
    const tool = await runtime.findTool('good')
    expect([tool?.frontmatter.description, tool?.origin.via]).toEqual(['What good does.', 'disk'])
    expect(runtime.diagnostics().map(({ reason }) => reason)).toEqual([
      'The index is not used: a section is missing or repeated',
    ])
    const { deviations } = await verify({ cwd: dir, paths: ['./skills'] })
    expect(deviations).toMatchObject([
      { file: 'skills/.agent-apps.json', reason: 'is refused: a section is missing or repeated' },
    ])
  })

  it('is read by its lines alone: whatever else stands between them, verify says', async () => {
    const spaced: Record<string, (text: string) => string> = {
      'a section': text => text.replace(END, `,\n ${other(text).replace(':{', ' : {')}\n}\n`),
      'a record twice': text => text.replace(/^("good":\{"content".*)$/m, '$1,\n$1'),
    }
    for (const [what, change] of Object.entries(spaced)) {
      const dir = await compiledTwice(change)
      const { deviations } = await verify({ cwd: dir, paths: ['./skills'] })
      expect([what, deviations.length]).toEqual([what, 1])
    }
  })

  it('gives a list what it gives a look-up, and verify says where other JSON would give something else', async () => {
    const dir = project(Object.fromEntries(['b', 'c'].map(name => [`${name}/SKILL.md`, skill(name)])))
    await compiled(dir)
    // A record over several lines, one of which looks like another tool's; two others share a line, so that there are as many as there were.
    changeAsHashed(join(dir, 'skills'), text => {
      const [, b = '', c = '', good = ''] = /"tools":\{\n(.*),\n(.*),\n(.*)\n\}/.exec(text) ?? []
      const evil = sealed(
        good.replace('What good does.', 'Something else.').replace(/,"check":"[^"]*"\}$/, ''),
      )
      const nested = b.replace(/\}$/, () => `,"z":{\n${evil}\n}}`)
      return text.replace(`${b},\n${c},\n${good}`, () => `${nested},\n${c},${good}`)
    })
    const described = async (first: 'find' | 'list'): Promise<unknown> => {
      const runtime = createRuntime({ paths: [join(dir, 'skills')], freshness: 'trust' })
      if (first === 'list') await runtime.listTools()
      await runtime.findTool('good')
      const listed = (await ownTools(runtime)).find(({ name }) => name === 'good')
      return [(await runtime.findTool('good'))?.frontmatter.description, listed?.frontmatter.description]
    }
    expect([await described('find'), await described('list')]).toEqual(
      new Array(2).fill(['What good does.', 'What good does.']),
    )
    const { deviations } = await verify({ cwd: dir, paths: ['./skills'] })
    expect(deviations).toMatchObject([
      {
        file: 'skills/.agent-apps.json',
        reason: 'is refused: its records were changed',
      },
    ])
  })

  it('is not bundled where a section stands twice', async () => {
    const dir = await compiledTwice(twice['after the others'] as (text: string) => string)
    const file = join(dir, 'skills/.agent-apps.json')
    const text = readFileSync(file, 'utf8')
    // The hash that the records have when the later ones are taken.
    const line = /\n"tools":\{\n(.*)\n\}\n\}\n$/.exec(text)?.[1] ?? ''
    expect(line).toContain('Something else.')
    const merged = text
      .slice(0, text.lastIndexOf(',\n"tools":{'))
      .replace(/^"good":\{"content".*$/m, () => line)
    const records = merged.slice(merged.indexOf('\n"tools":') + 1)
    writeFileSync(file, text.replace(/"hash":"[^"]*"/, `"hash":"${hash('sha256', records)}"`))
    writeTree(dir, { 'own/own/SKILL.md': skill('own') })
    const paths = ['./own', { dir: './skills', external: true }]
    await expect(compile({ cwd: dir, paths, bundle: 'dist/agent.mjs' })).rejects.toMatchObject({
      code: 'BUNDLE_UNCOMPILED',
    })
  })

  it('does not run a module that is a link out of the directory', async () => {
    const dir = project({
      'a.skill.js': `export const frontmatter = { name: 'a' }; export default () => 'own'`,
    })
    const outside = makeTree({ 'evil.mjs': 'export default () => "evil"' })
    await compiled(dir)
    const folder = join(dir, 'skills/.agent-apps')
    const module = readdirSync(folder).find(name => name.endsWith('.mjs')) ?? ''
    execFileSync('ln', ['-sf', join(outside, 'evil.mjs'), join(folder, module)])
    const runtime = createRuntime({ paths: [join(dir, 'skills')], freshness: 'trust' })
    expect(await runtime.invoke('a')).toBe('own')
  })

  it('does not keep a compile from writing its own', async () => {
    const dir = project({ '.agent-apps.json': '{ "modules": "x" }' })
    expect((await compiled(dir)).written).toContain('skills/.agent-apps.json')
  })
})

describe('arguments of a program', () => {
  const sparse: unknown[] = []
  sparse[3e7] = 1
  const throwing = (trap: keyof ProxyHandler<object>): object =>
    new Proxy(
      {},
      {
        [trap]() {
          throw new Error('trap')
        },
      },
    )
  const getter = {
    get a() {
      throw new TypeError('getter')
    },
  }
  const hostile: Record<string, unknown> = {
    'a list with holes': sparse,
    'a list with holes inside': { a: { b: sparse } },
    'many lists with holes': Array.from({ length: 1_000 }, () => Array(10_000)),
    'a proxy that throws': throwing('ownKeys'),
    'a proxy that throws inside': { a: [throwing('getPrototypeOf')] },
    'a property that throws': getter,
    'one that was revoked': (() => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    })(),
  }
  const runtime = createRuntime({ paths: [], freshness: 'trust' })
  registerTool(runtime.globals, { name: 'open', params: {}, fn: (_ctx, args) => args })
  registerTool(runtime.globals, { name: 'closed', fn: () => 1 })
  registerTool(runtime.globals, { name: 'body', metadata: { delegate: 'open' }, fn: (_ctx, args) => args })
  it.each(Object.entries(hostile))('%s are refused', async (_, args) => {
    const before = process.cpuUsage()
    for (const name of ['open', 'closed', 'body']) {
      const error: unknown = await runtime.invoke(name, args).catch((thrown: unknown) => thrown)
      expect(isAgentAppsError(error) && error.code).toBe('ARGS_INVALID')
    }
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(5)
  })

  it.each(Object.entries(hostile))('%s as a result are refused by a schema', async (_, result) => {
    const { globals, invoke } = createRuntime({ paths: [], freshness: 'trust' })
    registerTool(globals, { name: 'gives', returns: { type: 'object' }, fn: () => [result] })
    await expect(invoke('gives')).rejects.toMatchObject({ code: 'RESULT_INVALID' })
  })

  it('are shown and written with holes and with what throws', () => {
    for (const value of Object.values(hostile)) {
      expect(safeStringify(value)).toBeTypeOf('string')
      expect(stringify(value)).toBeTypeOf('string')
    }
  })
})

describe('a reference that is not text', () => {
  it.each([5, 5n, undefined, null, {}, [], Symbol('s'), () => 1, throwingText()])('%o', async given => {
    const ref = given as unknown as string
    for (const freshness of ['trust', 'check'] as const) {
      const runtime = createRuntime({ paths: [project({})], freshness })
      const { findTool, invoke, render, describe: describeTool, explain, readResource } = runtime
      const invalid = expect.objectContaining({ code: 'OPTIONS_INVALID' })
      await expect(findTool(ref)).rejects.toEqual(invalid)
      await expect(invoke(ref)).rejects.toEqual(invalid)
      await expect(render(ref)).rejects.toEqual(invalid)
      await expect(describeTool(ref)).rejects.toEqual(invalid)
      await expect(explain(ref)).rejects.toEqual(invalid)
      await expect(readResource(ref, 'a')).rejects.toEqual(invalid)
      registerTool(runtime.globals, {
        name: 'calls',
        fn: ctx => (ctx as { manager: { invoke: typeof invoke } }).manager.invoke(ref),
      })
      await expect(invoke('calls')).rejects.toEqual(invalid)
      const agent = runtime.forAgent()
      expect(await agent.findTool(ref)).toBe(null)
      await expect(agent.invoke(ref)).rejects.toMatchObject({ code: 'TOOL_DENIED' })
    }
  })
})

function throwingText(): object {
  return {
    toString() {
      throw new Error('no text')
    },
  }
}

describe('a secret', () => {
  it('is none of a skill’s resources under another name either', async () => {
    const dir = project({ 'good/.env': 'KEY=1', 'good/notes.txt': { link: '.env' } })
    await compiled(dir)
    const { resources } = await createRuntime({ paths: [join(dir, 'skills')] }).describe('good')
    expect(resources).toEqual([])
  })
})

describe('a file that grew past any size', () => {
  it('is its own skill’s fault alone', async () => {
    const dir = project({ 'huge/SKILL.md': skill('huge') })
    await compiled(dir)
    truncateSync(join(dir, 'skills/huge/SKILL.md'), 3 * 1024 ** 3)
    const tools = await ownTools(createRuntime({ paths: [join(dir, 'skills')], freshness: 'check' }))
    expect(tools.map(({ name }) => name)).toEqual(['good'])
  })

  it('is a resource that is neither read nor bundled, and says so', async () => {
    const dir = project({ 'good/notes.txt': 'Notes.' })
    await compiled(dir)
    const file = join(dir, 'skills/good/notes.txt')
    truncateSync(file, 3 * 1024 ** 3)
    const unreadable = {
      code: 'RESOURCE_UNREADABLE',
      tool: 'good',
      file,
      hint: expect.stringContaining('2 GiB'),
    }
    const runtime = createRuntime({ paths: [join(dir, 'skills')] })
    await expect(runtime.readResource('good', 'notes.txt')).rejects.toMatchObject(unreadable)
    writeTree(dir, { 'own/own/SKILL.md': skill('own') })
    const paths = ['./own', { dir: './skills', external: true }]
    await expect(compile({ cwd: dir, paths, bundle: 'dist/agent.mjs' })).rejects.toMatchObject(unreadable)
    expect((await verify({ cwd: dir, paths: ['./skills'] })).deviations).toMatchObject([
      { file: 'skills/good/notes.txt', reason: 'is not what was compiled' },
    ])
  })

  it('is digested in pieces, by the compiler and by the runtime', async () => {
    const text = 'Words. '.repeat(400_000)
    const dir = project({
      'good/words.txt': text,
      'words.txt': text,
      'a.skill.js':
        "import words from './words.txt'; export const frontmatter = { name: 'a', description: 'd' }; export default () => words.length",
    })
    await compiled(dir)
    const later = new Date(Date.now() + 60_000)
    utimesSync(join(dir, 'skills/words.txt'), later, later)
    const runtime = createRuntime({ paths: [join(dir, 'skills')], freshness: 'check' })
    expect(await runtime.describe('good')).toMatchObject({
      resources: [{ path: 'words.txt', sha256: hash('sha256', text) }],
    })
    expect(await runtime.invoke('a')).toBe(text.length)
    expect(runtime.stats()).toMatchObject({ parser: 'unused' })
  })
})

describe('what the command prints', () => {
  it('holds no control characters of a skill, and no command to GitHub', async () => {
    const dir = project({
      '::stop-commands::x/SKILL.md': '---\nname: [\n---\n',
      'esc/SKILL.md': '---\nname: "a\\e]0;x"\nk: [\n---\n',
    })
    const { stderr, stdout } = spawnSync(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'compile', '.'], {
      cwd: join(dir, 'skills'),
      encoding: 'utf8',
    })
    expect(stderr + stdout).not.toMatch(/^::stop|\u001B/m)
    expect(existsSync(join(dir, 'skills/.agent-apps.json'))).toBe(true)
  })

  it('is one annotation for each finding, whatever a skill and its file are named', () => {
    const dir = project({
      '::stop-commands::x/SKILL.md': '---\nname: [\n---\n',
      'a\r\n::set-output name=x::y\u001B[2J\u2028,line=9%0A\u0085/SKILL.md': '---\nname: [\n---\n',
      'esc/SKILL.md': '---\nname: "a\\e]0;x\\n::error::y"\nk: [\n---\n',
      'long/SKILL.md': '---\nname: long\ndescription: d\n"k\\e[2J\\u0085\\n::error::y": 1\n---\n',
    })
    const { diagnostics } = JSON.parse(command(dir, 'check', '--json').stdout) as {
      diagnostics: { severity: string }[]
    }
    const lines = command(dir, 'check', '--format', 'github').stdout.split(/[\n\r\u0085\u2028]/)
    expect([lines.pop(), lines.pop()]).toEqual(['', expect.stringMatching(/^\d skills? in 5 files/)])
    expect(lines).toHaveLength(diagnostics.filter(({ severity }) => severity !== 'info').length)
    for (const line of lines)
      expect(line).toMatch(/^::(?:error|warning) file=[^:,\p{C}]+,line=\d+,col=\d+,title=[\w-]+::[^\p{C}]+$/u)
    expect(lines.join('\n')).toContain('file=skills/a%0D%0A%3A%3Aset-output name=x%3A%3Ay\\u001b[2J')
  })

  it('shows an error that a skill caused without its escape codes', () => {
    const dir = project({
      'x.skill.js': `export const frontmatter = { name: 'x' }; export default () => { throw new Error('\\u001B]0;title\\u0007') }`,
    })
    expect(command(dir, 'run', 'x').stderr).not.toContain('\u001B')
  })
})
