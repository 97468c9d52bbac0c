import { AgentAppsError } from '../../src/base/error.js'
import type { Place } from '../diagnostics/diagnostics.js'

/** The error for a configuration with a fault. `problem` is the end of a sentence about its file. */
export function configInvalid(
  file: string,
  problem: string,
  details: { cause?: unknown; position?: Place } = {},
): AgentAppsError {
  const end = problem.endsWith('?') ? '' : '.'
  const { position } = details
  const place = position ? `${file}:${position.line}:${position.column}` : file
  return new AgentAppsError('CONFIG_INVALID', `The configuration ${place} ${problem}${end}`, {
    hint: 'See node_modules/agent-apps/docs/configuration.md for what it may hold.',
    file,
    ...details,
  })
}
