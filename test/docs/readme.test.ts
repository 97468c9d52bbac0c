import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { ROOT } from '../support/processes.js'
import { tsc } from '../support/tsc.js'

// `scripts/follow-readme.js` runs them.
it('the README’s programs compile under `strict`', () => {
  const text = readFileSync(join(ROOT, 'README.md'), 'utf8')
  const programs = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, program = '']) => program)
  expect(programs.length).toBeGreaterThan(1)
  const files = programs.map((program, at) => [`program-${at}.ts`, program] as const)
  const { root } = codeProject({ 'package.json': '{ "type": "module" }', ...Object.fromEntries(files) })
  expect(tsc(root, ['--module', 'nodenext', ...files.map(([file]) => file)])).toBe('')
})
