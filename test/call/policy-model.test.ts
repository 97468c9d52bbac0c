import { expect, it } from 'vitest'
import { parsePatterns } from '../../src/patterns/tool-pattern.js'
import { decide, STEPS } from '../../src/policy/decide.js'
import { readGuards } from '../../src/policy/guards.js'
import type { AgentCall, Limits } from '../../src/policy/limits.js'
import { times } from '../support/long.js'
import {
  agentOf,
  differences,
  expected,
  type ModelCall,
  policyOf,
  randomFrom,
  randomWorld,
  type World,
} from '../support/policy-model.js'

/** Four calls in each; test/long/policy-model.test.ts has a million calls. */
const WORLDS = times(8, 250)

it(`a runtime decides, runs and lists as the model says, over ${WORLDS * 4} calls`, async () => {
  expect(await differences(1, WORLDS)).toEqual([])
})

it.each(STEPS.map((step, index) => [index + 1, step] as const))(
  'the model sees that step %i is left out',
  (_, left) => {
    const random = randomFrom(2)
    let whole = 0
    let without = 0
    for (let count = 0; count < times(40, 1_000); count++) {
      const world = randomWorld(random)
      for (const tool of world.tools) {
        const call = { tool, a: 1 + Math.floor(random() * 3) }
        const { decision } = expected(world, call)
        if (decide(callOf(call), limitsOf(world)).decision !== decision) whole++
        const rest = STEPS.filter(step => step !== left)
        if (decide(callOf(call), limitsOf(world), rest).decision !== decision) without++
      }
    }
    expect(whole).toBe(0)
    expect(without).toBeGreaterThan(2)
  },
)

it('any call of a tool is denied only where each one is', () => {
  const random = randomFrom(3)
  let denied = 0
  for (let count = 0; count < times(80, 1_000); count++) {
    const world = randomWorld(random)
    const limits = { ...limitsOf(world), guard: undefined }
    for (const tool of world.tools) {
      if (decide({ ...callOf({ tool, a: 0 }), isAny: true }, limits).decision !== 'deny') continue
      denied++
      for (const a of [1, 2, 3])
        expect(decide(callOf({ tool, a }), limits).decision, JSON.stringify({ world, a })).toBe('deny')
    }
  }
  expect(denied).toBeGreaterThan(10)
})

function callOf({ tool: { name, tag, hidden, gated, required, optional }, a }: ModelCall): AgentCall {
  const guards = readGuards({ gated: gated ?? null, permissions: { required, optional } })
  return { name, tags: [tag], args: { a }, isThere: !hidden, guards }
}

function limitsOf(world: World): Limits {
  const hosts = [policyOf(world), agentOf(world)]
  const lists = (patterns: (string | readonly string[] | undefined)[]): Limits['allow'] =>
    patterns.flatMap(one => (one === undefined ? [] : [{ by: 'a host', rules: parsePatterns(String(one)) }]))
  return {
    allowedTools: lists([agentOf(world).allowedTools]),
    allow: lists(hosts.map(({ allow }) => allow)),
    preApproved: [],
    deny: lists(hosts.map(({ deny }) => deny)),
    permissions: hosts.flatMap(({ permissions }) =>
      permissions ? [{ by: 'a host', granted: permissions }] : [],
    ),
    rules: [{ lists: lists(hosts.map(({ rules }) => rules)), mayAllow: true }],
    guard: policyOf(world).guard,
    skipsApproval: world.mode === 'yolo',
  }
}
