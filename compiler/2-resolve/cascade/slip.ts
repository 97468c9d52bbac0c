import type { DirectoryProblem } from '../../diagnostics/cascade-problem.js'

/** A likely mistake in a tool's metadata that keeps nothing from running. */
export interface Slip extends Omit<DirectoryProblem, 'name'> {
  /** The id of the tool that wrote it. */
  tool: string
}
