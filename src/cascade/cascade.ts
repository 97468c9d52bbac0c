import { type ReachedTool, readChains } from './chain.js'
import { readInheritance } from './inheritance.js'
import { readGlobalMains, readMains } from './mains.js'
import { connect } from './peers.js'
import { type CascadeRun, joiningFaults, reach, recordOf } from './record.js'
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
