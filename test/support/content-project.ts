import { createRuntime, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { expect } from 'vitest'
import { makeTree, skill, type Tree } from './tree.js'

/** Nothing here takes that long; what hangs, would. */
export const HANGS = 120_000

export const PARAMS = 'metadata: { params: { additionalProperties: true } }\n'

/** A project with the skill `t` of that content. */
export function project(body: string, tree: Tree = {}): string {
  return makeTree({
    'skills/t/SKILL.md': skill('t', body, PARAMS),
    'skills/other/SKILL.md': skill('other'),
    ...tree,
  })
}

export function runtimeOf(cwd: string): Runtime {
  return createRuntime({ cwd, paths: ['skills'] })
}

/** What rendering gives, from disk and then from the index: a text, or `CODE message`. */
export async function bothWays(cwd: string, args?: unknown): Promise<[disk: string, index: string]> {
  const disk = await said(runtimeOf(cwd), args)
  await compile({ cwd, paths: ['skills'] })
  return [disk, await said(runtimeOf(cwd), args)]
}

/** What rendering `t` gives: a text, or `CODE message`. */
export async function said({ render }: Runtime, args?: unknown): Promise<string> {
  try {
    return await render('t', { args: args ?? {} })
  } catch (error) {
    const { code, message } = error as { code?: string; message: string }
    return `${code} ${message}`
  }
}

export async function expectSame(cwd: string, expected: string | RegExp, args?: unknown): Promise<void> {
  const [disk, index] = await bothWays(cwd, args)
  expect(disk).toMatch(expected)
  expect(index).toBe(disk)
}
