import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as agentApps from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect, it } from 'vitest'
import { codeProject } from '../support/code-project.js'
import { oneIn } from '../support/long.js'
import { ROOT } from '../support/processes.js'

const PAGE = readFileSync(join(ROOT, 'docs/running.md'), 'utf8')

/** A line that says what it gives: `expression // → value`, or `expression // throws CODE`. */
const CLAIM = /^(\S.*?)\s+\/\/ (?:→ (.*)|throws (\w+))$/gm

const FILES = Object.fromEntries(
  [...PAGE.matchAll(/^```js (\S+)\n([\s\S]*?)^```$/gm)].map(([, path = '', text = '']) => [path, text]),
)

/** The blocks that a program would hold, as one program. */
const PROGRAM = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).join('\n')

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>

it.each(oneIn(2, ['compiled', 'from disk']))('docs/running.md tells the truth, %s', async way => {
  const { root } = codeProject(FILES)
  if (way === 'compiled') {
    const { counts, diagnostics } = await compile({ cwd: root, paths: ['skills'] })
    expect(diagnostics.map(({ reason }) => reason)).toEqual([])
    expect(counts.found).toBe(Object.keys(FILES).length)
  }
  let checked = 0
  const names: Record<string, unknown> = {
    ...agentApps,
    createRuntime: (options: agentApps.RuntimeOptions) => agentApps.createRuntime({ cwd: root, ...options }),
    gives: (actual: unknown, value: unknown) => {
      checked++
      expect(actual).toEqual(value)
    },
    throws: async (work: () => Promise<unknown>, code: string) => {
      checked++
      await expect(work()).rejects.toMatchObject({ code })
    },
  }
  const claims = [...PROGRAM.matchAll(CLAIM)].length
  const body = PROGRAM.replace(/^import \{ .* \} from 'agent-apps'$/gm, '').replace(
    CLAIM,
    (_, expression: string, value?: string, code?: string) =>
      code === undefined
        ? `;gives(${expression.replace(/^;/, '')}, ${value})`
        : `;await throws(async () => ${expression}, '${code}')`,
  )
  await new AsyncFunction(...Object.keys(names), body)(...Object.values(names))
  expect(claims).toBeGreaterThan(0)
  expect(checked).toBe(claims)
})
