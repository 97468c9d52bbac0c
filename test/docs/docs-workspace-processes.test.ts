import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as agentApps from 'agent-apps'
import { expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PAGE = readFileSync(join(ROOT, 'docs/workspace-processes.md'), 'utf8')

/** The examples, as one program. */
const PROGRAM = [...PAGE.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).join('\n')

/** A line that says what it gives: `expression // → value`, or `expression // throws CODE`. */
const CLAIM = /^(\S.*?)\s+\/\/ (?:→ (.*)|throws (\w+))$/gm

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>

it('docs/workspace-processes.md tells the truth', async () => {
  const cwd = makeTree({ 'repo/src/a.ts': '' })
  let checked = 0
  const names: Record<string, unknown> = {
    createRuntime: (options: agentApps.RuntimeOptions) => agentApps.createRuntime({ cwd, ...options }),
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
  const body = PROGRAM.replace(/^import .*$/gm, '').replace(
    CLAIM,
    (_, expression: string, value?: string, code?: string) =>
      code === undefined
        ? `;gives(${expression}, ${value})`
        : `;await throws(() => ${expression}, ${JSON.stringify(code)})`,
  )
  await new AsyncFunction(...Object.keys(names), body)(...Object.values(names))
  expect(checked).toBe(claims)
  expect(claims).toBeGreaterThan(4)
})
