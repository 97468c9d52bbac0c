import type { AgentRuntime, createRuntime, Permission, Runtime, registerTool } from 'agent-apps'
import {
  type ModelPolicy,
  type ModelTool,
  NAMES,
  optionsOf,
  type Pattern,
  PERMISSIONS,
  pick,
  type Random,
  randomFrom,
  some,
  textOf,
} from './policy-model.js'

/**
 * A model of what agents do one call after another: agents that were spawned, in the place of a skill, after a
 * skill was opened; tools that call others; answers for a session; tools that are registered anew. It decides
 * by sets and loops of its own, and shares nothing with the runtime but the texts of patterns.
 */

type Answer = 'allow-once' | 'allow-session' | 'deny' | null
type Way = 'direct' | 'code' | 'policy' | 'spawn'

interface ModelSkill {
  allowedTools: Pattern[] | null
  /** Its `trust.rules`. */
  rules: Pattern[]
}

interface World {
  tools: ModelTool[]
  runtime: ModelPolicy
  agent: ModelPolicy
  /** The policies of agents that were spawned, each by the one before. */
  spawned: ModelPolicy[]
  /** The skill in whose place the agent calls. */
  within: ModelSkill | null
  /** The tool whose code calls the others. */
  outer: ModelTool & ModelSkill
  /** What `outer` gives the agent that it starts. */
  inner: ModelPolicy
  /** The `allowed-tools` of a skill that is opened first. */
  opened: Pattern[]
  readAllowedTools: 'restrict' | 'pre-approve'
  mode: 'ask' | 'yolo'
  guard: { asks: number; denies: number } | null
}

interface Step {
  way: Way
  tool: number
  a: number
  answer: Answer
  messageId: 'm' | 'n'
  /** A tool that is registered anew before the call. */
  edited: number | null
}

/** How a runtime is made: the package's own, or one whose source a test has broken. */
export interface Makers {
  createRuntime: typeof createRuntime
  registerTool: typeof registerTool
}

const GUIDE: ModelTool = {
  name: 'guide',
  tag: 'text',
  hidden: false,
  gated: undefined,
  required: [],
  optional: [],
}

function randomAgentWorld(random: Random): World {
  const maybe = <Value>(share: number, make: () => Value): Value | null => (random() < share ? make() : null)
  const selectors = [...NAMES, ...NAMES, 'outer', 'outer', 'guide', '*', '*', '#odd', '#even', '#text']
  const pattern = (says: readonly Pattern['says'][]): Pattern => ({
    ...{
      selects: pick(random, selectors),
      a: maybe(0.3, () => pick(random, [1, 2])),
      says: pick(random, says),
    },
  })
  const patterns = (most: number, ...says: Pattern['says'][]): Pattern[] =>
    Array.from({ length: Math.floor(random() * (most + 1)) }, () => pattern(says))
  const admitting = (most: number): Pattern[] => [
    ...patterns(most, 'allow'),
    ...patterns(1, 'deny'),
    ...(random() < 0.6 ? [{ selects: '*', a: null, says: 'allow' as const }] : []),
  ]
  const policy = (share: number, ...says: Pattern['says'][]): ModelPolicy => ({
    allow: maybe(share / 2, () => admitting(4).filter(one => one.says === 'allow')),
    deny: maybe(share / 2, () => patterns(1, 'allow')),
    permissions: maybe(share, () => some(random, 0.8, PERMISSIONS)),
    rules: maybe(share, () => patterns(2, ...says)),
  })
  const tool = (name: string, tag: string): ModelTool => ({
    ...{ name, tag, hidden: random() < 0.07, gated: pick(random, [true, false, undefined, undefined]) },
    ...{ required: some(random, 0.15, PERMISSIONS), optional: some(random, 0.2, PERMISSIONS) },
  })
  const skill = (): ModelSkill => ({
    allowedTools: maybe(0.5, () => admitting(3)),
    rules: patterns(1, 'ask', 'deny'),
  })
  return {
    tools: NAMES.map((name, index) => tool(name, index % 2 === 0 ? 'odd' : 'even')),
    runtime: policy(0.6, 'allow', 'ask', 'deny'),
    agent: policy(0.5, 'allow', 'ask', 'deny'),
    spawned: Array.from({ length: Math.floor(random() * 3) }, () => policy(0.3, 'ask', 'deny')),
    within: maybe(0.3, skill),
    outer: { ...tool('outer', 'text'), hidden: false, ...skill() },
    inner: policy(0.3, 'ask', 'deny'),
    opened: admitting(3),
    readAllowedTools: pick(random, ['restrict', 'pre-approve']),
    mode: pick(random, ['ask', 'ask', 'yolo']),
    guard: maybe(0.15, () => ({ asks: pick(random, [1, 2]), denies: pick(random, [1, 2, 3]) })),
  }
}

/** Where a call is made: by the agent itself, or by one that `outer` starts with a policy. */
interface Place {
  narrowing: ModelPolicy[]
  skills: ModelSkill[]
  isNested: boolean
}

function agentPlace({ spawned, within }: World): Place {
  return { narrowing: spawned, skills: within ? [within] : [], isNested: false }
}

function nestedPlace(world: World): Place {
  const { narrowing, skills } = agentPlace(world)
  return { narrowing: [...narrowing, world.inner], skills: [...skills, world.outer], isNested: true }
}

type Says = Pattern['says']
const STRICTNESS: readonly Says[] = ['allow', 'ask', 'deny']

function strictest(said: readonly (Says | undefined)[]): Says | undefined {
  return said.reduce(
    (one, other) => (STRICTNESS.indexOf(other as Says) > STRICTNESS.indexOf(one as Says) ? other : one),
    undefined,
  )
}

function selects({ selects: pattern }: Pattern, { name, tag }: ModelTool): boolean {
  return pattern === '*' || pattern === name || pattern === `#${tag}`
}

/** What all that grant permissions grant; nothing where no host grants any. */
function granted(world: World, { narrowing }: Place): Permission[] {
  const hosts = [world.runtime, world.agent].filter(({ permissions }) => permissions)
  const all = [...hosts, ...narrowing].flatMap(({ permissions }) => (permissions ? [permissions] : []))
  return hosts.length === 0 ? [] : PERMISSIONS.filter(one => all.every(list => list.includes(one)))
}

interface Verdict {
  decision: Says
  code: string | null
}

/** What must come of an agent's call, by the table of steps. */
function decideModel(
  world: World,
  place: Place,
  tool: ModelTool,
  a: number | undefined,
  isOpen: boolean,
): Verdict {
  const deny = (code: string): Verdict => ({ decision: 'deny', code })
  const matches = (one: Pattern): boolean => selects(one, tool) && (one.a === null || one.a === a)
  const declared = [...tool.required, ...tool.optional]
  const isHarmless = declared.every(one => one === 'read')
  const hosts = [world.runtime, world.agent, ...place.narrowing]
  if (tool.hidden) return deny('TOOL_NOT_FOUND')
  if (world.readAllowedTools === 'restrict')
    for (const { allowedTools } of place.skills) {
      const said = allowedTools?.filter(matches).map(({ says }) => says)
      if (said && (said.length === 0 || said.includes('deny'))) return deny('TOOL_DENIED')
    }
  for (const { allow, deny: barred } of hosts) {
    if (allow && allow.length > 0 && !allow.some(matches)) return deny('TOOL_DENIED')
    if (barred?.some(matches)) return deny('TOOL_DENIED')
  }
  const given = granted(world, place)
  if (!tool.required.every(one => given.includes(one))) return deny('PERMISSION_MISSING')
  const counts = (one: Pattern): boolean => one.says !== 'allow' || isHarmless || one.selects === tool.name
  const said =
    strictest(hosts.map(({ rules }) => rules?.find(one => matches(one) && counts(one))?.says)) ??
    strictest(place.skills.map(({ rules }) => rules.find(matches)?.says))
  const guards = world.guard?.denies === a ? 'deny' : world.guard?.asks === a ? 'ask' : undefined
  const answer = strictest([said, guards])
  if (answer === 'deny') return deny('TOOL_DENIED')
  if (answer) return { decision: answer, code: null }
  const isGated = tool.gated ?? declared.some(one => one !== 'read' && given.includes(one))
  if (!isGated || world.mode === 'yolo') return { decision: 'allow', code: null }
  const approving = world.opened.filter(matches)
  const isApproved =
    isOpen &&
    !approving.some(({ says }) => says === 'deny') &&
    approving.some(one => isHarmless || one.selects === tool.name)
  return { decision: isApproved ? 'allow' : 'ask', code: null }
}

/** What the model remembers from one call to the next. */
class Memory {
  /** Calls that were allowed for the session. */
  readonly approved = new Set<string>()
  openedFor: string | null = null

  /** What `authorize` says of a call. */
  decided(verdict: Verdict, identity: string): Verdict {
    const isApproved = verdict.decision === 'ask' && this.approved.has(identity)
    return isApproved ? { ...verdict, decision: 'allow' } : verdict
  }

  /** What a call gives. */
  outcome({ decision, code }: Verdict, identity: string, answer: Answer): string {
    if (decision === 'deny') return code ?? ''
    if (decision === 'allow' || this.approved.has(identity)) return 'ran'
    if (answer === null) return 'APPROVAL_UNAVAILABLE'
    if (answer === 'deny') return 'APPROVAL_DENIED'
    if (answer === 'allow-session') this.approved.add(identity)
    return 'ran'
  }

  forget(name: string): void {
    for (const identity of this.approved) if (identity.startsWith(`${name} `)) this.approved.delete(identity)
  }
}

function expectedOutcome(world: World, memory: Memory, step: Step): string {
  const tool = world.tools[step.tool] as ModelTool
  const isOpen =
    world.readAllowedTools === 'pre-approve' &&
    memory.openedFor !== null &&
    memory.openedFor === step.messageId
  const place = agentPlace(world)
  if (step.way === 'direct')
    return memory.outcome(
      decideModel(world, place, tool, step.a, isOpen),
      `${tool.name} ${step.a}`,
      step.answer,
    )
  const { outer } = world
  const args = `outer ${step.a} ${step.tool} ${step.way}`
  const called = memory.outcome(decideModel(world, place, outer, step.a, isOpen), args, step.answer)
  if (called !== 'ran') return called
  if (step.way === 'code') {
    const may = [...outer.required, ...outer.optional].filter(one => granted(world, place).includes(one))
    return tool.required.every(one => may.includes(one)) ? 'ran' : 'PERMISSION_MISSING'
  }
  const verdict = decideModel(world, nestedPlace(world), tool, step.a, false)
  return memory.outcome(verdict, `${tool.name} ${step.a}`, step.answer)
}

interface Running {
  runtime: Runtime
  agent: AgentRuntime
  answer: { now: Answer }
  register: (tool: ModelTool & Partial<ModelSkill>) => void
}

function start(world: World, { createRuntime, registerTool }: Makers): Running {
  const answer: Running['answer'] = { now: null }
  const { guard, mode, readAllowedTools } = world
  const runtime = createRuntime({
    ...{ paths: [], library: false },
    interact: () => answer.now ?? (undefined as never),
    policy: {
      ...optionsOf(world.runtime),
      ...{ approval: { mode }, readAllowedTools },
      ...(guard && {
        guard: ({ args }) => {
          const { a } = (args ?? {}) as { a?: number }
          return a === guard.denies ? 'deny' : a === guard.asks ? 'ask' : undefined
        },
      }),
    },
  })
  const { globals } = runtime
  const register: Running['register'] = ({
    name,
    tag,
    hidden,
    gated,
    required,
    optional,
    allowedTools,
    rules,
  }) =>
    registerTool(globals, {
      ...{ name, description: `The ${name}.`, tags: [tag], permissions: { required, optional } },
      ...(hidden && { visibility: 'hidden' as const }),
      ...(gated !== undefined && { gated }),
      ...(allowedTools && { allowedTools: textOf(allowedTools) }),
      ...(rules && { trust: { rules: textOf(rules, true) } }),
      params: { type: 'object' },
      fn: name === 'outer' ? (ctx, args) => callInner(world, ctx, args as never) : () => 'ran',
    })
  for (const tool of [...world.tools, world.outer]) register(tool)
  const careful = { ...GUIDE, name: 'careful', tag: 'careful', ...(world.within ?? {}) }
  if (world.within) register(careful)
  globals.tools.programmaticTools.set('guide', {
    ...{ name: 'guide', kind: 'file', fn: () => 'A text.', content: 'A text.' },
    frontmatter: {
      description: 'A text.',
      tags: ['text'],
      params: { type: 'object' },
      'allowed-tools': textOf(world.opened),
    },
  })
  let agent = runtime.forAgent({ ...optionsOf(world.agent), sessionId: 's' })
  if (world.within) agent = agent.within('careful')
  for (const policy of world.spawned) agent = agent.spawn(optionsOf(policy))
  return { runtime, agent, answer, register }
}

type InnerContext = Parameters<
  Parameters<typeof registerTool>[1] extends { fn: infer Fn }
    ? Fn extends (...args: never[]) => unknown
      ? Fn
      : never
    : never
>[0]

function callInner(
  world: World,
  { manager }: InnerContext,
  { a, tool, way }: { a: number; tool: number; way: Way },
): Promise<unknown> {
  const { name } = world.tools[tool] as ModelTool
  if (way === 'code') return manager.invoke(name, { a })
  const policy = optionsOf(world.inner)
  return way === 'spawn'
    ? manager.spawn(policy).invoke(name, { a })
    : manager.invoke(name, { a }, { as: 'agent', policy })
}

/** Calls in each world. */
export const CALLS = 8

/**
 * The first difference between the model and a runtime, over random worlds with as many calls each; empty where
 * nothing differs. Each call is listed, authorized and made.
 */
export async function agentDifferences(seed: number, worlds: number, makers: Makers): Promise<string[]> {
  const random = randomFrom(seed)
  for (let count = 0; count < worlds; count++) {
    const world = randomAgentWorld(random)
    const running = start(world, makers)
    const memory = new Memory()
    await openGuide(world, running, memory, random)
    for (let call = 0; call < CALLS; call++) {
      const step: Step = {
        way: pick(random, ['direct', 'direct', 'code', 'policy', 'spawn']),
        ...{ tool: Math.floor(random() * world.tools.length), a: pick(random, [1, 2, 3]) },
        answer: pick(random, ['allow-once', 'allow-session', 'allow-session', 'deny', null]),
        ...{
          messageId: pick(random, ['m', 'm', 'n']),
          edited: random() < 0.1 ? Math.floor(random() * 4) : null,
        },
      }
      const difference = await differenceAt(world, running, memory, step)
      if (difference) return [JSON.stringify({ ...difference, step, world })]
    }
  }
  return []
}

async function openGuide(
  world: World,
  { agent, answer }: Running,
  memory: Memory,
  random: Random,
): Promise<void> {
  if (random() < 0.3) return
  answer.now = 'allow-once'
  const { decision } = decideModel(world, agentPlace(world), GUIDE, 3, false)
  if (decision !== 'deny') memory.openedFor = 'm'
  await agent.open('guide', { a: 3 }, { messageId: 'm' }).catch(() => {})
}

async function differenceAt(
  world: World,
  { agent, answer, register }: Running,
  memory: Memory,
  step: Step,
): Promise<object | null> {
  const { tool: number, a, way, messageId, edited } = step
  const tool = world.tools[number] as ModelTool
  if (edited !== null) {
    const again = world.tools[edited] as ModelTool
    register(again)
    memory.forget(again.name)
  }
  answer.now = step.answer
  const isListed = (await agent.listTools()).some(({ name }) => name === tool.name)
  const possible = [1, 2, 3].map(one => decideModel(world, agentPlace(world), tool, one, false).decision)
  const isFound = (await agent.findTool(tool.name)) !== null
  if (isListed !== isFound || (!isListed && possible.some(one => one !== 'deny')))
    return { isListed, isFound, possible }
  const authorized = await agent.authorize(tool.name, { a })
  const decided = memory.decided(decideModel(world, agentPlace(world), tool, a, false), `${tool.name} ${a}`)
  if (authorized.decision !== decided.decision || authorized.code !== decided.code)
    return { authorized, decided }
  const wanted = expectedOutcome(world, memory, step)
  const args = way === 'direct' ? { a } : { a, tool: number, way }
  const outcome = await agent
    .invoke(way === 'direct' ? tool.name : 'outer', args, { messageId })
    .catch((error: { code?: string }) => error.code ?? String(error))
  return outcome === wanted ? null : { outcome, wanted }
}
