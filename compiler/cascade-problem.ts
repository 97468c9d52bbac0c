import type { CascadeProblem } from '../src/cascade-types.js'

/** A fault in what a directory's tools say of their cascades. */
export interface DirectoryProblem extends Omit<CascadeProblem, 'tool' | 'code' | 'at'> {
  code: Exclude<CascadeProblem['code'], 'main-broken'> | 'main-duplicate'
  /** The name of the tool at fault. */
  name: string
}
