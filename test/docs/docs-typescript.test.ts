import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'
import { tsc } from '../support/tsc.js'

/** Pages with calls that must not compile, or with files that a command writes, have tests of their own. */
const TESTED_ELSEWHERE = ['docs/types.md', 'docs/deploying.md']

/** Names that an example may use and does not define. */
const NAMES = `
import type * as agentApps from 'agent-apps'
declare global {
  const createRuntime: typeof agentApps.createRuntime
  const defineTool: typeof agentApps.defineTool
  const runtime: ReturnType<typeof agentApps.createRuntime>
  const agent: ReturnType<ReturnType<typeof agentApps.createRuntime>['forAgent']>
  const args: Record<string, unknown>
  const id: string
  const callId: string
  const askUser: (request: unknown) => Promise<boolean>
  const openIndex: () => Promise<(args: Record<string, unknown>) => unknown>
}
`

it('TypeScript in the README and in pages compiles under `strict`', { tags: 'long' }, () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md'))
  const programs: Record<string, string> = { 'names.d.ts': NAMES }
  for (const page of ['README.md', ...pages.map(name => `docs/${name}`)]) {
    if (TESTED_ELSEWHERE.includes(page)) continue
    const blocks = readFileSync(join(ROOT, page), 'utf8').matchAll(/^```ts(?: \S+)?\n([\s\S]*?)^```/gm)
    // Each is a module, so that its names are its own.
    for (const [at, [, program]] of [...blocks].entries())
      programs[`${page.replace(/\W/g, '-')}-${at}.ts`] = `${program}\nexport {}\n`
  }
  expect(Object.keys(programs).length).toBeGreaterThan(30)
  const { root } = codeProject({ 'package.json': '{ "type": "module" }', ...programs })
  const types = ['--types', 'node', '--typeRoots', join(ROOT, 'node_modules/@types')]
  expect(tsc(root, ['--module', 'nodenext', ...types, ...Object.keys(programs)])).toBe('')
})
