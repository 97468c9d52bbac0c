import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as agentApps from 'agent-apps'
import { expect, it } from 'vitest'
import { ROOT } from '../support/processes.js'
import { makeTree } from '../support/tree.js'

const PAGE = readFileSync(join(ROOT, 'docs/workspace.md'), 'utf8')
const PROGRAM = [...PAGE.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code).join('\n')
const GREET = "export function greet() {\n  return 'Hello'\n}\n"

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>

it('docs/workspace.md tells the truth, with an example of each tool', async () => {
  const cwd = makeTree({ 'repo/src/greet.ts': GREET })
  const results: unknown[] = []
  const values = {
    createRuntime: (options: agentApps.RuntimeOptions) => {
      const runtime = agentApps.createRuntime({ cwd, ...options })
      const invoke = async (...call: Parameters<typeof runtime.invoke>): Promise<unknown> => {
        const result = await runtime.invoke(...call)
        results.push(result)
        return result
      }
      return { ...runtime, invoke }
    },
    /** Compares the last result with what the page says, in which `…` stands for the rest. */
    gives: (value: unknown) => expect(results.at(-1)).toMatchObject(value as object),
  }
  const claims = [...PROGRAM.matchAll(/^\/\/ → .*$/gm)].length
  const body = PROGRAM.replace(/^import .*$/gm, '').replace(
    /^\/\/ → (.*)$/gm,
    (_, value: string) => `;gives(${value.replace(/, … }/g, ' }')})`,
  )
  await new AsyncFunction(...Object.keys(values), body)(...Object.values(values))
  expect(claims).toBe(results.length)
  for (const tool of ['read', 'write', 'edit', 'glob', 'grep', 'list'])
    expect(PROGRAM, tool).toContain(`runtime.invoke('${tool}'`)
})
