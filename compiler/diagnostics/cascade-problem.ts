import type { CascadeProblem } from '../../src/cascade/types.js'
import type { RuleName } from './diagnostics.js'

/** A fault in the metadata by which a tool takes part in cascades. */
export interface DirectoryProblem extends Pick<CascadeProblem, 'path'> {
  code: RuleName
  /** The name of the tool at fault. */
  name: string
  /** The arguments of the rule's message. */
  found: string[]
}
