import { isJsonObject } from '../base/json.js'
import { nearest } from '../base/nearest.js'
import { kindProblem, type OptionTable } from '../base/options.js'
import { isPermission, PERMISSIONS, type Permission } from '../base/permissions.js'
import { parsePatterns } from '../patterns/tool-pattern.js'
import { policyOf } from '../patterns/tool-rules.js'
import { AGENT_TOOLS, APPROVAL, LIMITS, NAMED_AGENT } from './policy-options.js'

type Patterns = string | string[]

/** A policy as a file has it. */
export interface ConfiguredPolicy {
  allow?: Patterns
  deny?: Patterns
  permissions?: Permission[]
  rules?: Patterns
  approval?: {
    mode?: 'ask' | 'allowlist' | 'yolo'
    allow?: Patterns
    remember?: 'session' | 'project'
  }
  readAllowedTools?: 'restrict'
}

export interface ConfiguredAgent {
  id: string
  tools?: { allow?: Patterns; deny?: Patterns }
  permissions?: Permission[]
  rules?: Patterns
}

/** A project's configuration of agents. `root` is its folder, absolute. */
export interface ConfiguredProject {
  root: string
  policy?: ConfiguredPolicy
  agents?: ConfiguredAgent[]
  env?: string[]
}

/** The part of a policy that only restricts agents: `deny`, and the rules that ask or deny. */
export function narrowing({ deny, rules }: ConfiguredPolicy): ConfiguredPolicy {
  const narrow = narrowingRules(rules)
  return { ...(deny !== undefined && { deny }), ...(narrow.length > 0 && { rules: narrow }) }
}

/** The rules that ask or deny. */
export function narrowingRules(rules: string | readonly string[] = []): string[] {
  const written = [rules].flat().flatMap(list => parsePatterns(list))
  return written.filter(rule => policyOf(rule) !== 'allow').map(({ text }) => text)
}

/** The fields of a policy that a file may have. */
const POLICY: OptionTable = { ...LIMITS, approval: 'object', readAllowedTools: ['restrict'] }

/** The fault of a policy in a file, as a clause; null without one. */
export function policyProblem(value: unknown): string | null {
  const { approval = {}, permissions, trust } = isJsonObject(value) ? value : {}
  if (trust !== undefined) return '`policy` has `trust`, which only the program that makes a runtime may say'
  return (
    fieldsProblem('policy', value, POLICY) ??
    fieldsProblem('policy.approval', approval, APPROVAL) ??
    permissionsProblem('policy.permissions', permissions)
  )
}

/** The fault of an array of named agents, as a clause; null without one. */
export function agentsProblem(value: unknown): string | null {
  if (!Array.isArray(value)) return '`agents` must be an array'
  for (const [index, agent] of value.entries()) {
    const at = `agents[${index}]`
    const { id, tools = {}, permissions } = isJsonObject(agent) ? agent : {}
    const problem =
      fieldsProblem(at, agent, NAMED_AGENT) ??
      (typeof id === 'string' && id !== '' ? null : `\`${at}\` must have an \`id\``) ??
      fieldsProblem(`${at}.tools`, tools, AGENT_TOOLS) ??
      permissionsProblem(`${at}.permissions`, permissions)
    if (problem !== null) return problem
    if (value.findIndex(one => one.id === id) < index)
      return `\`agents\` has two of the id ${JSON.stringify(id)}`
  }
  return null
}

function fieldsProblem(at: string, value: unknown, table: OptionTable): string | null {
  if (!isJsonObject(value)) return `\`${at}\` must be an object`
  for (const [field, found] of Object.entries(value)) {
    const kind = Object.hasOwn(table, field) ? table[field] : undefined
    if (kind === undefined) {
      const near = nearest(field, Object.keys(table))
      return `\`${at}\` has an unknown field \`${field}\`${near === null ? '' : `; did you mean \`${near}\`?`}`
    }
    const problem = found === undefined ? null : kindProblem(found, kind)
    if (problem !== null) return `\`${at}.${field}\` ${problem}`
  }
  return null
}

function permissionsProblem(at: string, value: unknown): string | null {
  const wrong = Array.isArray(value) ? value.find(one => !isPermission(one)) : undefined
  return wrong === undefined
    ? null
    : `\`${at}\` has ${JSON.stringify(wrong)}; the permissions are ${PERMISSIONS.join(', ')}`
}
