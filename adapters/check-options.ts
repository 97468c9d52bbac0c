import { AgentAppsError, nearest } from 'agent-apps'

/** The checks of the options of one function. Each throws OPTIONS_INVALID. */
export interface OptionsCheck {
  keys: (options: object, known: readonly string[], prefix?: string) => void
  /** Refuses any other value, except undefined. */
  oneOf: (key: string, value: unknown, known: readonly unknown[]) => void
  /** The error for another problem, from the end of a sentence that begins with the function. */
  invalid: (problem: string, hint: string) => AgentAppsError
}

/** @param name the function, for messages */
export function checkOptionsOf(name: string): OptionsCheck {
  const invalid: OptionsCheck['invalid'] = (problem, hint) =>
    new AgentAppsError('OPTIONS_INVALID', `\`${name}\` ${problem}.`, { hint })
  return {
    invalid,
    keys(options, known, prefix = '') {
      const unknown = Object.keys(options).find(key => !known.includes(key))
      if (unknown === undefined) return
      const near = nearest(unknown, known)
      const hint = near ? `Did you mean "${prefix}${near}"?` : `Its options are ${known.join(', ')}.`
      throw invalid(`has no option "${prefix}${unknown}"`, hint)
    },
    oneOf(key, value, known) {
      if (value !== undefined && !known.includes(value))
        throw invalid(`takes no \`${key}\` ${JSON.stringify(value)}`, `Use one of ${known.join(', ')}.`)
    },
  }
}
