import { AgentAppsError } from '../src/base/error.js'
import { nearest } from '../src/base/nearest.js'

/**
 * Reads an option that takes one of a few names; the first if it is not given.
 *
 * @throws USAGE
 */
export function readChoice<Choice extends string>(
  option: string,
  wanted: unknown,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = choices.find(known => known === (wanted ?? choices[0]))
  if (choice !== undefined) return choice
  const near = nearest(String(wanted), choices)
  throw new AgentAppsError('USAGE', `\`--${option}\` does not take ${JSON.stringify(wanted)}.`, {
    hint: near === null ? `Use one of ${choices.join(', ')}.` : `Did you mean --${option} ${near}?`,
  })
}
