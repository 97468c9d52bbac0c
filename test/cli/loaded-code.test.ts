import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { loadedModules } from '../../bench/loaded-modules.js'
import { installedPackage } from '../support/installed-package.js'
import { isLong, some } from '../support/long.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { makeTree, skill } from '../support/tree.js'

/** Frontmatter without a fault, of the kinds that most skills have. */
const PLAIN = {
  'skills/one/SKILL.md': skill('one'),
  'skills/two/SKILL.md':
    '---\nname: two\ndescription: "Do it: now."\nmetadata:\n  tags:\n    - a\n---\n# Two\n\n`code`\n',
  'skills/tools.skill.md': skill('tools'),
}
const HEAVY =
  /\/node_modules\/(?:@esbuild|esbuild|unified|remark[\w-]*|micromark|ajv|yaml|js-yaml|gray-matter|acorn|@sveltejs|jsonc-parser|picomatch|diff|semver|vfile-message)\//
/** What compiles code, starts processes or resolves cascades, and what only a program that runs tools needs. */
const FOR_OTHERS = [
  'compiler/esbuild/bundle-modules.js',
  'compiler/files/child-process.js',
  'src/cascade/chain.js',
  'src/skill/define-tool.js',
  'src/catalog/catalog.js',
]
const READS = ['compiler/1-read/walk/walk.js', 'compiler/1-read/markdown/parse-file.js']
const RUNS = ['runtime/create-runtime.js']

const OTHERS = [...FOR_OTHERS, ...RUNS]

const COMMANDS: [command: string, unneeded: string[], needed: string[]][] = [
  ['compile --check skills', OTHERS, []],
  ['check skills', OTHERS, READS],
  ['compile skills', OTHERS, READS],
  ['list --path skills', [...FOR_OTHERS, ...READS], RUNS],
]

it.each(some(COMMANDS))(
  '%s loads no package and none of our own modules that it does not need',
  async (command, unneeded, needed) => {
    const cwd = makeTree(PLAIN)
    if (/list|--check/.test(command)) await compile({ cwd, paths: ['skills'] })
    const files = loadedModules(command.split(' '), cwd).map(({ file }) => file)
    // What it does load is seen.
    expect(files.some(file => file.startsWith(join(ROOT, 'dist/compiler')))).toBe(true)
    expect(files.filter(file => HEAVY.test(file))).toEqual([])
    const loaded = modulesIn(files)
    expect(needed.filter(module => !loaded.has(module))).toEqual([])
    expect(unneeded.filter(module => loaded.has(module))).toEqual([])
    // They are called so at all.
    const all = modulesIn(readdirSync(join(ROOT, 'dist'), { recursive: true, encoding: 'utf8' }).map(inDist))
    expect(unneeded.filter(module => !all.has(module))).toEqual([])
  },
)

it.runIf(isLong)('a list of skills that are not compiled loads no package that they do not need', () => {
  const files = loadedModules(['list', '--path', 'skills'], makeTree(PLAIN)).map(({ file }) => file)
  expect(files.some(file => file.startsWith(join(ROOT, 'dist/compiler')))).toBe(true)
  expect(files.filter(file => HEAVY.test(file))).toEqual([])
})

const inDist = (name: string): string => join(ROOT, 'dist', name)

/** The modules that built files consist of, which comments in these name. */
function modulesIn(files: readonly string[]): Set<string> {
  const texts = files.filter(file => file.endsWith('.js')).map(file => readFileSync(file, 'utf8'))
  return new Set(
    texts.flatMap(text => [...text.matchAll(/^\/\/ (\S+\.js)$/gm)].map(([, module = '']) => module)),
  )
}

it('sees a package that a skill needs', { tags: 'long' }, () => {
  const cwd = makeTree({ 'skills/one/SKILL.md': '---\nname: one\ndescription: >\n  Do.\n---\n' })
  const files = loadedModules(['compile', 'skills'], cwd).map(({ file }) => file)
  expect(files.some(file => /\/node_modules\/gray-matter\//.test(file) && HEAVY.test(file))).toBe(true)
})

it('the overview of the commands loads neither the runtime nor the compiler', () => {
  for (const args of some([['--version'], ['help'], ['--help']]))
    for (const { file } of loadedModules(args, temporary())) expect(file).toContain(join(ROOT, 'dist/cli'))
})

it('an installed package keeps compiled code beside itself, a checkout does not', { tags: 'long' }, () => {
  const { modules, command } = installedPackage()
  const cwd = makeTree(PLAIN)
  execFileSync(process.execPath, [command, 'compile', '--quiet', 'skills'], { cwd })
  expect(readdirSync(join(modules, '.cache/agent-apps'))).toHaveLength(1)
  // A checkout is beside folders of other projects.
  expect(existsSync(join(ROOT, '../.cache/agent-apps'))).toBe(false)
})
