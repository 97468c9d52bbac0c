import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createRuntime, type PathEntry, type Runtime } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { isLong } from './long.js'
import { kept, temporary } from './temporary.js'
import { type Tree, writeTree } from './tree.js'

/** The ways that a project's skills can be read. */
export const WAYS = ['from disk', 'compiled, files looked at', 'compiled, trusted', 'in a bundle'] as const
export type Way = (typeof WAYS)[number]

/** The ways that need no bundle, in every run; all ways in `npm run test:long`. */
export const EACH_WAY: readonly Way[] = isLong ? WAYS : ['from disk', 'compiled, trusted']
/** One way in every run, where other tests read alike from disk; all ways in `npm run test:long`. */
export const ONE_WAY: readonly Way[] = isLong ? WAYS : ['compiled, trusted']

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
  const paths: PathEntry[] = [namespace === undefined ? 'skills' : { dir: 'skills', namespace }]
  const made = { way, tree, folder, namespace }
  if (typeof tree === 'function') await make(cwd, made, paths)
  else cpSync(await template(made, paths), cwd, { recursive: true, preserveTimestamps: true })
  if (way === 'in a bundle') {
    const { runtime } = await import(pathToFileURL(join(cwd, 'dist/agent.mjs')).href)
    return { cwd, runtime, way }
  }
  const freshness = way === 'compiled, trusted' ? 'trust' : 'check'
  return { cwd, runtime: createRuntime({ cwd, paths, freshness }), way }
}

interface Made {
  way: Way
  tree: Tree | ((cwd: string) => Tree)
  folder: string | undefined
  namespace: string | undefined
}

const templates = new Map<string, Promise<string>>()

/** A folder with the project, which is made once for all tests of a process. */
function template(made: Made, paths: PathEntry[]): Promise<string> {
  const way = made.way.startsWith('compiled') ? 'compiled' : made.way
  const key = JSON.stringify({ ...made, way })
  const known = templates.get(key)
  if (known) return known
  const cwd = kept()
  const making = make(cwd, made, paths).then(() => cwd)
  templates.set(key, making)
  return making
}

async function make(cwd: string, { way, tree, folder }: Made, paths: PathEntry[]): Promise<void> {
  if (folder) cpSync(folder, cwd, { recursive: true })
  writeTree(cwd, {
    'package.json': '{"type":"module"}\n',
    ...(typeof tree === 'function' ? tree(cwd) : tree),
  })
  if (way === 'from disk') return
  await compile({ cwd, paths, ...(way === 'in a bundle' && { bundle: 'dist/agent.mjs' }) })
  if (way === 'in a bundle') rmSync(join(cwd, 'skills'), { recursive: true })
}

/** What a call gives, or the code of what it throws. */
export function outcome(call: Promise<unknown>): Promise<unknown> {
  return call.catch((error: { code?: string; message: string }) => error.code ?? error.message)
}
