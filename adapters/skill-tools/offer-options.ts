import type { AgentOptions, Patterns } from 'agent-apps/runtime'
import type { OptionsCheck } from '../check-options.js'
import { isModelName } from '../model-names.js'

/** The options of what a model is offered. */
export interface OfferOptions {
  /** The agent's limits, as for `runtime.forAgent`. */
  policy?: AgentOptions | undefined
  /** The id of a named agent, in place of `policy`. */
  agent?: string | undefined
  /** Patterns of the tools and skills to offer. Default: all but the library's own. */
  select?: Patterns | undefined
  /** The maximum number of tokens of the catalog. Default: 4000. */
  budget?: number | undefined
  /** The words of the user. The skills that they find come behind the catalog. */
  for?: string | undefined
  /** Other names for the tools that load skills. */
  names?: Partial<OfferNames> | undefined
  /** True to tell the model each skill's folder, for agents that read files themselves. Default: false. */
  directory?: boolean | undefined
}

/** The names of the tools that load skills. */
export interface OfferNames {
  load: string
  read: string
  search: string
}

const KEYS = ['policy', 'agent', 'select', 'budget', 'names', 'directory']
const NAMES = ['load', 'read', 'search']

/**
 * Checks the options of an offer.
 *
 * @param more the adapter's own keys
 * @throws OPTIONS_INVALID
 */
export function checkOffer(
  { keys, invalid }: OptionsCheck,
  options: OfferOptions,
  more: readonly string[] = [],
): void {
  const { policy, agent, for: words, names = {} } = options
  keys(options, [...KEYS, ...more])
  keys(names, NAMES, 'names.')
  if (words !== undefined && typeof words !== 'string')
    throw invalid('takes no `for` but a string', 'Give the words of the user.')
  if (policy !== undefined && agent !== undefined)
    throw invalid('has both `agent` and `policy`', 'A named agent has its own limits: give one of them.')
  const wrong = [names.load, names.read, names.search].find(one => one !== undefined && !isModelName(one))
  if (wrong !== undefined)
    throw invalid(
      `has the name ${JSON.stringify(wrong)}`,
      'Models take at most 64 of the characters a-z, A-Z, 0-9, _ and -.',
    )
}
