import { MaybeAsync } from '../base/maybe-async.js'
import { namespaceOf } from '../skill/names.js'
import { type ReachedTool, readChains } from './chain.js'
import { readInheritance } from './inheritance.js'
import { connect } from './peers.js'
import { mainBroken } from './problems.js'
import { type CascadeRun, joiningFaults, type KnownTool, type Mains, reach, recordOf } from './record.js'
import { resolvedTools } from './result.js'
import type { CascadeLookUp, CascadeResolution, CascadeTool } from './types.js'

/**
 * Computes the effective metadata and the chain of tools, and of all middleware that they reach. It never
 * throws because of metadata: faults are returned as problems, and a tool with faults is resolved as far as
 * possible. Errors of a look-up are passed on.
 *
 * The values of the result are shared with the tools and with each other, and must not be changed.
 */
export async function resolveCascades(
  roots: Iterable<CascadeTool>,
  lookUp: CascadeLookUp,
): Promise<CascadeResolution> {
  const run: CascadeRun = { lookUp, records: new Map(), reached: [], problems: [] }
  const globalMains = await readGlobalMains(run)
  for (const root of roots) reach(run, recordOf(run, root))

  // Each round handles the middleware that the round before reached for the first time.
  const tools: ReachedTool[] = []
  while (tools.length < run.reached.length) {
    const round = run.reached.slice(tools.length)
    await readInheritance(run, round)
    const mains = await readMains(run, round, globalMains)
    for (const tool of await readChains(run, round, mains)) tools.push(tool)
  }

  const joined = [...run.records.values()].flatMap(joiningFaults)
  const connections = connect(tools)
  return {
    tools: resolvedTools(tools, connections),
    problems: [...run.problems, ...joined, ...connections.problems],
  }
}

/** The main skills of a whole resolution. */
interface GlobalMains {
  library: CascadeTool | null
  project: CascadeTool | null
}

/** Looks up the main skills whose promotions reach beyond their own authority. */
async function readGlobalMains({ lookUp }: CascadeRun): Promise<GlobalMains> {
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
async function readMains(
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
