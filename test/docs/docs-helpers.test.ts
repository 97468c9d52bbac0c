import { readFileSync } from 'node:fs'
import vm from 'node:vm'
import * as agentApps from 'agent-apps'
import { describe, expect, it } from 'vitest'

const MODULES: Record<string, object> = { 'agent-apps': agentApps, 'node:vm': vm }

/** A line that says what it gives: `expression // → value`, or `expression // throws CODE`. */
const CLAIM = /^(\S.*?)\s+\/\/ (?:→ (.*)|throws (\w+))$/gm

describe.each(['patterns', 'paths', 'interpolation', 'serialization'])('docs/%s.md', page => {
  const text = readFileSync(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8')
  const blocks = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)

  it.each(blocks)('tells the truth: %#', code => {
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
    new Function(...Object.keys(names), body)(...Object.values(names))
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
