/** The reason why a model cannot be shown something, and the remedy. */
interface Fault {
  why: string
  grant: string
}

/** How many levels a schema may nest. */
const LEVELS = 200

const DEEP: Fault = {
  why: `its description nests deeper than ${LEVELS} levels`,
  grant: 'Nest its schema less deeply.',
}
const HALF: Fault = {
  why: 'its texts contain half of a character',
  grant: 'Take what is written as `\\ud800` to `\\udfff` out of its name, title, description and schema.',
}

/**
 * The reason why a model cannot be shown a tool; null if it can. One such tool would hide all others, as they
 * are sent together.
 *
 * @param shown everything that the model would see: name, title, description, schemas
 */
export function whyUnshowable(shown: readonly unknown[]): Fault | null {
  return faultAmong(shown, 0)
}

/** The first fault among values, no deeper than is allowed: a deeper value would overflow the stack. */
function faultAmong(values: readonly unknown[], level: number): Fault | null {
  for (const value of values) {
    const fault =
      typeof value === 'string'
        ? faultOf(value)
        : typeof value === 'object' && value !== null
          ? level > LEVELS
            ? DEEP
            : (faultAmong(Object.keys(value), 0) ?? faultAmong(Object.values(value), level + 1))
          : null
    if (fault) return fault
  }
  return null
}

/** Neither a URI nor a provider takes a lone surrogate. */
function faultOf(text: string): Fault | null {
  return /[\ud800-\udfff]/u.test(text) ? HALF : null
}
