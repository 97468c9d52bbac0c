import type { CascadeProblem } from '../../src/cascade/types.js'
import type { RuleName } from './diagnostics.js'

/** A fault in what a directory's tools say of their cascades. */
export interface DirectoryProblem extends Pick<CascadeProblem, 'path'> {
  code: RuleName
  /** The name of the tool at fault. */
  name: string
  /** What was found, as the rule tells it. */
  found: string[]
}
