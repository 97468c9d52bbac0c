import { isAgentAppsError } from '../../src/base/error.js'
import { type Invocation, projectOptions } from '../command.js'
import { type Format, readFormat } from './formats.js'
import { sarifLog } from './sarif.js'

/** The option of the commands that fail where there is no skill. */
export const ALLOW_EMPTY = {
  'allow-empty': { type: 'boolean', describes: 'succeed also where there is no skill' },
} as const

const COUNTS = { files: 0, found: 0, shadowed: 0, skipped: 0 }

/** True if a command fails because no skill was found; says so. A project with agents need not have any. */
export async function isEmptyUnasked(skills: number, invocation: Invocation): Promise<boolean> {
  const { options, output } = invocation
  if (skills > 0 || options['allow-empty'] === true || (await hasAgents(invocation))) return false
  if (!output.json)
    output.note(
      'No skill was found. `agent-apps doctor` says where they are looked for; --allow-empty succeeds.',
    )
  return true
}

async function hasAgents(invocation: Invocation): Promise<boolean> {
  const { paths, ...given } = projectOptions(invocation)
  if (paths) return false
  const { loadConfig } = await import('agent-apps/compiler')
  const { project } = await loadConfig(given)
  return (project.agents ?? []).length > 0
}

/** Runs a command, and lets it succeed where nothing is to be searched if that is intended. */
export async function orNothing(invocation: Invocation, run: () => Promise<number>): Promise<number> {
  try {
    return await run()
  } catch (error) {
    const isIntended = invocation.options['allow-empty'] === true
    if (!isIntended || !isAgentAppsError(error) || error.code !== 'NO_SKILL_PATHS') throw error
    reportNothing(readFormat(invocation), invocation)
    return 0
  }
}

function reportNothing(format: Format, { output, cwd }: Invocation): void {
  if (format === 'json') output.jsonResult({ counts: COUNTS, diagnostics: [] })
  else if (format === 'sarif') output.jsonResult(sarifLog([], cwd, true))
  else output.result('0 skills in 0 files')
}
