import { AgentAppsError, nearest } from 'agent-apps'
import type { AgentOptions, Patterns } from 'agent-apps/runtime'
import { isModelName } from '../model-names.js'

/** The options for an offer of a runtime. */
export interface OfferOptions {
  /** The agent's limits, as `runtime.forAgent` takes them. */
  policy?: AgentOptions | undefined
  /** The id of a named agent, in place of `policy`. */
  agent?: string | undefined
  /** Patterns: only these tools and skills. They may name the library's own tools, which are left out otherwise. */
  select?: Patterns | undefined
  /** The maximum number of tokens of the catalog. Default: 4000. */
  budget?: number | undefined
  /** Other names for the tools that lead to skills. */
  names?: Partial<OfferNames> | undefined
  /** True: the model is told a skill's folder, for agents that read files themselves. Default: false. */
  directory?: boolean | undefined
}

/** The names of the tools that lead to skills. */
export interface OfferNames {
  load: string
  read: string
  search: string
}

const KEYS = ['policy', 'agent', 'select', 'budget', 'names', 'directory']
const NAMES = ['load', 'read', 'search']

/** Finds fault with the options of one function of an adapter. */
export interface OptionsCheck {
  /** Throws OPTIONS_INVALID for what would otherwise be overlooked; `more` are the adapter's own keys. */
  offer: (options: OfferOptions, more: readonly string[]) => void
  /** Throws OPTIONS_INVALID for keys that are not known. */
  keys: (options: object, known: readonly string[], prefix?: string) => void
  /** Throws OPTIONS_INVALID for keys that say nothing without another one, which `policy` has in its place. */
  only: (key: keyof OfferOptions, options: OfferOptions, given: readonly string[]) => void
  /** Throws OPTIONS_INVALID for a value that is none of these. */
  oneOf: (key: string, value: unknown, known: readonly string[]) => void
}

/** @param name that of the function, for messages */
export function checkOptionsOf(name: string): OptionsCheck {
  const invalid = (problem: string, hint: string): AgentAppsError =>
    new AgentAppsError('OPTIONS_INVALID', `\`${name}\` ${problem}.`, { hint })
  const check: OptionsCheck = {
    offer(options, more) {
      const { policy, agent, names = {} } = options
      check.keys(options, [...KEYS, ...more])
      check.keys(names, NAMES, 'names.')
      if (policy !== undefined && agent !== undefined)
        throw invalid('has both `agent` and `policy`', 'A named agent has its own limits: give one of them.')
      const given = [names.load, names.read, names.search].filter(one => one !== undefined)
      const wrong = given.find(one => !isModelName(one))
      if (wrong !== undefined)
        throw invalid(
          `has the name ${JSON.stringify(wrong)}`,
          'Models take at most 64 of the characters a-z, A-Z, 0-9, _ and -.',
        )
    },
    keys(options, known, prefix = '') {
      const unknown = Object.keys(options).find(key => !known.includes(key))
      if (unknown === undefined) return
      const meant = nearest(unknown, known)
      throw invalid(
        `has the option "${prefix}${unknown}", which it does not know`,
        meant ? `Did you mean "${prefix}${meant}"?` : `It knows ${known.join(', ')}.`,
      )
    },
    only(key, options, given) {
      const found = given.find(one => options[one as keyof OfferOptions] !== undefined)
      if (options[key] === undefined && found !== undefined)
        throw invalid(`has \`${found}\`, but no \`${key}\``, `Give \`policy: { ${found} }\`.`)
    },
    oneOf(key, value, known) {
      if (value === undefined || known.includes(value as string)) return
      const [first, second] = known.map(one => `'${one}'`)
      throw invalid(`has the \`${key}\` ${JSON.stringify(value)}`, `There are ${first} and ${second}.`)
    },
  }
  return check
}
