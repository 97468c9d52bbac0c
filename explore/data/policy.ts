import type {
  PolicyAgent,
  PolicyLimits,
  PolicyList,
  PolicyTool,
  SkillRow,
} from '../../cli/explore/page-data.js'
import type { JsonValue } from '../../src/base/json.js'
import { parsePatterns } from '../../src/patterns/tool-pattern.js'
import { decisionSteps, type StepAnswer } from '../../src/policy/decide.js'
import { fillKey, readGuards } from '../../src/policy/guards.js'
import type { AgentCall, Limits, RuleList } from '../../src/policy/limits.js'

/** The answers of the steps to a call, and what of it only the tool's own code could say. */
export interface CallDecision {
  steps: StepAnswer[]
  /** True where rules compare a key that the tool's code derives from the arguments. */
  isOpen: boolean
}

/** Decides about an agent's call by the project's own steps, which run no code. */
export function decideCall(
  row: SkillRow,
  tool: PolicyTool,
  args: JsonValue,
  { limits }: PolicyAgent,
): CallDecision {
  const guards = readGuards(tool.guards)
  const { approvalKey, required, optional } = guards
  const does = [...required, ...optional]
  const call: AgentCall = {
    name: row.name,
    tags: row.tags,
    src: null,
    isLibrary: row.layer === 'bundled',
    args,
    isAny: false,
    isThere: !row.hidden,
    isRemote: false,
    mayExecute: does.length === 0 || does.includes('execute'),
    guards,
    ...(typeof approvalKey === 'object' && { key: fillKey(approvalKey, args).text }),
  }
  return { steps: decisionSteps(call, limitsFor(tool, limits)), isOpen: approvalKey === 'derived' }
}

function limitsFor({ isMeant, skillRules }: PolicyTool, limits: PolicyLimits): Limits {
  const list = ({ by, patterns }: PolicyList): RuleList => ({
    by,
    rules: patterns.flatMap(text => parsePatterns(text)),
    ...(isMeant !== undefined && { isMeant }),
  })
  return {
    allowedTools: [],
    allow: limits.allow.map(list),
    deny: limits.deny.map(list),
    permissions: limits.permissions,
    rules: [
      { lists: limits.rules.map(list), mayAllow: true },
      ...skillRules.map(({ skill, patterns, mayAllow }) => ({
        lists: [{ ...list({ by: `"${skill}"`, patterns }), skill }],
        mayAllow,
      })),
    ],
    preApproved: [],
    skipsApproval: limits.skipsApproval,
  }
}
