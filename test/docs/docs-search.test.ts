import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as agentApps from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { agentApps as command } from '../support/commands.js'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PAGE = readFileSync(join(ROOT, 'docs/search.md'), 'utf8')
const FILES = Object.fromEntries(
  [...PAGE.matchAll(/^```md (skills\/\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
)
/** A line that says what it gives. */
const CLAIM = /^(\S.*?)\s+\/\/ → (.*)$/gm
const PROGRAM = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).join('\n')

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>

it.each(['from disk', 'compiled'])('docs/search.md tells the truth, %s', async way => {
  const cwd = makeTree({ 'package.json': '{}\n', ...FILES })
  if (way === 'compiled') await compile({ cwd, paths: ['skills'] })
  let checked = 0
  const names: Record<string, unknown> = {
    ...agentApps,
    createRuntime: (options: agentApps.RuntimeOptions) => agentApps.createRuntime({ cwd, ...options }),
    gives: (actual: unknown, value: unknown) => {
      checked++
      expect(actual).toEqual(value)
    },
  }
  const body = PROGRAM.replace(/^import .*$/gm, '').replace(
    CLAIM,
    (_, code: string, value: string) => `;gives(${code.replace(/^;/, '')}, ${value})`,
  )
  await new AsyncFunction(...Object.keys(names), body)(...Object.values(names))
  expect(checked).toBe([...PROGRAM.matchAll(CLAIM)].length)
  expect(checked).toBeGreaterThan(10)
  const [, words = '', shown = ''] = /^ {4}\$ npx agent-apps search (.*)\n((?: {4}.*\n)+)/m.exec(PAGE) ?? []
  const { stdout } = await command(cwd, ['search', ...words.split(' '), '--path', 'skills'])
  expect(stdout).toBe(shown.replace(/^ {4}/gm, ''))
})
