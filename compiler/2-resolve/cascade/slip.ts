import type { DirectoryProblem } from '../../diagnostics/cascade-problem.js'

/** Something in a tool's metadata that is likely not what was meant, and keeps nothing from running. */
export interface Slip extends Omit<DirectoryProblem, 'name'> {
  /** The id of the tool that wrote it. */
  tool: string
}
