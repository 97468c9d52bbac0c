import {
  type AgentOptions,
  createRuntime,
  type Permission,
  type Runtime,
  type RuntimePolicy,
  registerTool,
} from 'agent-apps'

/** A pattern as data: the model never reads the text that the runtime is given. */
export interface Pattern {
  /** A tool's name, `*`, or `#` and a tag. */
  selects: string
  /** The value that the argument `a` must have; null: any. */
  a: number | null
  says: 'allow' | 'ask' | 'deny'
}

export interface ModelTool {
  name: string
  tag: string
  hidden: boolean
  gated: boolean | undefined
  required: Permission[]
  optional: Permission[]
}

/** The limits of a runtime or an agent; null: not given. */
export interface ModelPolicy {
  allow: Pattern[] | null
  deny: Pattern[] | null
  permissions: Permission[] | null
  rules: Pattern[] | null
}

/** One situation in which calls are decided about. */
export interface World {
  tools: ModelTool[]
  runtime: ModelPolicy
  agent: ModelPolicy
  allowedTools: Pattern[] | null
  mode: 'ask' | 'yolo'
  /** The value of `a` at which the guard asks, and that at which it denies. */
  guard: { asks: number; denies: number } | null
  answer: 'allow-once' | 'deny' | null
}

export interface ModelCall {
  tool: ModelTool
  a: number
}

export type Random = () => number

export const NAMES = ['one', 'two', 'three', 'four']
export const PERMISSIONS: Permission[] = ['read', 'write', 'execute', 'network']

/** A generator of numbers from 0 to 1 that a seed repeats (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

export function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item
}

export function some<Item>(random: Random, share: number, items: readonly Item[]): Item[] {
  return items.filter(() => random() < share)
}

export function randomWorld(random: Random): World {
  const maybe = <Value>(share: number, make: () => Value): Value | null => (random() < share ? make() : null)
  const pattern = (policies: readonly Pattern['says'][]): Pattern => ({
    selects: pick(random, [...NAMES, ...NAMES, '*', '#odd', '#even']),
    a: maybe(0.3, () => pick(random, [1, 2])),
    says: pick(random, policies),
  })
  const patterns = (most: number, ...policies: Pattern['says'][]): Pattern[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pattern(policies))
  const policy = (): ModelPolicy => ({
    allow: maybe(0.3, () => patterns(4, 'allow')),
    deny: maybe(0.3, () => patterns(1, 'allow')),
    permissions: maybe(0.7, () => some(random, 0.7, PERMISSIONS)),
    rules: maybe(0.6, () => patterns(3, 'allow', 'ask', 'deny')),
  })
  return {
    tools: NAMES.map((name, index) => ({
      name,
      tag: index % 2 === 0 ? 'odd' : 'even',
      hidden: random() < 0.1,
      gated: pick(random, [true, false, undefined, undefined]),
      required: some(random, 0.15, PERMISSIONS),
      optional: some(random, 0.15, PERMISSIONS),
    })),
    runtime: policy(),
    agent: policy(),
    allowedTools: maybe(0.3, () => [
      ...patterns(3, 'allow'),
      ...patterns(1, 'deny'),
      ...patterns(2, 'allow'),
    ]),
    mode: pick(random, ['ask', 'yolo']),
    guard: maybe(0.2, () => ({ asks: pick(random, [1, 2]), denies: pick(random, [1, 2, 3]) })),
    answer: pick(random, ['allow-once', 'deny', null]),
  }
}

/** What must come of a call: the step that decides, and whether it is allowed, asked about or denied. */
export function expected(world: World, { tool, a }: ModelCall): { decision: string; code: string | null } {
  const hosts = [world.runtime, world.agent]
  const deny = (code: string): { decision: string; code: string } => ({ decision: 'deny', code })
  const matches = (one: Pattern): boolean => {
    const isSelected = one.selects === '*' || one.selects === tool.name || one.selects === `#${tool.tag}`
    return isSelected && (one.a === null || one.a === a)
  }
  if (tool.hidden) return deny('TOOL_NOT_FOUND')
  if (world.allowedTools) {
    const said = world.allowedTools.filter(matches).map(({ says }) => says)
    if (said.length === 0 || said.includes('deny')) return deny('TOOL_DENIED')
  }
  for (const { allow, deny: barred } of hosts) {
    if (allow && allow.length > 0 && !allow.some(matches)) return deny('TOOL_DENIED')
    if (barred?.some(matches)) return deny('TOOL_DENIED')
  }
  const given = hosts.flatMap(({ permissions }) => (permissions ? [permissions] : []))
  const has = (one: Permission): boolean => given.length > 0 && given.every(list => list.includes(one))
  if (!tool.required.every(has)) return deny('PERMISSION_MISSING')
  const declared = [...tool.required, ...tool.optional]
  const isHarmless = declared.every(one => one === 'read')
  const said = hosts.map(
    ({ rules }) =>
      rules?.find(one => matches(one) && (one.says !== 'allow' || isHarmless || one.selects === tool.name))
        ?.says,
  )
  if (world.guard?.denies === a) said.push('deny')
  else if (world.guard?.asks === a) said.push('ask')
  if (said.includes('deny')) return deny('TOOL_DENIED')
  if (said.includes('ask')) return { decision: 'ask', code: null }
  if (said.includes('allow')) return { decision: 'allow', code: null }
  const isGated = tool.gated ?? declared.some(one => one !== 'read' && has(one))
  return { decision: isGated && world.mode === 'ask' ? 'ask' : 'allow', code: null }
}

/** The patterns as a program writes them. */
export function textOf(patterns: readonly Pattern[], withPolicy = false): string {
  return patterns
    .map(({ selects, a, says }) => {
      const options = withPolicy ? [`$policy=${says}`] : says === 'deny' ? ['$deny'] : []
      const inside = [...(a === null ? [] : [`a=${a}`]), ...options].join(',')
      return inside === '' ? selects : `${selects}(${inside})`
    })
    .join(' ')
}

export function optionsOf({
  allow,
  deny,
  permissions,
  rules,
}: ModelPolicy): Omit<AgentOptions, 'allowedTools'> {
  return {
    ...(allow && { allow: textOf(allow) }),
    ...(deny && { deny: textOf(deny) }),
    ...(permissions && { permissions }),
    ...(rules && { rules: textOf(rules, true) }),
  }
}

export function policyOf({ runtime, mode, guard }: World): RuntimePolicy {
  const ask = ({ args }: { args: unknown }): 'ask' | 'deny' | undefined => {
    const { a } = args as { a: number }
    return a === guard?.denies ? 'deny' : a === guard?.asks ? 'ask' : undefined
  }
  return { ...optionsOf(runtime), approval: { mode }, ...(guard && { guard: ask }) }
}

export function agentOf({ agent, allowedTools }: World): AgentOptions {
  return { ...optionsOf(agent), ...(allowedTools && { allowedTools: textOf(allowedTools) }) }
}

/** A runtime as a world says, with its tools. */
export function runtimeOf(world: World): Runtime {
  const { answer, tools } = world
  const runtime = createRuntime({
    ...{ paths: [], library: false, policy: policyOf(world) },
    ...(answer && { interact: () => answer }),
  })
  for (const { name, tag, hidden, gated, required, optional } of tools)
    registerTool(runtime.globals, {
      ...{ name, description: `The ${name}.`, tags: [tag], permissions: { required, optional } },
      ...(hidden && { visibility: 'hidden' as const }),
      ...(gated !== undefined && { gated }),
      params: { type: 'object' },
      fn: () => 'ran',
    })
  return runtime
}

/** The first difference between the model and a runtime, over random worlds; empty where nothing differs. */
export async function differences(seed: number, worlds: number): Promise<string[]> {
  const random = randomFrom(seed)
  for (let count = 0; count < worlds; count++) {
    const world = randomWorld(random)
    const agent = runtimeOf(world).forAgent(agentOf(world))
    const listed = new Set((await agent.listTools()).map(({ name }) => name))
    for (const tool of world.tools) {
      const a = pick(random, [1, 2, 3])
      const { decision, code } = expected(world, { tool, a })
      const decided = await agent.authorize(tool.name, { a })
      const outcome = await agent.invoke(tool.name, { a }).catch(error => error.code)
      const answered = { 'allow-once': 'ran', deny: 'APPROVAL_DENIED', null: 'APPROVAL_UNAVAILABLE' }
      const wanted = decision === 'allow' ? 'ran' : decision === 'ask' ? answered[`${world.answer}`] : code
      const isListed = listed.has(tool.name)
      const isPossible = [1, 2, 3].some(one => expected(world, { tool, a: one }).decision !== 'deny')
      const isSame = decided.decision === decision && decided.code === code && outcome === wanted
      if (!isSame || (isPossible && !isListed))
        return [JSON.stringify({ tool, a, decision, code, decided, outcome, wanted, isListed, world })]
    }
  }
  return []
}
