import { runtimeClosed } from '../../src/base/error.js'
import { HOOKS_KEY, hooksOf } from '../../src/hooks/tool-hooks.js'
import { parsePatterns } from '../../src/patterns/tool-pattern.js'
import { isName, namespaceOf } from '../../src/skill/names.js'
import { mayBeEvaluated } from '../directory/not-evaluated.js'
import { resolveWithin } from '../find/require-tool.js'
import type { Globals, Lifecycle, ManagedCall } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'
import { reachOf } from '../trust/agent-view.js'
import { asyncStorage } from './async-storage.js'
import { initFailed, toolInactive } from './lifecycle-faults.js'
import { type RunningCall, releaseContext } from './running-calls.js'
import { type InstanceHost, ToolInstance } from './tool-instance.js'
import { Turns } from './turns.js'

/** The lifecycle of a runtime, made when first needed. */
export function lifecycleOf(globals: Globals): RuntimeLifecycle {
  const { own = globals } = globals
  own.lifecycle ??= new RuntimeLifecycle(own)
  return own.lifecycle as RuntimeLifecycle
}

export class RuntimeLifecycle implements Lifecycle, InstanceHost {
  readonly turns = new Turns()
  readonly calls = asyncStorage<RunningCall>()
  /** The names of deactivated tools. */
  readonly inactive = new Set<string>()
  /** Deactivations whose tool is still being looked up. */
  readonly deactivating = new Set<Promise<unknown>>()
  /** Keyed by the function of the tool, in order of first use. */
  private readonly byFunction = new Map<object, ToolInstance>()
  /** The active instances, in order of initialisation. */
  private readonly holding = new Set<ToolInstance>()
  /** The time at which code was replaced, by its function. */
  private readonly replaced = new WeakMap<object, number>()
  private shutting: Promise<void> | undefined

  constructor(readonly globals: Globals) {}

  enter(call: ManagedCall): void {
    if (!call.caller) this.turns.enter(call)
  }

  admit(tool: ToolDef): Promise<void> | undefined {
    if (this.deactivating.size > 0)
      return Promise.allSettled(this.deactivating).then(() => this.mustBeOn(tool))
    this.mustBeOn(tool)
    return undefined
  }

  isAvailable(tool: ToolDef): boolean {
    return !this.inactive.has(tool.name) && this.known(tool)?.state !== 'failed'
  }

  async run(fn: object, call: ManagedCall, work: (instance: unknown) => Promise<unknown>): Promise<unknown> {
    const instance = this.byFunction.get(fn) ?? (await this.instanceFor(fn, call.tool))
    return instance ? instance.run(call, work) : work(undefined)
  }

  /** All instances so far. */
  instances(): ToolInstance[] {
    return [...this.byFunction.values()]
  }

  /** The instance of a tool with hooks, if there is one already. */
  known(tool: ToolDef): ToolInstance | undefined {
    if (this.byFunction.size === 0 || !hasHooks(tool)) return undefined
    return (
      this.instances().find(one => one.tool === tool) ?? this.instances().find(one => isOne(one.tool, tool))
    )
  }

  /** Returns the instance of a tool; null for one without hooks. Imports its code. */
  async instanceOf(tool: ToolDef): Promise<ToolInstance | null> {
    if (!hasHooks(tool)) return null
    const fn = tool.load ? await tool.load() : tool.fn
    return typeof fn === 'function' ? this.instanceFor(fn, tool) : null
  }

  async requirementsOf(tool: ToolDef): Promise<ToolInstance[]> {
    const reach = await reachOf(tool, this.globals)
    const tools = await requiredWithHooks(tool, reach)
    const evaluated = tools.filter(one => mayBeEvaluated(one, reach))
    const found = await Promise.all(evaluated.map(one => this.instanceOf(one)))
    return found.filter(one => one !== null)
  }

  changed(instance: ToolInstance): void {
    this.holding.delete(instance)
    if (instance.state === 'active') this.holding.add(instance)
    else if (instance.isRetired && this.byFunction.get(instance.fn) === instance)
      this.byFunction.delete(instance.fn)
  }

  forget(name: string): void {
    const { programmaticTools } = this.globals.tools
    for (const one of this.instances()) {
      const { tool } = one
      if (tool.name !== name || tool.origin.via !== 'programmatic') continue
      if (programmaticTools.get(name)?.fn !== one.fn) this.retire(one)
    }
  }

  retire(instance: ToolInstance): void {
    this.byFunction.delete(instance.fn)
    this.replaced.set(instance.fn, performance.now())
    void instance.retire()
  }

  shutDown(): Promise<void> {
    releaseContext(this.calls)
    this.shutting ??= this.shutDownNow()
    return this.shutting
  }

  private async shutDownNow(): Promise<void> {
    const all = new Set([...this.byFunction.values(), ...this.holding])
    for (const one of all) one.abortInit(runtimeClosed())
    await Promise.all([...all].map(one => one.drain(runtimeClosed)))
    // An initialisation in progress has now failed or succeeded.
    await Promise.all([...all].map(one => one.settled()))
    for (const one of [...this.holding].reverse()) {
      await one.deactivate()
      await one.dispose()
    }
    await Promise.all([...all].map(one => one.dispose()))
  }

  private mustBeOn(tool: ToolDef): void {
    if (this.inactive.has(tool.name)) throw toolInactive(tool.name)
    this.known(tool)?.mustBeOn()
  }

  private async instanceFor(fn: object, tool: ToolDef): Promise<ToolInstance | null> {
    const known = this.byFunction.get(fn)
    if (known) return known
    const hooks = await hooksOf(fn)
    if (!hooks) return null
    // A concurrent call may have made it.
    const made = this.byFunction.get(fn) ?? new ToolInstance(fn, hooks, tool, this)
    this.byFunction.set(fn, made)
    made.isRetired = this.turns.isOlderThan(this.replaced.get(fn) ?? 0)
    if (made.isRetired) return made
    for (const other of this.instances()) if (other !== made && isOne(other.tool, tool)) this.retire(other)
    return made
  }
}

/** True for two versions of one tool: its file or code was replaced. */
function isOne(one: ToolDef, other: ToolDef): boolean {
  if (one.name !== other.name) return false
  const [a, b] = [one.origin, other.origin]
  return a.entry === b.entry && a.file === b.file && (a.file !== '' || one.src === other.src)
}

/** True for a tool that declares hooks; known before its code is loaded. */
export function hasHooks({ frontmatter: { metadata } }: ToolDef): boolean {
  return metadata[HOOKS_KEY] === true
}

/**
 * The tools with hooks that a tool requires, directly or through tools without hooks.
 *
 * @throws INIT_FAILED if the tool requires itself
 */
async function requiredWithHooks(tool: ToolDef, globals: Globals): Promise<ToolDef[]> {
  const found = new Set<ToolDef>()
  const seen = new Set<string>()
  const follow = async (one: ToolDef, way: readonly string[], isDirect: boolean): Promise<void> => {
    for (const required of await requiredBy(one, globals)) {
      if (required.name === tool.name)
        throw initFailed(
          tool.name,
          `the tools require each other in a circle: ${[...way, tool.name].join(' → ')}`,
        )
      const isMarked = hasHooks(required)
      if (isDirect && isMarked) found.add(required)
      const key = `${required.name} ${isDirect && !isMarked}`
      if (seen.has(key)) continue
      seen.add(key)
      await follow(required, [...way, required.name], isDirect && !isMarked)
    }
  }
  await follow(tool, [tool.name], true)
  return [...found]
}

/** The tools that a tool names in `requires-tools`, without missing ones. */
async function requiredBy(tool: ToolDef, globals: Globals): Promise<ToolDef[]> {
  const given = tool.frontmatter.metadata['requires-tools']
  const lists = (Array.isArray(given) ? given : [given]).filter(item => typeof item === 'string')
  const names = lists.flatMap(list => parsePatterns(list).map(({ text }) => text)).filter(isName)
  const tools: ToolDef[] = []
  for (const name of names) {
    const resolution = await resolveWithin(namespaceOf(tool.name), name, globals)
    if (resolution?.tool) tools.push(resolution.tool)
  }
  return tools
}
