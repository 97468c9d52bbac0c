import { isAgentAppsError } from '../../src/base/error.js'
import { type Invocation, projectOptions } from '../command.js'
import { type Format, readFormat } from './formats.js'
import { sarifLog } from './sarif.js'

/** The option of commands that fail without skills. */
export const ALLOW_EMPTY = {
  'allow-empty': { type: 'boolean', describes: 'succeed if no skill is found' },
} as const

const COUNTS = { files: 0, found: 0, shadowed: 0, skipped: 0 }

/** True if a command fails because no skill was found, which it reports. A project with agents needs no skills. */
export async function isEmptyUnasked(skills: number, invocation: Invocation): Promise<boolean> {
  const { options, output } = invocation
  if (skills > 0 || options['allow-empty'] === true || (await hasAgents(invocation))) return false
  if (!output.json)
    output.note(
      'No skill was found. `agent-apps doctor` shows the searched paths; --allow-empty accepts this.',
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

/** Runs a command, which with `--allow-empty` succeeds without paths to search. */
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
