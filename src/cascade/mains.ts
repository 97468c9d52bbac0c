import { MaybeAsync } from '../base/maybe-async.js'
import { namespaceOf } from '../skill/names.js'
import { mainBroken } from './problems.js'
import { type CascadeRun, type KnownTool, type Mains, recordOf } from './record.js'
import type { CascadeTool } from './types.js'

/** The main skills of a whole resolution. */
export interface GlobalMains {
  library: CascadeTool | null
  project: CascadeTool | null
}

/** Looks up the main skills whose promotions reach beyond their own authority. */
export async function readGlobalMains({ lookUp }: CascadeRun): Promise<GlobalMains> {
  const mains: GlobalMains = { library: null, project: null }
  const answers = new MaybeAsync()
  answers.take(lookUp.libraryMain(), main => void Object.assign(mains, { library: main }))
  answers.take(lookUp.projectMain(), main => void Object.assign(mains, { project: main }))
  const { pending } = answers
  if (pending) await pending
  return mains
}

/**
 * Finds the main skills whose promotions reach each tool. A main skill's own do not reach itself, and no
 * promotions reach tools that refuse them.
 */
export async function readMains(
  run: CascadeRun,
  tools: readonly KnownTool[],
  { library, project }: GlobalMains,
): Promise<Mains[]> {
  const answers = new MaybeAsync()
  const own = tools.map(({ tool, annotations }) => {
    const found: Record<'authority' | 'namespace', CascadeTool | null> = { authority: null, namespace: null }
    if (tool.layer === 'bundled' || annotations.inherit === false) return found
    answers.take(run.lookUp.authority(tool), main => void Object.assign(found, { authority: main }))
    if (namespaceOf(tool.name) !== '')
      answers.take(run.lookUp.namespaceMain(tool), main => void Object.assign(found, { namespace: main }))
    return found
  })
  const { pending } = answers
  if (pending) await pending

  return tools.map((record, index) => {
    const { id, layer } = record.tool
    const isReached =
      (layer === 'project' || layer === 'programmatic') && record.annotations.inherit !== false
    const faults = new Set<string>()
    const other = (main: CascadeTool | null | undefined): KnownTool | null => {
      if (!main || main.id === id) return null
      if (!main.fault) return recordOf(run, main)
      if (!faults.has(main.id)) run.problems.push(mainBroken(record.tool, main.fault))
      faults.add(main.id)
      return null
    }
    return {
      library: other(isReached ? library : null),
      project: other(isReached ? project : null),
      namespace: other(own[index]?.namespace),
      authority: other(own[index]?.authority),
    }
  })
}
