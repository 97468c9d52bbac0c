import { middlewareFor } from '../cascade/compiled-chain.js'
import { toolNotFound } from '../find/call-faults.js'
import type { Chain, ChainStep } from '../state/chain.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** The middleware that ends a call which takes too long. */
const TIMEOUT = 'timeout'

/**
 * A tool's chain with the time limit that holds: that of the call, or that of the tool's configuration, or as
 * it is.
 *
 * @throws TOOL_NOT_FOUND where no path has the middleware `timeout`
 */
export async function withTimeout(
  tool: ToolDef,
  chain: Chain,
  ofCall: number | undefined,
  globals: Globals,
): Promise<Chain> {
  const ms = ofCall ?? globals.toolConfig?.[tool.name]?.timeoutMs
  if (ms === undefined) return chain
  const known = chain.entries.find(({ name }) => name === TIMEOUT)
  if (known) {
    const { isVolatile: _, ...written } = known
    const limited: ChainStep = { ...written, args: ms }
    const within = (steps: readonly ChainStep[]) => steps.map(step => (step === known ? limited : step))
    return { ...chain, steps: within(chain.steps), entries: within(chain.entries) }
  }
  const found = await middlewareFor(TIMEOUT, tool, '', globals)
  if (!found?.tool) throw await toolNotFound(TIMEOUT, globals)
  const def = found.tool
  const step: ChainStep = { name: TIMEOUT, def, args: ms, static: true }
  return { ...chain, steps: [step, ...chain.steps], entries: [step, ...chain.entries] }
}
