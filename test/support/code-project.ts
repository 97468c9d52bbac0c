import { mkdirSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile, type Message } from 'agent-apps/compiler'
import { askKept, deployedScript } from './kept-processes.js'
import { ROOT } from './processes.js'
import { makeTree, type Tree } from './tree.js'

const SCRIPT = fileURLToPath(new URL('run-skills.mjs', import.meta.url))

/** A project with skills below `skills/`, where this package and zod are installed. */
export function codeProject(tree: Tree): { root: string; dir: string } {
  const root = makeTree({ 'package.json': '{}\n', ...tree })
  installInto(root)
  return { root, dir: join(root, 'skills') }
}

/** Links this package and zod into a folder's `node_modules`, as a package manager does. */
export function installInto(root: string): void {
  for (const [name, target] of [
    ['agent-apps', ROOT],
    ['zod', join(ROOT, 'node_modules/zod')],
  ] as const) {
    const link = join(root, 'node_modules', name)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(target, link)
  }
}

/** Makes a project whose tree is given from its folder `skills` on. */
export function codeSkills(skills: Tree): { root: string; dir: string } {
  return codeProject(
    Object.fromEntries(Object.entries(skills).map(([path, item]) => [`skills/${path}`, item])),
  )
}

export interface Answer {
  names: string[]
  tools: Record<string, { name: string; frontmatter: Record<string, unknown>; verbatim: unknown } | null>
  results: { result?: unknown; code?: string; message?: string }[]
  via: { index: number; disk: number }
  parser: string
}

export type Call = [ref: string, args?: unknown]

/**
 * What some calls give from disk, from the index, and from the index alone: its process holds no parser, and the
 * sources are gone. Without `sources`, the index is not asked before they go.
 */
export async function threeWays(
  dir: string,
  calls: Call[],
  { sources = true } = {},
): Promise<{ disk: Answer; index: Answer; modules: Answer; diagnostics: Message[] }> {
  const job = { ask: 'tools', cwd: dir, paths: [dir], calls }
  const disk = await one(SCRIPT, { ...job, freshness: 'check' })
  const { diagnostics } = await compile({ cwd: dir, paths: [dir] })
  const deployed = deployedScript(SCRIPT)
  const index = sources ? await one(deployed, { ...job, freshness: 'check' }) : null
  for (const name of readdirSync(dir)) {
    if (!name.startsWith('.agent-apps')) rmSync(join(dir, name), { recursive: true })
  }
  const modules = await one(deployed, { ...job, freshness: 'trust' }, 'modules alone')
  return { disk, index: index ?? modules, modules, diagnostics }
}

async function one(script: string, job: unknown, purpose = ''): Promise<Answer> {
  const [answer] = await askKept<Answer>(script, [job], purpose)
  if (!answer) throw new Error('no answer')
  return answer
}

/** A diagnostic in one line. */
export function shown({ file, line, column, ruleId, severity }: Message): string {
  return `${file}:${line}:${column} ${ruleId} ${severity}`
}
