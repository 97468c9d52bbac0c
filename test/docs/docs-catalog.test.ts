import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as agentApps from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PAGE = readFileSync(join(ROOT, 'docs/catalog.md'), 'utf8')
const FILES = Object.fromEntries(
  [...PAGE.matchAll(/^```md (skills\/\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [
    path,
    text,
  ]),
)
/** What a variable of the page holds, as the block of its name shows it. */
const SHOWN = [...PAGE.matchAll(/^(`{3,4})\w+ (prompt|markdown|json|relevant)\n([\s\S]*?)^\1$/gm)]
/** A line that says what it gives. */
const CLAIM = /^(\S.*?)\s+\/\/ → (.*)$/gm
const PROGRAM = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).join('\n')

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<Record<string, string>>

it.each(['from disk', 'compiled'])('docs/catalog.md tells the truth, %s', async way => {
  const cwd = makeTree({ 'package.json': '{}\n', ...FILES })
  if (way === 'compiled') {
    const { counts, catalog } = await compile({ cwd, paths: ['skills'] })
    expect(counts.found).toBe(Object.keys(FILES).length - 1)
    expect(PAGE).toContain(`catalog: ${catalog.tools} tools, about ${catalog.tokens} tokens`)
    expect(PAGE).toContain(`compiled ${counts.found} skills (${counts.found} changed)`)
  }
  let checked = 0
  const names: Record<string, unknown> = {
    ...agentApps,
    createRuntime: (options: agentApps.RuntimeOptions) => agentApps.createRuntime({ cwd, ...options }),
    gives: (actual: unknown, value: unknown) => {
      checked++
      expect(actual).toEqual(value)
    },
  }
  const body = PROGRAM.replace(/^import .*$/gm, '').replace(CLAIM, ';gives($1, $2)')
  const variables = SHOWN.map(([, , name]) => name).join(', ')
  const held = await new AsyncFunction(...Object.keys(names), `${body}\nreturn { ${variables} }`)(
    ...Object.values(names),
  )
  expect(SHOWN).toHaveLength(4)
  for (const [, , name = '', text = ''] of SHOWN) expect(held[name]?.trim()).toBe(text.trim())
  expect(checked).toBe([...PROGRAM.matchAll(CLAIM)].length)
  expect(checked).toBeGreaterThan(8)
})
