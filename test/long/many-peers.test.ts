import { describe, expect, it } from 'vitest'
import type { CascadeTool } from '../../src/cascade/types.js'
import { middleware, resolve } from '../support/cascade-world.js'
import { times } from '../support/long.js'

describe('size', () => {
  const ring = (count: number, metadata: (next: string) => Record<string, unknown>): CascadeTool[] =>
    Array.from({ length: count }, (_, index) =>
      middleware(`m${index}`, metadata(`m${(index + 1) % count}`) as CascadeTool['metadata']),
    )

  it.each([25_000, times(50_000, 100_000)])('%i tools in one component', async count => {
    const tools = ring(count, next => ({ [next]: true }))
    const timed = async (what: string, roots: CascadeTool[]): Promise<void> => {
      const start = performance.now()
      const resolved = await resolve(tools, {}, roots)
      console.log(`${count} in one component, from ${what}: ${Math.round(performance.now() - start)} ms`)
      expect(resolved.tools.size).toBe(count)
      expect(resolved.problems).toEqual([])
      expect(resolved.tools.get('m7')?.peers).toHaveLength(count - 1)
      expect(resolved.tools.get('m7')?.chain[0]?.static).toBe(true)
    }
    await timed('one tool', tools.slice(0, 1))
    await timed('all', tools)
  })

  it('100,000 dynamic calls in a ring, of which one is cut; a path as deep', async () => {
    const tools = ring(100_000, next => ({ [next]: true, $dynamic: [next] }))
    const { problems } = await resolve(tools)
    const cut = problems.filter(({ code }) => code === 'dynamic-cycle')
    expect(cut).toHaveLength(1)
    expect(cut[0]?.message).toContain('(99900 more)')
    expect(problems.at(-1)?.code).toBe('chain-too-large')
  })
})
