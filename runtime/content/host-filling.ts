import { AgentAppsError } from '../../src/base/error.js'
import { isJsonObject } from '../../src/base/json.js'
import {
  argumentNames,
  fillPlaceholders,
  type Host,
  type HostValues,
} from '../../src/content/host-placeholders.js'
import { asText } from '../../src/content/interpolate.js'
import { hostFolders } from '../directory/host-folders.js'
import type { Globals } from '../state/context.js'
import type { ToolDef } from '../state/tool-def.js'

/** The host whose placeholders are filled in, and its session. */
export interface HostOptions {
  host: Host
  /** The host's id of the session. */
  sessionId?: string | undefined
}

/** Fills in another host's placeholders over the parts of one content. */
export class HostFilling {
  readonly #values: HostValues
  #hasArguments = false

  /** @throws ARGS_INVALID for a named argument that the skill does not have */
  constructor(tool: ToolDef, args: unknown, { sessionId }: HostOptions, globals: Globals) {
    const names = argumentNames(tool.frontmatter.extra.arguments)
    if (!tool.frontmatter.params) refuseUnknown(tool, args, names)
    this.#values = {
      names,
      ...hostArguments(args, names),
      variables: {
        ...hostFolders(tool, globals),
        CLAUDE_SESSION_ID: sessionId,
      },
    }
  }

  /** @param between maps the text between placeholders */
  fill(text: string, between: (text: string) => string = same): string {
    const filled = fillPlaceholders(text, this.#values, between)
    if (filled.hasArguments) this.#hasArguments = true
    return filled.text
  }

  /** Completes the content: appends the arguments unless a placeholder took them. */
  finish(content: string): string {
    const { all } = this.#values
    if (this.#hasArguments || all === '') return content
    const gap = content === '' ? '' : content.endsWith('\n') ? '\n' : '\n\n'
    return `${content}${gap}ARGUMENTS: ${all}\n`
  }
}

function same(text: string): string {
  return text
}

function refuseUnknown({ name: tool }: ToolDef, args: unknown, names: readonly string[]): void {
  const unknown = isJsonObject(args) ? Object.keys(args).find(key => !names.includes(key)) : undefined
  if (unknown === undefined) return
  throw new AgentAppsError('ARGS_INVALID', `The skill "${tool}" has no argument "${unknown}".`, {
    hint:
      names.length > 0
        ? `Its arguments are ${names.join(', ')}.`
        : 'Give its arguments as one string, or name them in its field `arguments`.',
    tool,
  })
}

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
function hostArguments(args: unknown, names: readonly string[]): HostArguments {
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
