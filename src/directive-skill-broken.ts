import { brokenFault, mendFirst } from './cascade-problems.js'
import type { Diagnostic } from './diagnostic.js'
import { AgentAppsError } from './error.js'

/** The error for a directive that names a skill which does not load. The diagnostic's file is given as it stands in its path entry. */
export function directiveSkillBroken(ref: string, broken: Diagnostic): AgentAppsError {
  const { message, hint } = brokenFault(broken)
  return new AgentAppsError('DIRECTIVE_FAILED', `the skill ${JSON.stringify(ref)} is broken: ${message}`, {
    hint: mendFirst(hint),
  })
}
