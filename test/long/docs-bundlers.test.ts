import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installInto } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'
import { temporary } from '../support/temporary.js'
import { tsc } from '../support/tsc.js'

const PAGE = readFileSync(join(ROOT, 'docs/bundlers.md'), 'utf8')
const FILES = [...PAGE.matchAll(/^```(?:js|ts) (\S+)\n([\s\S]*?)^```$/gm)]
const TYPED = /^```ts\n([\s\S]*?)^```$/m.exec(PAGE)?.[1] ?? ''

function run(cwd: string, args: string[]): { stdout: string; stderr: string; status: number | null } {
  return spawnSync(process.execPath, args, { cwd, encoding: 'utf8' })
}

describe('docs/bundlers.md, over examples/bundle', () => {
  let root: string
  beforeAll(() => {
    root = temporary()
    cpSync(join(ROOT, 'examples/bundle'), root, { recursive: true })
    installInto(root)
    for (const name of ['vite', 'esbuild'])
      symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name))
    writeFileSync(join(root, 'package.json'), '{ "type": "module" }')
    for (const [, path = '', text = ''] of FILES) {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
  })

  /** What the page's module says that was built. */
  function said(out: string): unknown {
    const program = `const { count, names } = await import('./${out}/count.js')
      console.log(JSON.stringify([await count('one two'), await names()]))`
    const { stdout, stderr } = run(root, ['--input-type=module', '-e', program])
    expect(stderr).toBe('')
    return JSON.parse(stdout)
  }
  const ANSWER = ['2 WORDS! (word-count)', expect.arrayContaining(['review', 'word-count'])]

  it('has files', () => {
    expect(FILES.map(([, path]) => path)).toEqual([
      'src/count.js',
      'vite.config.js',
      'build.mjs',
      'env.d.ts',
      'plugin.mjs',
    ])
  })

  it('has a build by Vite', () => {
    const vite = join(ROOT, 'node_modules/vite/bin/vite.js')
    const { status, stderr } = run(root, [vite, 'build', '--ssr', 'src/count.js', '--logLevel', 'error'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(said('dist')).toEqual(ANSWER)
  })

  it('has a build by esbuild', () => {
    const { status, stderr } = run(root, ['build.mjs'])
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(said('out')).toEqual(ANSWER)
    expect(readdirSync(join(root, 'out')).length).toBeGreaterThan(20)
  })

  it('has types, one of whose calls is wrong', () => {
    writeFileSync(join(root, 'typed.ts'), TYPED)
    const faults = (types: string): string[] =>
      tsc(root, ['--module', 'nodenext', types, 'typed.ts']).match(/^\S+\(\d+(?=,\d+\): error)/gm) ?? []
    expect(faults('src/agent-apps.d.ts')).toEqual(['typed.ts(4'])
    expect(faults('env.d.ts')).toEqual([])
  })

  it('has what a plugin is made of', () => {
    const { stdout } = run(root, [
      '--input-type=module',
      '-e',
      "const { text, errors, summary } = await import('./plugin.mjs'); console.log(JSON.stringify({ text, errors, summary }))",
    ])
    const { text, errors, summary } = JSON.parse(stdout)
    expect(text).toMatch(/^\/\/ Made by agent-apps/)
    expect(errors).toEqual([])
    expect(summary).toMatchObject({ entry: 'agent-apps.mjs', assets: 0 })
    expect(summary.looked).toBeGreaterThan(5)
  })
})
