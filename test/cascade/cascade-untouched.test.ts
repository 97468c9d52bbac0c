import { createRuntime, type Freshness } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { main, metadata, text } from '../support/cascade-project.js'
import { times } from '../support/long.js'
import { makeTree, type Tree } from '../support/tree.js'

const NAMES = ['a', 'b', 'c'] as const

/** What the compiler does not resolve where nothing reaches it, beside all that it has to. */
const VALUE = fc.constantFrom<unknown>(
  1,
  'plain',
  true,
  null,
  'inline://markdown?content=x',
  'inline://${args.x}',
  ['x'],
  { nested: 1 },
  { $private: ['x'] },
)
const KEY = fc.constantFrom(
  'author',
  'version',
  'state',
  'guard',
  'limit',
  '$unknown',
  '$inherit',
  '$private',
  'delegate',
)
const METADATA = fc.dictionary(KEY, VALUE, { maxKeys: 3 })
const PROJECT = fc.record({
  tools: fc.array(METADATA, { minLength: NAMES.length, maxLength: NAMES.length }),
  guard: fc.option(METADATA, { nil: undefined }),
  root: fc.option(fc.record({ $local: METADATA, $global: METADATA }, { requiredKeys: [] }), {
    nil: undefined,
    freq: 1,
  }),
  isRootBroken: fc.boolean(),
})

it('an index says of every tool what its files say, whether the compiler had to resolve it or not', async () => {
  await fc.assert(
    fc.asyncProperty(PROJECT, async ({ tools, guard, root, isRootBroken }) => {
      const tree: Tree = {}
      for (const [number, name] of NAMES.entries())
        tree[`skills/${name}.skill.md`] = text(name, tools[number])
      if (guard) tree['skills/guard.skill.md'] = text('guard', { role: 'middleware', ...guard })
      if (root) tree['skills/SKILL.md'] = main(root)
      if (root && isRootBroken)
        tree['skills/SKILL.md'] = `---\nname: main\n${metadata({ role: 'main' })}bad: [\n---\n`
      const cwd = makeTree(tree)
      const fromFiles = await said(cwd, 'check')
      await compile({ cwd, paths: ['skills'] })
      expect(await said(cwd, 'trust')).toEqual(fromFiles)
    }),
    { numRuns: times(6, 5_000) },
  )
})

/** What is around each tool, or why it is not run. */
async function said(cwd: string, freshness: Freshness): Promise<unknown[]> {
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
  return Promise.all(
    NAMES.map(async name => {
      const outcome = await runtime.invoke(name, {}).catch(({ code, message }) => [code, message])
      const key = [...runtime.globals.cache.cascade.keys()].find(known => known.split('\0')[0] === name)
      const cascade = key === undefined ? undefined : runtime.globals.cache.cascade.get(key)
      if (cascade === undefined) return [outcome]
      const { middleware, order, hook, toolKeys, selfDefaults, deps, resolvedChain } = cascade
      const steps = resolvedChain.steps.length
      return [outcome, { middleware: [...middleware], order, hook, toolKeys, selfDefaults, deps, steps }]
    }),
  )
}
