import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import * as agentApps from 'agent-apps'
import * as compiler from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { makeTree, skill } from '../support/tree.js'

/** Of the project that the pages speak of. */
const cwd = makeTree({ 'skills/review/SKILL.md': skill('code-review') })

const MODULES: Record<string, object> = {
  'agent-apps': agentApps,
  'agent-apps/compiler': {
    ...compiler,
    check: (options: compiler.CheckOptions) => compiler.check({ cwd, ...options }),
    graph: (options: compiler.GraphOptions) => compiler.graph({ cwd, ...options }),
  },
  'node:vm': vm,
}

const AsyncFunction = (async () => {}).constructor as new (
  ...source: string[]
) => (...values: unknown[]) => Promise<void>

/** A line that says what it gives: `expression // → value`, or `expression // throws CODE`. */
const CLAIM = /^(\S.*?)\s+\/\/ (?:→ (.*)|throws (\w+))$/gm

describe.each(['helpers', 'patterns', 'paths', 'interpolation', 'serialization'])('docs/%s.md', page => {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

  it.each(blocks)('tells the truth: %#', async code => {
    const claims = [...code.matchAll(CLAIM)].length
    expect(claims).toBeGreaterThan(0)
    let checked = 0
    const names: Record<string, unknown> = {
      gives: (actual: unknown, value: unknown) => {
        checked++
        expect(actual).toEqual(value)
      },
      throws: (work: () => unknown, wanted: string) => {
        checked++
        expect(work).toThrow(expect.objectContaining({ code: wanted }))
      },
    }
    const body = code
      .replace(/^import \{ (.*) \} from '(.*)'$/gm, (_, imported: string, module: string) => {
        for (const name of imported.split(', ')) names[name] = Reflect.get(MODULES[module] ?? {}, name)
        return ''
      })
      .replace(CLAIM, (_, expression: string, value?: string, wanted?: string) =>
        wanted === undefined
          ? `gives(${expression}, ${value})`
          : `throws(() => ${expression}, ${JSON.stringify(wanted)})`,
      )
    await new AsyncFunction(...Object.keys(names), body)(...Object.values(names))
    expect(checked).toBe(claims)
  })
})

describe('docs/serialization.md', () => {
  it('has the table of the source', () => {
    const rows = (file: string): string[] =>
      [
        ...readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8').matchAll(
          /^(?: \* )?(\| .* \| .* \|)$/gm,
        ),
      ].map(([, row = '']) => row)
    expect(rows('docs/serialization.md')).toEqual(rows('src/serialize/serialize.ts'))
  })
})
