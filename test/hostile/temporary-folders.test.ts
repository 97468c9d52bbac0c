import { spawnSync } from 'node:child_process'
import fs, { existsSync, readdirSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createRuntime } from 'agent-apps'
import { expect, it, vi } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { ROOT, runCode } from '../support/processes.js'
import { makeTree, type Tree } from '../support/tree.js'
import { withSpies } from '../support/with-spies.js'

const TREE: Tree = {
  'skills/greet.skill.js': `export const frontmatter = { name: 'greet', description: 'Greets.' }\nexport default () => 'hello'\n`,
}

/** Code that runs a tool which was not compiled, and prints what it gives. */
function calling(dir: string): string {
  return `
    import { createRuntime } from 'agent-apps'
    const { invoke } = createRuntime({ paths: [${JSON.stringify(dir)}], library: false })
    console.log(await invoke('greet', {}))
  `
}

const OWNED: [why: string, owner: string, stays: boolean][] = [
  ['of a process that is gone', `${2 ** 22 + 1} ${hostname()} 0`, false],
  ['of a process that runs', `${process.ppid} ${hostname()} 0`, true],
  ['of a process of another machine', `${2 ** 22 + 1} elsewhere 0`, true],
  ['that names nobody', '', true],
  ['that says more', `${2 ** 22 + 1} ${hostname()} 0 and more`, true],
  ['that says less', `${2 ** 22 + 1} ${hostname()}`, true],
  ['of no number', `the ${hostname()} machine's notes`, true],
  ['of a number below 0', `-1 ${hostname()} 1`, true],
  ['of a number with more behind it', `${2 ** 22 + 1}x ${hostname()} 1`, true],
]

/** What `mkdtemp` names a folder. */
const nameOf = (number: number): string => `agent-apps-Aa${String(number).padStart(4, '0')}`

it('removes what a killed process left of the code that it bundled', { tags: 'long' }, () => {
  const { dir } = codeProject(TREE)
  const place = makeTree({})
  const killed = spawnSync(
    process.execPath,
    ['--input-type=module', '-e', `${calling(dir)}\nprocess.kill(process.pid, 'SIGKILL')`],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, TMPDIR: place } },
  )
  expect([killed.signal, killed.stdout]).toEqual(['SIGKILL', 'hello\n'])
  expect(readdirSync(place)).toEqual([expect.stringMatching(/^agent-apps-\w{6}$/)])
  expect(runCode(calling(dir), { TMPDIR: place })).toBe('hello\n')
  expect(readdirSync(place)).toEqual([])
})

it('leaves a folder that may be needed', { tags: 'long' }, () => {
  const { dir } = codeProject(TREE)
  const owned = OWNED.flatMap(([, owner], number) => [
    [`${nameOf(number)}/owner`, owner],
    [`${nameOf(number)}/module-0123ABCD.mjs`, ''],
  ])
  const gone = OWNED[0]?.[1] ?? ''
  const others = {
    'agent-apps-notes/own.md': 'Mine.\n',
    'agent-apps-older/owner': gone,
    'agent-apps-notes7/owner': gone,
    'agent-apps-Files7/owner': gone,
    'agent-apps-Files7/own.mjs': 'Mine.\n',
    'agent-apps-Folder/owner': gone,
    'agent-apps-Folder/module-0123ABCD.mjs/own.md': 'Mine.\n',
    'agent-apps-file': 'Mine.\n',
    'other/owner': OWNED[0]?.[1] ?? '',
    'agent-apps-link': { link: join(dir, 'nothing') },
  }
  const place = makeTree({ ...Object.fromEntries(owned), ...others })
  const before = readdirSync(place)
  runCode(calling(dir), { TMPDIR: place })
  const left = OWNED.flatMap(([, , stays], number) => (stays ? [] : [nameOf(number)]))
  // It has nothing but an owner, as where one was killed before it wrote any code.
  left.push('agent-apps-notes7')
  expect(readdirSync(place)).toEqual(before.filter(name => !left.includes(name)))
  expect(existsSync(join(place, 'agent-apps-Folder/module-0123ABCD.mjs/own.md'))).toBe(true)
})

it('runs code where something that was left cannot be removed', { tags: 'long' }, () => {
  const { dir } = codeProject(TREE)
  const gone = OWNED[0]?.[1] ?? ''
  const place = makeTree({ 'agent-apps-First1/owner': gone, 'agent-apps-Other2/owner': gone })
  const refusing = `
    import fs from 'node:fs'
    import { syncBuiltinESMExports } from 'node:module'
    for (const name of ['rmSync', 'unlinkSync', 'rmdirSync']) {
      const does = fs[name]
      fs[name] = (path, ...how) => {
        if (!String(path).includes('Other2')) throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES' })
        return does(path, ...how)
      }
    }
    syncBuiltinESMExports()`
  expect(runCode(`${refusing}\n${calling(dir)}`, { TMPDIR: place })).toBe('hello\n')
  expect(readdirSync(place)).toEqual([
    expect.stringMatching(/^agent-apps-\w{6}$/),
    expect.stringMatching(/^agent-apps-\w{6}$/),
  ])
  expect(readdirSync(place)).not.toContain('agent-apps-Other2')
})

it('runs code where nobody may list the place', async () => {
  const { dir } = codeProject(TREE)
  const { readdirSync: list } = fs
  const listed = vi.spyOn(fs, 'readdirSync').mockImplementation(((path: string, ...how: []) => {
    if (path !== tmpdir()) return list(path, ...how)
    throw Object.assign(new Error(`EACCES: permission denied, scandir '${path}'`), { code: 'EACCES' })
  }) as never)
  const { invoke } = createRuntime({ paths: [dir], library: false })
  expect(await withSpies([listed], () => invoke('greet', {}))).toBe('hello')
})
