import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import { createRuntime, type ProjectRequest, type Runtime, type RuntimeOptions } from 'agent-apps'
import { compile } from 'agent-apps/compiler'
import { kept, temporary } from './temporary.js'
import { makeTree, skill, type Tree, writeTree } from './tree.js'

/** Gives what a call throws by its code. */
export const code = (promise: Promise<unknown>): Promise<unknown> =>
  promise.catch((error: { code?: string }) => error.code ?? error)

/** Where code writes down that it ran, whichever process it runs in. Test files share this module, one after the other. */
const canary = join(tmpdir(), `agent-apps-ran-${process.pid}-${threadId}.txt`)

/** The code that ran since this was last called, by the names that it was given. */
export function ran(): string[] {
  const lines = existsSync(canary) ? readFileSync(canary, 'utf8').trim().split('\n') : []
  rmSync(canary, { force: true })
  return [...new Set(lines)]
}

/** A tool in code, which writes down that it was imported. */
export function codeTool(name: string, metadata = '{}', body = `() => '${name} ran'`): string {
  return `process.getBuiltinModule('node:fs').appendFileSync(${JSON.stringify(canary)}, '${name}\\n')
export const frontmatter = { name: '${name}', description: 'Does ${name}.', metadata: ${metadata} }
export default ${body}
`
}

/** A project with a text and a tool in code. */
export const PROJECT: Tree = {
  'package.json': '{}\n',
  'agent-apps.config.json': JSON.stringify({ paths: ['./skills'], freshness: 'check' }),
  'skills/text/SKILL.md': skill('text'),
  'skills/build.skill.ts': codeTool('build'),
}

/** A project that was not compiled, but whose project file is there. */
export function projectWith(tree: Tree): string {
  ran()
  return makeTree({
    ...PROJECT,
    '.agent-apps/project.json': JSON.stringify({ version: 1, paths: [{ dir: 'skills' }] }),
    ...tree,
  })
}

const templates = new Map<string, string>()

/**
 * A project that was compiled, which runs code that must be run to know it: once for all projects with the same skills, which are copies
 * that are compiled again with what is theirs.
 */
export async function compiled(tree: Tree = PROJECT): Promise<string> {
  const isSkill = (path: string): boolean => path.startsWith('skills/')
  const skills = Object.fromEntries(Object.entries(tree).filter(([path]) => isSkill(path)))
  const key = JSON.stringify(skills)
  const template = templates.get(key) ?? kept()
  if (!templates.has(key)) {
    writeTree(template, { ...PROJECT, ...skills })
    await compile({ cwd: template })
    templates.set(key, template)
  }
  const project = temporary()
  cpSync(template, project, { recursive: true, preserveTimestamps: true, verbatimSymlinks: true })
  writeTree(project, Object.fromEntries(Object.entries(tree).filter(([path]) => !isSkill(path))))
  await compile({ cwd: project })
  ran()
  return project
}

/** A runtime over a project, with the answers that its person gives in turn, and what they were asked. */
export function asking(
  project: string,
  answers: unknown[],
  more: RuntimeOptions = {},
): { runtime: Runtime; agent: ReturnType<Runtime['forAgent']>; requests: ProjectRequest[] } {
  const requests: ProjectRequest[] = []
  const runtime = createRuntime({
    project,
    interact: request => {
      if (request.kind !== 'project') return 'allow-once'
      requests.push(request)
      const answer = answers.shift()
      if (answer instanceof Error) throw answer
      return answer as 'deny'
    },
    ...more,
  })
  return { runtime, agent: runtime.forAgent(), requests }
}

/** The names of the tools that are the project's. */
export const names = (tools: { name: string; origin: { layer: string } }[]): string[] =>
  tools.filter(({ origin }) => origin.layer === 'project').map(({ name }) => name)
