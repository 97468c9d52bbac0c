import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, type PathEntry, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { temporary } from './temporary.js'
import { type Tree, writeTree } from './tree.js'

/** The ways that a project's skills can be read. */
export const WAYS = ['from disk', 'compiled, files looked at', 'compiled, trusted', 'in a bundle'] as const
export type Way = (typeof WAYS)[number]

export interface Project {
  cwd: string
  runtime: Runtime
  way: Way
}

/**
 * A project made of a tree, and of a folder where one is given, whose path entry is `skills`, in a namespace where one
 * is given. A bundle outlives its sources.
 */
export async function project(
  way: Way,
  tree: Tree | ((cwd: string) => Tree),
  folder?: string,
  namespace?: string,
): Promise<Project> {
  const cwd = temporary()
  if (folder) cpSync(folder, cwd, { recursive: true })
  writeTree(cwd, {
    'package.json': '{"type":"module"}\n',
    ...(typeof tree === 'function' ? tree(cwd) : tree),
  })
  const paths: PathEntry[] = [namespace === undefined ? 'skills' : { dir: 'skills', namespace }]
  if (way === 'in a bundle') {
    await compile({ cwd, paths, bundle: 'dist/agent.mjs' })
    rmSync(join(cwd, 'skills'), { recursive: true })
    const { runtime } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    return { cwd, runtime, way }
  }
  if (way !== 'from disk') await compile({ cwd, paths })
  const freshness = way === 'compiled, trusted' ? 'trust' : 'check'
  return { cwd, runtime: createRuntime({ cwd, paths, freshness }), way }
}

/** What a call gives, or the code of what it throws. */
export function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: { code?: string; message: string }) => error.code ?? error.message)
}
