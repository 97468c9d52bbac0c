import { createRuntime, isAgentAppsError } from 'agent-apps'
import { expect } from 'vitest'
import { around, main, text, worker } from './cascade-project.js'
import type { Tree } from './tree.js'

export const ALONE = { $inherit: false }
/** A project whose cascades a test changes. */
export const TREE: Tree = {
  'package.json': '{"type":"module"}\n',
  'outside.skill.js': worker('outside'),
  'skills/SKILL.md': main({ $local: { data: 1 } }),
  'skills/m.skill.js': around('m', ALONE),
  'skills/n.skill.js': around('n', { m: 2 }),
  'skills/base.skill.md': text('base', { delegate: './other.skill.js' }),
  'skills/other.skill.js': worker('other', { params: { type: 'object' } }),
  'skills/t.skill.js': worker('t', { m: 1, n: 1 }),
  'skills/heir.skill.md': text('heir', { $inherit: 'base' }),
}

/** What a call of a tool came to: the calls that it led to, and its result or error. */
export async function call(
  cwd: string,
  name: string,
  freshness: 'trust' | 'check',
): Promise<{ calls: string[]; diagnostics: (string | undefined)[] }> {
  const runtime = createRuntime({ cwd, paths: ['skills'], freshness })
  globalThis.calls = []
  try {
    globalThis.calls.push(`= ${await runtime.invoke(name)}`)
  } catch (error) {
    // No error of the language itself.
    expect(isAgentAppsError(error), String(error)).toBe(true)
    globalThis.calls.push(`! ${(error as { code: string }).code}`)
  }
  return { calls: globalThis.calls, diagnostics: runtime.diagnostics().map(({ rule }) => rule) }
}

/** The calls that `t` leads to. */
export const RIGHT = ['> m 1', '> m 2', '> n 1', 't', '< n', '< m', '< m', '= t']
