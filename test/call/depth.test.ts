import { createRuntime, isAgentAppsError, registerTool } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { makeTree, skill, type Tree } from '../support/tree.js'

const delegating = (name: string, delegate: string): string =>
  skill(name, 'Body.\n', `metadata:\n  delegate: ${delegate}\n  params: { type: object }\n`)
const calling = (name: string, other: string): string =>
  `export const frontmatter = { name: '${name}', description: 'x', metadata: { params: { type: 'object' } } }
export default ({ manager }, args) => manager.invoke('${other}', args)\n`

const CIRCLES: Record<string, Tree> = {
  'delegates by name': { 'a.skill.md': delegating('a', 'b'), 'b.skill.md': delegating('b', 'a') },
  'delegates by path': {
    'a.skill.md': delegating('a', './b.skill.md'),
    'b.skill.md': delegating('b', './a.skill.md'),
  },
  calls: { 'a.skill.js': calling('a', 'b'), 'b.skill.js': calling('b', 'a') },
  'a call and a delegate': { 'a.skill.js': calling('a', 'b'), 'b.skill.md': delegating('b', 'a') },
}

describe('tools that call each other without end', () => {
  it.each(oneIn(3, Object.entries(CIRCLES)))('%s', async (_, tree) => {
    const cwd = makeTree(tree)
    for (const way of ['disk', 'index']) {
      if (way === 'index') await compile({ cwd, paths: ['.'] })
      const runtime = createRuntime({ cwd, paths: ['.'] })
      const error = await runtime.invoke('a', {}).catch((thrown: unknown) => thrown)
      expect(isAgentAppsError(error) && error).toMatchObject({ code: 'DEPTH_EXCEEDED', tool: 'a' })
      expect((error as Error).message).toMatch(/more than 64 deep: a → b → a → b .* → a\.$/)
      const tool = await runtime.findTool('a')
      await expect(tool?.fn(undefined, {})).rejects.toMatchObject(
        tree['a.skill.js'] === undefined ? { code: 'DEPTH_EXCEEDED' } : {},
      )
    }
  })

  it('`maxDepth` says how deep, and what is within it goes on', async () => {
    const { globals, invoke } = createRuntime({ paths: [], library: false, maxDepth: 3 })
    const depths: number[] = []
    registerTool(globals, {
      name: 'down',
      params: { type: 'object' },
      fn: async (ctx, args) => {
        const { envelope, manager } = ctx as {
          envelope: { depth: number }
          manager: { invoke: typeof invoke }
        }
        depths.push(envelope.depth)
        const { left } = args as { left: number }
        return left === 0 ? 'bottom' : manager.invoke('down', { left: left - 1 })
      },
    })
    expect(await invoke('down', { left: 2 })).toBe('bottom')
    expect(depths).toEqual([0, 1, 2])
    await expect(invoke('down', { left: 3 })).rejects.toMatchObject({
      code: 'DEPTH_EXCEEDED',
      message: 'Tools call each other more than 3 deep: down → down → down → down.',
    })
  })

  it('a delegate’s context names the delegate', async () => {
    const cwd = makeTree({
      'a.skill.md': delegating('a', 'b'),
      'b.skill.js': `export const frontmatter = { name: 'b', description: 'x', metadata: { params: { type: 'object' } } }
export default ({ run, envelope }) => [run.tool.name, envelope.depth, envelope.caller?.run.tool.name]\n`,
    })
    const runtime = createRuntime({ cwd, paths: ['.'] })
    expect(await runtime.invoke('a')).toEqual(['b', 1, 'a'])
    expect(await (await runtime.findTool('a'))?.fn({ own: 1 })).toEqual(['b', 0, undefined])
  })
})
