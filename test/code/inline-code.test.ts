import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compile } from 'agent-apps/compiler'
import { beforeAll, describe, expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { isLong, oneIn } from '../support/long.js'
import { runCode } from '../support/processes.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const base64 = (text: string): string => `inline://base64,${Buffer.from(text).toString('base64')}`

/** Inline code of every kind that can be loaded, with what it gives for `{ name: 'Ann' }`. */
const LOADED: Record<string, [code: string, result: unknown]> = {
  plain: ['export default async function(ctx, { name }) { return `Hello, \\${name}!`; }', 'Hello, Ann!'],
  builtin: ["import { basename } from 'node:path'; export default () => basename('a/b')", 'b'],
  ours: ["import { isToolName } from 'agent-apps'; export default (_, { name }) => isToolName(name)", false],
  package: ["import { z } from 'zod'; export default (_, { name }) => z.string().parse(name)", 'Ann'],
  relative: ["import { text } from './lib.js'; export default () => text", 'From a file.'],
  later: ["export default async () => (await import('./lib.js')).text", 'From a file.'],
  shared: [
    "import { seen } from './lib.js'; export default async () => (await import('./lib.js')).seen === seen",
    true,
  ],
  commonjs: ["import text from './lib.cjs'; export default () => text", 'a.txt'],
  external: ["import { value } from 'apart'; export default () => value", 'Apart.'],
}

const TREE: Tree = {
  'skills/lib.js': `export const text = 'From a file.'
export const seen = {}
`,
  'other/place.js': 'export default () => new URL(import.meta.url).pathname\n',
  'skills/lib.cjs': "module.exports = require('path').basename('x/a.txt')\n",
  'node_modules/apart/package.json': '{"name":"apart","type":"module","exports":"./index.js"}',
  'node_modules/apart/index.js': "export const value = 'Apart.'\n",
  ...Object.fromEntries(
    Object.entries(LOADED).flatMap(([name, [code]]) => [
      [`skills/${name}.skill.md`, delegating(name, `inline://code,${code}`)],
      [`skills/${name}-coded.skill.md`, delegating(`${name}-coded`, base64(`inline://code,${code}`))],
    ]),
  ),
}

function delegating(name: string, delegate: string): string {
  return skill(name, '', `metadata:\n  delegate: ${JSON.stringify(delegate)}\n  params: { type: object }\n`)
}

/** Runs code in a project, where the folder for temporary files is not there. */
function runWithoutTemporary(root: string, code: string): unknown {
  const gone = join(root, 'gone')
  const answer = runCode(
    `import { createRuntime } from 'agent-apps'
    const paths = [${JSON.stringify(join(root, 'skills'))}]
    const runtime = createRuntime({ paths, cwd: paths[0], external: ['apart', 'absent'] })
    const outcome = call => call.catch(({ code, message, hint }) => ({ code, message, hint }))
    console.log(JSON.stringify(await (async () => { ${code} })()))`,
    { TMPDIR: gone },
  )
  expect(existsSync(gone)).toBe(false)
  return JSON.parse(answer)
}

const ASKED = oneIn(2, Object.entries(LOADED))
const NAMES = ASKED.flatMap(([name]) => [name, `${name}-coded`])
const RESULTS = ASKED.flatMap(([, [, result]]) => [result, result])
const REFS = ASKED.flatMap(([, [code]]) => [`inline://code,${code}`, base64(`inline://code,${code}`)])
const ABSENT = ['absent', './absent.js', './absent.node', 'not-installed']
const INVOKING = `Promise.all(${JSON.stringify(NAMES)}.map(name => outcome(runtime.invoke(name, { name: 'Ann' }))))`

describe('inline code', () => {
  let root = ''
  let said: Record<'delegates' | 'refs' | 'areKept' | 'place' | 'absent' | 'stack', unknown>

  // One process for all of it: what each of them starts takes longer than what it is asked.
  beforeAll(() => {
    root = codeProject({
      ...TREE,
      'skills/bad.skill.md': delegating(
        'bad',
        "inline://code,export default () => { throw new Error('no') }",
      ),
    }).root
    const absent = ABSENT.map(name => `inline://code,import it from '${name}'; export default () => it`)
    said = runWithoutTemporary(
      root,
      `const refs = ${JSON.stringify(REFS)}
      return {
        delegates: ${isLong} && (await ${INVOKING}),
        refs: await Promise.all(refs.map(ref => outcome(runtime.invoke(ref, { name: 'Ann' })))),
        areKept: refs.every(ref => runtime.globals.tools.programmaticTools.get(ref)?.src === ref),
        place: await runtime.invoke("inline://code,export { default } from '../other/place.js'"),
        absent: await Promise.all(${JSON.stringify(absent)}.map(ref => outcome(runtime.invoke(ref, {})))),
        stack: await runtime.invoke('bad', {}).catch(error => error.stack.split('\\n')[1]),
      }`,
    ) as typeof said
  })

  it('of a delegate needs no folder for temporary files, and means the same compiled and in a bundle', {
    tags: 'long',
  }, async () => {
    expect(said.delegates).toEqual(RESULTS)
    const options = { cwd: root, paths: ['skills'], external: ['apart'], bundle: 'dist/agent.mjs' }
    expect((await compile(options)).diagnostics.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(runWithoutTemporary(root, `return ${INVOKING}`)).toEqual(RESULTS)
    const dir = join(root, 'skills')
    for (const file of readdirSync(dir)) rmSync(join(dir, file), { recursive: true })
    const { runtime } = await import(pathToFileURL(join(root, 'dist/agent.mjs')).href)
    expect(await Promise.all(NAMES.map(name => runtime.invoke(name, { name: 'Ann' })))).toEqual(RESULTS)
  })

  it('of a reference needs none, and is kept as a registered tool under the whole reference', () => {
    expect([said.refs, said.areKept]).toEqual([RESULTS, true])
  })

  it('imports files that know where they lie', () => {
    expect(said.place).toBe(join(root, 'other/place.js'))
  })

  it('that imports what is not there says which import it is', () => {
    expect(said.absent).toEqual(
      ABSENT.map(name =>
        expect.objectContaining({
          code: 'TOOL_BROKEN',
          message: expect.stringMatching(new RegExp(`^The code cannot be bundled: .*"${name}"`)),
        }),
      ),
    )
  })

  it('is named in stacks by the file that it stands in, not by its text', () => {
    expect(said.stack).toMatch(/skills\/bad\.skill\.md#inline:\d+:\d+\)?$/)
  })
})

it('code in files is bundled to the folder for temporary files', { tags: 'long' }, () => {
  const { dir } = codeProject({
    'skills/a.skill.js': 'export const frontmatter = { name: "a" }\nexport default () => 1\n',
  })
  const place = makeTree({})
  const code = `import { readdirSync } from 'node:fs'
    import { createRuntime } from 'agent-apps'
    await createRuntime({ paths: [${JSON.stringify(dir)}] }).invoke('a', {})
    console.log(readdirSync(${JSON.stringify(place)}).length)`
  expect(runCode(code, { TMPDIR: place })).toBe('1\n')
})
