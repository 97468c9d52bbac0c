// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what is tested here is written so
import { interpolate, interpolationPaths } from 'agent-apps'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { character } from '../support/characters.js'
import { isLong, times } from '../support/long.js'
import { processorTime } from '../support/processor-time.js'

const roots = {
  args: { file: 'a.ts', n: 3, list: [1, { b: 2 }], text: '${args.n}', 'a b': 'c', zero: 0, none: null },
  config: { deep: { on: true } },
  env: { HOME: '/home' },
}

describe('interpolate', () => {
  it.each<[unknown, unknown]>([
    ['${args.file}', 'a.ts'],
    ['${args.n}', 3],
    ['${ args.n }', 3],
    ['${args.list}', [1, { b: 2 }]],
    ['${args.missing}', undefined],
    ['${locals.x}', undefined],
    ['${args.none}', null],
    ['file: ${args.file}, ${args.n}', 'file: a.ts, 3'],
    ['[${args.list}]', '[[1,{"b":2}]]'],
    ['<${args.missing}${args.none}${args.zero}>', '<0>'],
    ['${args["a b"]}', 'c'],
    ['${args.list[-1].b}', 2],
    ['${env.HOME}/x', '/home/x'],
    ['${env.PATH}', undefined],
    ['\\${args.n}', '${args.n}'],
    ['\\${args.n} ${args.n}', '${args.n} 3'],
    ['${args.text}', '${args.n}'],
    ['<${args.text}>', '<${args.n}>'],
    ['${CLAUDE_SKILL_DIR} $ARGUMENTS $1', '${CLAUDE_SKILL_DIR} $ARGUMENTS $1'],
    ['${argsx.n} ${process.env.HOME} ${1+1} ${}', '${argsx.n} ${process.env.HOME} ${1+1} ${}'],
    ['${args.__proto__}', undefined],
    ['${args.constructor.name}', undefined],
    [
      { a: ['${args.n}', { '${args.n}': 'x${args.n}' }], b: 5 },
      { a: [3, { '${args.n}': 'x3' }], b: 5 },
    ],
    [null, null],
  ])('%j', (value, filled) => {
    expect(interpolate(value, roots)).toEqual(filled)
  })

  it('leaves what is neither text, list nor mapping as it is', () => {
    const value = [new Date(0), new Map([['a', '${args.n}']]), new Uint8Array(3)]
    const filled = interpolate(value, roots) as unknown[]
    expect(filled.map((item, at) => item === value[at])).toEqual([true, true, true])
    expect(interpolationPaths(value)).toEqual([])
  })

  it('takes a path and nothing else', () => {
    for (const text of ['${args.n + 1}', '${args.file.slice(1)}', '${args.}', '${args[}'])
      expect(() => interpolate(text, roots)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }))
  })

  it('joins what is not JSON as words', () => {
    const cycle: Record<string, unknown> = { big: 1n }
    cycle.self = cycle
    expect(interpolate('<${args}>', { args: cycle })).toBe('<{"big":"1n","self":"[Circular]"}>')
  })

  it('gives the paths it reads, each once', () => {
    const value = { a: '${args.n} ${ args.n } ${env.HOME}', b: ['\\${args.x} ${other} ${config.deep}', 4] }
    expect(interpolationPaths(value)).toEqual(['args.n', 'env.HOME', 'config.deep'])
  })

  it('leaves text without expressions as it is, and never looks at what it filled in', () => {
    fc.assert(
      fc.property(fc.string({ unit: character }), text => {
        const plain = text.replaceAll('$', '')
        expect(interpolate(plain, roots)).toBe(plain)
        expect(interpolate('a${args.x}b', { args: { x: text } })).toBe(`a${text}b`)
        expect(interpolate('${args.x}', { args: { x: text } })).toBe(text)
      }),
      { numRuns: times(20, 1_000) },
    )
  })

  it('keeps a key called __proto__ a key', () => {
    const value: unknown = JSON.parse('{"__proto__":"${args.n}"}')
    const filled = interpolate(value, roots)
    expect(Object.entries(filled as object)).toEqual([['__proto__', 3]])
  })

  describe('does no more than it may', () => {
    const exceeds = expect.objectContaining({ code: 'LIMIT_EXCEEDED' })
    const list = Array.from({ length: 30_000 }, (_, at) => ({ at }))

    it('of a long text that is filled in often', () => {
      const args = { text: 'x'.repeat(100_000) }
      expect(() => interpolate('${args.text}'.repeat(5_000), { args })).toThrow(exceeds)
      expect(() => interpolate(Array(5_000).fill('<${args.text}>'), { args })).toThrow(exceeds)
      expect(interpolate('${args.text}'.repeat(50), { args })).toHaveLength(5_000_000)
      // Whole values are not copied.
      expect(interpolate(Array(5_000).fill('${args.text}'), { args })).toHaveLength(5_000)
    })

    it.runIf(isLong)('of what is looked for at any depth', () => {
      const elapsed = processorTime()
      expect(interpolate('${args..zz}'.repeat(5_000), { args: list })).toBe('')
      const different = list.map((_, at) => `\${args..z${at}}`)
      expect(() => interpolate(different.join(''), { args: list })).toThrow(exceeds)
      expect(() => interpolate(different, { args: list })).toThrow(exceeds)
      const items = list.map((_, at) => `\${args[?at=x${at}]}`)
      expect(() => interpolate(items, { args: list })).toThrow(exceeds)
      expect(elapsed()).toBeLessThan(10_000)
    })

    it('of what nests too deep, or holds itself', () => {
      const cycle: unknown[] = []
      cycle.push(cycle)
      expect(() => interpolate(cycle, {})).toThrow(exceeds)
    })

    it('reads what is written often once', () => {
      let reads = 0
      const args = {
        get a() {
          reads++
          return 'a'
        },
      }
      expect(interpolate({ one: '${args.a}', two: ['-${ args.a }${args.a}'] }, { args })).toEqual({
        one: 'a',
        two: ['-aa'],
      })
      expect(reads).toBe(1)
    })
  })
})
