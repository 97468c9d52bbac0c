import { type ReachedTool, readChains } from './chain.js'
import { readInheritance } from './inheritance.js'
import { readGlobalMains, readMains } from './mains.js'
import { connect } from './peers.js'
import { type CascadeRun, joiningFaults, reach, recordOf } from './record.js'
import { resolvedTools } from './result.js'
import type { CascadeLookUp, CascadeResolution, CascadeTool } from './types.js'

/**
 * Computes the effective metadata and the chain of tools, and of all middleware that they reach. Never throws for
 * what stands in metadata: faults come back as problems, and a tool with faults resolves as far as it can. What a
 * look-up throws is thrown on.
 *
 * The values of the result are shared with the tools and with each other, and are not to be changed.
 */
export async function resolveCascades(
  roots: Iterable<CascadeTool>,
  lookUp: CascadeLookUp,
): Promise<CascadeResolution> {
  const run: CascadeRun = { lookUp, records: new Map(), reached: [], problems: [] }
  const globalMains = await readGlobalMains(run)
  for (const root of roots) reach(run, recordOf(run, root))

  // Each round is the middleware that the one before reached for the first time.
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
