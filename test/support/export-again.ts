import { createRuntime, isAgentAppsError, type PathEntry, type Runtime } from 'agent-apps'
import { check, compile, type Message } from 'agent-apps/compiler'
import { type ExportResult, exportSkills } from 'agent-apps/export'
import { temporary } from './temporary.js'

/** What can be compared of a skill before and after it was exported as a plain folder. */
export interface Comparable {
  description: string | undefined
  license: string | undefined
  compatibility: string | undefined
  allowedTools: string | undefined
  content: string
  resources: string[]
}

export interface ExportedAgain {
  result: ExportResult
  /** By the names that they are exported by. */
  before: Record<string, Comparable>
  after: Record<string, Comparable>
  errors: string[]
  dir: string
}

/** Exports a project as plain folders, and compiles these; null where there is nothing to export. */
export async function exportAgain(cwd: string, paths: PathEntry[]): Promise<ExportedAgain | null> {
  const dir = `${temporary()}/skills`
  const result = await exportedOnce(cwd, paths, dir)
  if (result === null) return null
  // What was wrong with a skill and did not keep it from loading still is.
  const known = errorsIn((await check({ cwd, paths })).diagnostics)
  const { diagnostics } = await compile({ cwd: dir, paths: ['.'] })
  const own = createRuntime({ cwd, paths, env: [] })
  const exported = createRuntime({ cwd: dir, paths: ['.'], freshness: 'trust' })
  const before: [string, Comparable][] = []
  for (const { name, tool } of result.skills) before.push([name, await comparable(own, tool)])
  const after: [string, Comparable][] = []
  for (const { name, origin } of await exported.listTools())
    if (origin.layer === 'project') after.push([name, await comparable(exported, name)])
  return {
    result,
    before: Object.fromEntries(before),
    after: Object.fromEntries(after.sort(([a], [b]) => (a < b ? -1 : 1))),
    errors: errorsIn(diagnostics).filter(error => !known.includes(error)),
    dir,
  }
}

function errorsIn(diagnostics: readonly Message[]): string[] {
  return diagnostics
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, reason }) => `${ruleId} ${reason}`)
}

/** Of skills that would have one name, the first. */
async function exportedOnce(cwd: string, paths: PathEntry[], dir: string): Promise<ExportResult | null> {
  const options = { to: 'skills', dir, cwd, paths } as const
  try {
    return await exportSkills(options)
  } catch (error) {
    if (!isAgentAppsError(error)) throw error
    if (error.code === 'EXPORT_EMPTY') return null
    if (error.code !== 'EXPORT_CLASH') throw error
    const clashing = (error.issues ?? []).flatMap(({ found }) => found.split(', ').slice(1))
    const all = await createRuntime({ cwd, paths, env: [] }).listTools()
    const patterns = all.map(({ name }) => name).filter(name => !clashing.includes(name))
    return exportSkills({ ...options, patterns })
  }
}

async function comparable(runtime: Runtime, name: string): Promise<Comparable> {
  const { tool, resources } = await runtime.describe(name)
  const { description, license, compatibility, 'allowed-tools': allowedTools } = tool.frontmatter
  return {
    description,
    license,
    compatibility,
    allowedTools: allowedTools || undefined,
    content: await runtime.render(name),
    resources: resources.map(({ path, sha256 }) => `${path} ${sha256}`).sort(),
  }
}
