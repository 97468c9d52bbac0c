import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile, type Message } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { agentApps } from '../support/commands.js'
import { temporary } from '../support/temporary.js'
import { type Tree, writeTree } from '../support/tree.js'

/** Bundles a project, takes its sources away, and runs the tool of what is left from another place: here `__dirname` is known. */
async function bundled(tree: Tree, args: object = {}): Promise<{ diagnostics: Message[]; result: unknown }> {
  const { root } = codeProject(tree)
  const { diagnostics } = await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' })
  const folder = join(temporary(), 'moved')
  cpSync(join(root, 'dist'), folder, { recursive: true })
  rmSync(root, { recursive: true })
  writeTree(folder, {
    'run.mjs': `import { tools } from './agent.mjs'\nconst result = await tools.a(${JSON.stringify(args)})\nconsole.log(JSON.stringify({ result }))\n`,
    'elsewhere.mjs': "export default 'elsewhere'\n",
  })
  const { stdout, stderr } = spawnSync(process.execPath, ['run.mjs'], { cwd: folder, encoding: 'utf8' })
  return { diagnostics, result: stdout === '' ? stderr : JSON.parse(stdout).result }
}

const skillOf = (body: string, above = ''): string =>
  `${above}export const frontmatter = { name: 'a', description: 'Is a.' }\nexport default async (ctx, args) => {\n  return ${body}\n}\n`

const installed = (name: string, text: string, more: Tree = {}): Tree => ({
  [`node_modules/${name}/package.json`]: JSON.stringify({ name, main: 'index.js' }),
  [`node_modules/${name}/index.js`]: text,
  ...Object.fromEntries(Object.entries(more).map(([path, item]) => [`node_modules/${name}/${path}`, item])),
})

async function refusal(tree: Tree): Promise<{ code: string; message: string; position?: object }> {
  const { root } = codeProject(tree)
  const refused = await compile({ cwd: root, paths: ['skills'], bundle: 'dist/agent.mjs' }).then(
    () => ({ code: '', message: 'did not fail' }),
    error => error,
  )
  expect(existsSync(join(root, 'dist'))).toBe(false)
  return refused
}

describe('code that no bundle can follow', () => {
  const asked = 'Code depends on the location of its file, which a bundle cannot follow'
  const imported = 'Code imports a path that only running it shows, which a bundle cannot follow'
  const absent = 'Code imports a part of agent-apps that no bundle has'
  it.each([
    ['__dirname', skillOf("__dirname + '/data.txt'"), asked, '3:10'],
    ['__filename', skillOf('[__filename]'), asked, '3:11'],
    ['import.meta, taken apart', skillOf('(({ url }) => url)(import.meta)'), asked, '3:29'],
    ['import() of a name', skillOf('import(args.path)'), imported, '3:10'],
    [
      'import() of a path that is a constant',
      skillOf('import(NAME)', "const NAME = './words.ts'\n"),
      imported,
      '4:10',
    ],
    ['import() of what begins with a text', skillOf("import('plug-' + args.path)"), imported, '3:10'],
    ['import() of what begins with nothing', skillOf("import('' + args.path)"), imported, '3:10'],
    ['require() of a name', skillOf('require(args.path)'), imported, '3:10'],
    ['require() of what begins with a text', skillOf("require('plug-' + args.path)"), imported, '3:10'],
    ['require.resolve() of a path', skillOf("require.resolve('./words.ts')"), imported, '3:10'],
    ['the compiler', skillOf('compile', "\nimport { compile } from 'agent-apps/compiler'\n"), absent, '2:1'],
    ['the compiler, when it is called', skillOf("import('agent-apps/compiler')"), absent, '3:10'],
    ['a plugin', skillOf("import('agent-apps/vite')"), absent, '3:10'],
  ])('is refused: %s', async (_what, text, says, place) => {
    const [line, column] = place.split(':').map(Number)
    expect(await refusal({ 'skills/a.skill.ts': text, 'skills/words.ts': 'export {}\n' })).toMatchObject({
      code: 'BUNDLE_CODE',
      message: `${says}: skills/a.skill.ts:${place}.`,
      position: { line, column },
    })
  })

  it('is refused in what a skill imports, CommonJS too, and every place is named', async () => {
    const { message } = await refusal({
      'skills/a.skill.ts': skillOf('[words, import(words[0])]', "import words from '../lib/words.cjs'\n"),
      'lib/words.cjs': "'use strict'\nmodule.exports = [__dirname,\n  __filename]\n",
    })
    expect(message).toBe(
      `${asked}: lib/words.cjs:2:19, lib/words.cjs:3:3. ${imported}: skills/a.skill.ts:4:18.`,
    )
  })

  it.each([
    ['typeof __dirname', "typeof __dirname === 'undefined' ? 'none' : __dirname", 'none'],
    ['a name of its own', "((__dirname) => __dirname)('own')", 'own'],
    ['a text', "'__dirname, import(x), agent-apps/compiler'", '__dirname, import(x), agent-apps/compiler'],
    ['a module of the host', "(await import(`node:${'path'}`)).sep", '/'],
    ['a whole URL', '(await import(new URL(args.url).href)).default', 7],
    ['the URL of a path', "(await import(pathToFileURL('elsewhere.mjs').href)).default", 'elsewhere'],
    ['a literal path', "(await import('./words.ts')).default", 'words'],
    ['a path of which a part is known', "(await import('./' + args.name + '.ts')).default", 'words'],
  ])('is not: %s', async (_what, body, result) => {
    const tree = {
      'skills/a.skill.ts': skillOf(body, "import { pathToFileURL } from 'node:url'\n").replace(
        "'Is a.'",
        "'Is a.', metadata: { params: { type: 'object' } }",
      ),
      'skills/words.ts': "export default 'words'\n",
    }
    const args = { name: 'words', url: 'data:text/javascript,export default 7' }
    expect(await bundled(tree, args)).toEqual({ diagnostics: [], result })
  })
})

describe('packages that ask where they lie', () => {
  const using = (name: string): Tree => ({
    'skills/a.skill.ts': skillOf('used', `import used from '${name}'\n`),
  })
  const warned = async (tree: Tree): Promise<string[]> => {
    const { diagnostics } = await bundled(tree)
    expect(diagnostics.every(({ ruleId }) => ruleId === 'package-place')).toBe(true)
    return diagnostics.map(({ file, line, column, reason }) => `${file}:${line}:${column} ${reason}`)
  }

  it.each([
    [
      '__dirname',
      "\nmodule.exports = () => require('fs').readFileSync(__dirname + '/data.txt')\n",
      '2:51',
      'folder',
    ],
    ['__filename', '\nmodule.exports = () => __filename\n', '2:24', 'path'],
    ['import.meta.url', '\nexport default () => new URL(".", import.meta.url)\n', '2:22', 'URL'],
    ['import.meta.dirname', '\nexport default () => import.meta.dirname\n', '2:22', 'folder'],
  ])('are named: by %s', async (_what, text, place, asks) => {
    expect(await warned({ ...using('pages'), ...installed('pages', text) })).toEqual([
      `node_modules/pages/index.js:${place} The package "pages" asks for its own ${asks}, but the files there are not in the bundle`,
    ])
  })

  it('are named once each, those with a scope too', async () => {
    const tree = {
      'skills/a.skill.ts': skillOf('[one, two]', "import one from '@scope/one'\nimport two from 'two'\n"),
      ...installed(
        '@scope/one',
        "\nexport { default } from './more.js'\nexport const here = import.meta.url\n",
        {
          'more.js': '\nexport default [import.meta.dirname, import.meta.url]\n',
        },
      ),
      ...installed('two', '\nmodule.exports = __dirname\n'),
    }
    expect(await warned(tree)).toEqual([
      'node_modules/@scope/one/more.js:2:17 The package "@scope/one" asks for its own folder, but the files there are not in the bundle; 1 more place does the same',
      'node_modules/two/index.js:2:18 The package "two" asks for its own folder, but the files there are not in the bundle',
    ])
  })

  it.each([
    [
      'that ask whether there is such a place',
      "module.exports = typeof __dirname === 'undefined' ? 'none' : __dirname\n",
      'none',
    ],
    ['with a name of their own', "var __dirname = 'own'\nmodule.exports = __dirname\n", 'own'],
    ['where nothing uses it', "export const here = () => import.meta.url\nexport default 'rest'\n", 'rest'],
    [
      'whose file is named literally',
      "import { readFileSync } from 'node:fs'\nexport default readFileSync(new URL('./data.txt', import.meta.url), 'utf8')\n",
      'Data.',
    ],
    [
      'that import by a name',
      "exports.kind = 'plain'\nexports.load = name => import(name)\n",
      { kind: 'plain' },
    ],
  ])('are not, %s', async (_what, text, result) => {
    const tree = { ...using('pages'), ...installed('pages', text, { 'data.txt': 'Data.' }) }
    expect(await bundled(tree)).toEqual({ diagnostics: [], result })
  })

  it('run where they ask in vain', async () => {
    const { result } = await bundled({
      ...using('pages'),
      ...installed(
        'pages',
        "const data = require('path').join(__dirname, 'data')\nexports.rest = data.length > 4\n",
      ),
    })
    expect(result).toEqual({ rest: true })
  })

  it('fail a strict compile, and are told by --check, but not where they are external', async () => {
    const { root } = codeProject({ ...using('pages'), ...installed('pages', 'module.exports = __dirname\n') })
    writeTree(root, { 'agent-apps.config.json': '{ "paths": ["skills"] }' })
    const run = (...flags: string[]) => agentApps(root, ['compile', '--bundle', 'dist/agent.mjs', ...flags])
    const told = { stderr: expect.stringContaining('package-place') }
    expect(await run()).toMatchObject({ status: 0, ...told })
    expect(await run('--strict')).toMatchObject({ status: 1, ...told })
    expect(await run('--strict', '--check')).toMatchObject({ status: 1, ...told })
    writeTree(root, { 'agent-apps.config.json': '{ "paths": ["skills"], "external": ["pages"] }' })
    expect(await run('--strict')).toMatchObject({
      status: 0,
      stderr: expect.not.stringContaining('package-place'),
    })
  })

  it('are refused the compiler', async () => {
    expect(
      await refusal({
        ...using('pages'),
        ...installed('pages', "export { compile as default } from 'agent-apps/compiler'\n"),
      }),
    ).toMatchObject({
      code: 'BUNDLE_CODE',
      message: expect.stringContaining('node_modules/pages/index.js:1:'),
    })
  })
})
