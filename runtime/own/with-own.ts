import { declaredBy } from '../../src/own/declared.js'
import { declaresOwn, type OwnParts } from '../../src/own/own-parts.js'
import { isFailure } from '../../src/skill/tool-result.js'
import { middlewareFor } from '../cascade/compiled-chain.js'
import { toolNotFound } from '../find/call-faults.js'
import { checkLimits } from '../options/check-limits.js'
import { openSlot, type Slot } from '../session/slots.js'
import type { Chain, ChainStep } from '../state/chain.js'
import type { CallContext, Globals, InvokeOptions } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { askFor } from './ask-for-tool.js'
import { configOf, environmentOf } from './tool-config.js'

/** A call whose tools have their own configuration, variables or state. */
interface OwnCall extends CallContext {
  readonly tool: ToolDef
  readonly globals: Globals
  readonly options: InvokeOptions | undefined
  abort: AbortSignal | undefined
  /** Keyed by the called tool and the middlewares around it. */
  owns: ReadonlyMap<ToolDef, OwnParts> | undefined
}

/**
 * Runs a call with its tools' own configuration, environment variables and state. The state is saved even if the call
 * fails.
 *
 * @throws TOOL_CONFIG, STATE_INVALID, STATE_CONFLICT, and what `run` throws
 */
export async function withOwn(
  ctx: OwnCall,
  chain: Chain,
  run: (chain: Chain) => Promise<unknown>,
): Promise<unknown> {
  const { globals } = ctx
  checkLimits(globals)
  const slots: Slot[] = []
  let result: unknown
  try {
    ctx.owns = await partsOf(ctx, chain, slots)
    const around = await withTimeout(ctx.tool, chain, ctx.options?.timeoutMs, globals)
    ctx.throwIfAborted()
    result = await run(around)
  } catch (error) {
    // The error of the call matters more than that of saving its state.
    await closeAll(slots).catch(() => {})
    throw globals.redact ? globals.redact(error) : error
  }
  await closeAll(slots)
  return globals.redact && isFailure(result) ? globals.redact(result) : result
}

async function partsOf(ctx: OwnCall, chain: Chain, slots: Slot[]): Promise<Map<ToolDef, OwnParts>> {
  const { globals, tool } = ctx
  const parts = new Map<ToolDef, OwnParts>()
  for (const one of new Set([tool, ...chain.steps.map(({ def }) => def)])) {
    const isConfigured = globals.toolConfig?.[one.name] !== undefined
    if (!isConfigured && !declaresOwn(one.frontmatter.metadata)) continue
    const config = await configOf(one, globals)
    const { state } = declaredBy(one.frontmatter.metadata)
    const slot = state && (await openSlot(one, state, ctx.envelope.sessionId, globals))
    if (slot) slots.push(slot)
    parts.set(one, {
      ask: askFor(one, ctx, () => ctx.abort),
      config,
      env: environmentOf(one, globals),
      get state() {
        return slot?.value
      },
      set state(value) {
        if (!slot) throw new TypeError(`The tool "${one.name}" declares no state.`)
        slot.value = value as Slot['value']
      },
    })
  }
  return parts
}

/** Closes all slots, then throws the first error. */
async function closeAll(slots: readonly Slot[]): Promise<void> {
  const closed = await Promise.allSettled(slots.map(slot => slot.close()))
  const failed = closed.find(one => one.status === 'rejected')
  if (failed) throw failed.reason
}

/** The middleware that ends a call after a time. */
const TIMEOUT = 'timeout'

/**
 * Sets the time limit in a tool's chain: that of the call, or else that of the tool's configuration.
 *
 * @throws TOOL_NOT_FOUND if the middleware `timeout` is not found
 */
async function withTimeout(
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
