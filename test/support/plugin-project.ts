import { execFile, spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { expect, vi } from 'vitest'
import { codeProject, installInto } from './code-project.js'
import { ROOT } from './processes.js'
import { temporary } from './temporary.js'
import { skill, type Tree, writeTree } from './tree.js'

/** A text that reads like what the plugins look for. */
const LOOKALIKE = 'new URL("./asset-00000000.txt", import.meta.url) agent-apps-asset:foo.txt'
/** What the skill `placed` gives. */
export const PLACED = `file ${LOOKALIKE}`

/** A skill that reads a file by its own place, and one whose package in CommonJS uses a module of Node. */
const MORE: Tree = {
  'skills/placed.skill.ts': [
    "import { readFileSync } from 'node:fs'",
    "import common from 'common'",
    "export const frontmatter = { name: 'placed', description: 'Reads a file.' }",
    `const text = '${LOOKALIKE}'`,
    "export default () => common(readFileSync(new URL('./words.txt', import.meta.url), 'utf8')) + ' ' + text",
    '',
  ].join('\n'),
  'skills/words.txt': 'from/a/file',
  'node_modules/common/package.json': '{"name":"common","main":"index.js"}',
  'node_modules/common/index.js': "module.exports = path => require('path').basename(path)\n",
  'placed.js': "import { tools } from 'virtual:agent-apps'\ntools.placed().then(console.log)\n",
}

/** `examples/bundle` as a project whose modules import the virtual module; `more` adds skills that need Node. */
export function exampleProject(more = true): string {
  const root = temporary()
  cpSync(join(ROOT, 'examples/bundle'), root, { recursive: true })
  const answers = readFileSync(join(root, 'answers.mjs'), 'utf8')
  writeTree(root, {
    'package.json': '{ "type": "module" }\n',
    'answers.js': answers.replace('./dist/agent.mjs', 'virtual:agent-apps'),
    // No `await` at the top: not every format has it.
    'app.js': "import { answers } from './answers.js'\nanswers().then(a => console.log(JSON.stringify(a)))\n",
    ...(more && MORE),
  })
  installInto(root)
  return root
}

/** What the project says from the bundle that `compile` writes. */
export async function saidByBundle(root: string): Promise<string> {
  await compile({ cwd: root, bundle: 'dist/agent.mjs' })
  const said = run(root, 'app.mjs')
  rmSync(join(root, 'dist'), { recursive: true })
  return said
}

/** What a program says that was built, where nothing else is. */
export function runAlone(root: string, out: string, program: string): string {
  const moved = join(temporary(), 'moved')
  cpSync(join(root, out), moved, { recursive: true })
  return run(moved, program)
}

/** What a program says. */
export function run(folder: string, program: string): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, [program], { cwd: folder, encoding: 'utf8' })
  return status === 0 && stderr === '' ? stdout : `exit ${status}: ${stderr}`
}

/** Waits until a program says something. What watches runs in this process, and goes on meanwhile. */
export function untilSaid(folder: string, program: string, expected: string): Promise<void> {
  const said = (): Promise<string> =>
    new Promise(done => {
      execFile(process.execPath, [program], { cwd: folder }, (_, stdout, stderr) => done(stdout || stderr))
    })
  return vi.waitFor(async () => expect(await said()).toBe(expected), { timeout: 180_000, interval: 100 })
}

/** A project with one skill and a program that says what that gives, and which tools there are. */
export function smallProject(tree: Tree = {}): string {
  return codeProject({
    'package.json': '{ "type": "module" }\n',
    'skills/one/SKILL.md': skill('one', 'First.\n'),
    'said.js': [
      "import { tools } from 'virtual:agent-apps'",
      'const own = Object.keys(tools).filter(name => !/^(agent|skill)-/.test(name))',
      'export const said = async () =>',
      "  `${own.join()} ${(await Promise.all(own.map(name => tools[name]()))).join('')}`",
      '',
    ].join('\n'),
    'app.js': "import { said } from './said.js'\nsaid().then(console.log)\n",
    ...tree,
  }).root
}
