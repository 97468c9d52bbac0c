import { isJsonObject } from '../base/json.js'
import { asText } from './interpolate.js'

/** A call's arguments as a host has them that knows only words. */
interface HostArguments {
  /** All of them as one string. */
  all: string
  positional: (string | undefined)[]
}

/**
 * Reads arguments: a string as it would be typed, an array of values, or an object by the names of a skill's
 * arguments. Names that the skill does not have come last.
 */
export function hostArguments(args: unknown, names: readonly string[]): HostArguments {
  if (Array.isArray(args)) return joined(args.map(asText))
  if (isJsonObject(args)) {
    const others = Object.keys(args).filter(key => !names.includes(key))
    return joined(
      [...names, ...others].map(name => (args[name] === undefined ? undefined : asText(args[name]))),
    )
  }
  const all = asText(args)
  return { all, positional: splitWords(all) }
}

function joined(positional: (string | undefined)[]): HostArguments {
  const given = positional.filter(word => word !== undefined)
  return { all: given.map(quoted).join(' '), positional }
}

/** Splits a string at white space as a shell does: quotes and backslashes keep a word together. */
export function splitWords(text: string): string[] {
  const words = text.match(/(?:"(?:\\[\s\S]|[^"\\])*"|'[^']*'|\\[\s\S]|[^\s\\]|\\$)+/g) ?? []
  return words.map(word =>
    word.replace(
      /"((?:\\[\s\S]|[^"\\])*)"|'([^']*)'|\\([\s\S])/g,
      (_, double: string | undefined, single: string | undefined, escaped: string | undefined) =>
        double?.replace(/\\(["\\$`])/g, '$1') ?? single ?? escaped ?? '',
    ),
  )
}

/** Quotes a word so that splitting returns it unchanged. */
function quoted(word: string): string {
  return /^[^\s"'\\]+$/.test(word) ? word : `"${word.replace(/["\\]/g, '\\$&')}"`
}
