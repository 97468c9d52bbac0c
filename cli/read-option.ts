import { nearest } from '../src/base/nearest.js'
import type { Invocation } from './command.js'
import { usageError } from './usage-error.js'

type Value = Invocation['options'][string]

/**
 * Reads an option that takes one of a few names; the first if it is not given.
 *
 * @throws USAGE
 */
export function readChoice<Choice extends string>(
  option: string,
  given: Value,
  choices: readonly [Choice, ...Choice[]],
): Choice {
  const choice = choices.find(known => known === (given ?? choices[0]))
  if (choice !== undefined) return choice
  const near = nearest(String(given), choices)
  throw usageError(
    `\`--${option}\` does not take ${JSON.stringify(given)}.`,
    near === null ? `Use one of ${choices.join(', ')}.` : `Did you mean --${option} ${near}?`,
  )
}

/**
 * Reads an option that takes a whole number; undefined if it is not given.
 *
 * @param example a value for the hint
 * @throws USAGE
 */
export function readNumber(option: string, given: Value, example: number): number | undefined {
  if (given === undefined) return undefined
  if (typeof given === 'string' && /^\d+$/.test(given)) return Number(given)
  throw usageError(
    `\`--${option}\` takes a whole number, not ${JSON.stringify(given)}.`,
    `Write --${option} ${example}.`,
  )
}

/** The value of an option that is repeated for several; undefined if it is not given. */
export function readList(given: Value): string[] | undefined {
  return Array.isArray(given) ? given : undefined
}
