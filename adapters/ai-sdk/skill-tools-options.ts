import { AgentAppsError, nearest } from 'agent-apps'
import type { AgentOptions, Patterns } from 'agent-apps/runtime'

export interface SkillToolsOptions {
  /** What limits the agent: what `runtime.forAgent` takes. */
  policy?: AgentOptions | undefined
  /** The id of a named agent, in place of `policy`. */
  agent?: string | undefined
  /** Patterns: only these tools and skills. They may name the library's own tools, which are left out otherwise. */
  select?: Patterns | undefined
  /** The maximum number of tokens of the catalog. Default: 4000. */
  budget?: number | undefined
  /**
   * Who asks a person to approve a call: the runtime, by its `interact`, or the application, by the SDK's approval
   * requests. Default: `runtime`.
   */
  approval?: 'runtime' | 'sdk' | undefined
  /** The secret that the SDK signs approval requests with, for `approval: 'sdk'` without a `store`. */
  secret?: string | Uint8Array | undefined
  /** Other names for the tools that lead to skills. */
  names?: Partial<SkillToolNames> | undefined
  /** True: the model is told a skill's folder, for agents that read files themselves. Default: false. */
  directory?: boolean | undefined
}

/** The names of the tools that lead to skills. */
export interface SkillToolNames {
  load: string
  read: string
  search: string
}

const KEYS = ['policy', 'agent', 'select', 'budget', 'approval', 'secret', 'names', 'directory']
const NAMES = ['load', 'read', 'search']

/** Throws OPTIONS_INVALID for what would otherwise be overlooked. */
export function checkOptions({ policy, agent, names = {}, approval, ...more }: SkillToolsOptions): void {
  checkKeys('', { ...more }, KEYS)
  checkKeys('names.', names, NAMES)
  if (policy !== undefined && agent !== undefined)
    throw invalid('has both `agent` and `policy`', 'A named agent has its own limits: give one of them.')
  if (approval !== undefined && approval !== 'runtime' && approval !== 'sdk')
    throw invalid(`has the \`approval\` ${JSON.stringify(approval)}`, "There are 'runtime' and 'sdk'.")
  const given = [names.load, names.read, names.search].filter(one => one !== undefined)
  const wrong = given.find(name => !/^[a-zA-Z0-9_-]{1,64}$/.test(name))
  if (wrong !== undefined)
    throw invalid(
      `has the name ${JSON.stringify(wrong)}`,
      'Models take at most 64 of the characters a-z, A-Z, 0-9, _ and -.',
    )
}

function checkKeys(prefix: string, given: object, keys: readonly string[]): void {
  const unknown = Object.keys(given).find(key => !keys.includes(key))
  if (unknown === undefined) return
  const meant = nearest(unknown, keys)
  throw invalid(
    `has the option "${prefix}${unknown}", which it does not know`,
    meant ? `Did you mean "${prefix}${meant}"?` : `It knows ${keys.join(', ')}.`,
  )
}

function invalid(problem: string, hint: string): AgentAppsError {
  return new AgentAppsError('OPTIONS_INVALID', `\`skillTools\` ${problem}.`, { hint })
}
