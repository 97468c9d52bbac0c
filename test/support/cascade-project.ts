import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compile, type Message } from 'agent-apps/compiler'
import { askKept, deployedScript } from './kept-processes.js'
import { isLong } from './long.js'
import { temporary } from './temporary.js'
import { makeTree, type Tree } from './tree.js'

const SCRIPT = fileURLToPath(new URL('run-skills.mjs', import.meta.url))

const SAY = '(globalThis.calls ??= []).push'

/** Metadata as the lines of a frontmatter. YAML reads JSON. */
export function metadata(values: object): string {
  return Object.keys(values).length === 0 ? '' : `metadata: ${JSON.stringify(values)}\n`
}

/** A Markdown skill with metadata. */
export function text(name: string, values: object = {}, body = `Do ${name}.\n`): string {
  return `---\nname: ${name}\ndescription: Is ${name}.\n${metadata(values)}---\n${body}`
}

/** A code skill with metadata. `body` may use `ctx`, `args` and `say`. */
export function code(name: string, values: object, body: string): string {
  const frontmatter = JSON.stringify({ name, description: `Is ${name}.`, metadata: values })
  return `export const frontmatter = ${frontmatter}\nconst say = (...words) => ${SAY}(words.join(' '))\nexport default async (ctx, args) => {\n${body}\n}\n`
}

/** A tool that says that it ran, and gives its name. */
export function worker(name: string, values: object = {}, body = ''): string {
  return code(name, values, `say('${name}')\n${body}\nreturn '${name}'`)
}

/** A middleware that says when it begins and ends, and with what. */
export function around(name: string, values: object = {}): string {
  return code(
    name,
    { role: 'middleware', ...values },
    `say('>', '${name}', JSON.stringify(args ?? null))\ntry {\n  await ctx.manager.next()\n} finally {\n  say('<', '${name}')\n}`,
  )
}

/** A main skill, at the place that its path says. */
export function main(values: object, name = 'main'): string {
  return text(name, { role: 'main', ...values })
}

export interface Case {
  tree: Tree
  /** Default: `skills`. */
  paths?: (string | { dir: string; external?: boolean; layer?: 'global' })[]
  calls: [name: string, args?: unknown][]
}

export interface Outcome {
  results: {
    name: string
    calls: string[]
    result?: unknown
    code?: string
    message?: string
    file?: string
  }[]
  explained: Record<string, { result?: { chain: object[] }; code?: string }>
  cascadesComputed: number
  parser: string
  via: { index: number; disk: number; bundle: number }
}

/** The results of a project's calls from files and from indexes, and in `npm run test:long` also in a bundle. */
export async function threeWays(one: Case): Promise<Outcome[]> {
  const [{ disk, index, cwd } = {} as never] = await bothWays([one])
  return [disk, index, ...(isLong ? await fromBundles([{ ...one, cwd }]) : [])]
}

/** What the calls of projects do in their bundles, once the projects are gone; those with a `cwd` lie there, compiled. */
export async function fromBundles(cases: readonly (Case & { cwd?: string })[]): Promise<Outcome[]> {
  const jobs: { ask: 'chains'; bundle: string; calls: Case['calls'] }[] = []
  for (const { tree, paths = ['skills'], calls, cwd = projectOf(tree) } of cases) {
    const bundle = join(temporary(), 'agent.mjs')
    await compile({ cwd, paths, bundle })
    rmSync(cwd, { recursive: true })
    jobs.push({ ask: 'chains', bundle, calls })
  }
  return askKept<Outcome>(deployedScript(SCRIPT), jobs)
}

/** What the calls of projects do in a process that has only files, and in one that has only indexes and no parser. */
export async function bothWays(
  cases: readonly Case[],
): Promise<{ disk: Outcome; index: Outcome; diagnostics: Message[]; cwd: string }[]> {
  const projects = cases.map(({ tree, paths = ['skills'], calls }) => ({
    cwd: projectOf(tree),
    paths,
    calls,
  }))
  const jobs = (freshness: string) => projects.map(project => ({ ask: 'chains', ...project, freshness }))
  const disk = await askKept<Outcome>(SCRIPT, jobs('check'))
  const diagnostics: Message[][] = []
  for (const { cwd, paths } of projects) diagnostics.push((await compile({ cwd, paths })).diagnostics)
  const index = await askKept<Outcome>(deployedScript(SCRIPT), jobs('trust'))
  return projects.map(({ cwd }, number) => ({
    cwd,
    disk: disk[number] as Outcome,
    index: index[number] as Outcome,
    diagnostics: diagnostics[number] ?? [],
  }))
}

function projectOf(tree: Tree): string {
  return makeTree({ 'package.json': '{"type":"module"}\n', ...tree })
}
