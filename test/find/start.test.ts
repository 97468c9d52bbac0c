import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { compile } from 'agent-apps/compiler'
import { describe, expect, it } from 'vitest'
import { oneIn } from '../support/long.js'
import { goodSkills, makeTree } from '../support/tree.js'

const RUNTIME = new URL('../../dist/runtime/index.js', import.meta.url).href

/** The modules of Node's own that a process has loaded once its program has run. */
function loadedBy(program: string): string[] {
  const root = makeTree({
    'start.mjs': `${program}\nconsole.log(JSON.stringify(process.moduleLoadList))`,
    'other.mjs': 'export const nothing = null',
  })
  return JSON.parse(String(execFileSync(process.execPath, [join(root, 'start.mjs')])))
}

describe('a process that starts', () => {
  it.each(
    oneIn(2, [
      ['an index in several files', 300],
      ['a small index', 5],
    ] as const),
  )('loads no more of Node for a content by %s than for any module', { tags: 'long' }, async (_, count) => {
    const dir = makeTree(goodSkills(count))
    await compile({ paths: [dir] })
    const without = new Set(loadedBy("import { nothing } from './other.mjs'"))
    const loaded = loadedBy(`
      import { createRuntime } from ${JSON.stringify(RUNTIME)}
      const runtime = createRuntime({ paths: [${JSON.stringify(dir)}], freshness: 'trust' })
      const tool = await runtime.findTool('good-3')
      if (tool.origin.via !== 'index' || await tool.content() !== 'Do good-3.\\n') throw new Error('not found')
    `)
    expect(loaded.filter(name => !without.has(name))).toEqual([])
  })
})
