import type { ParseArgsConfig } from 'node:util'
import type { OptionHelp } from './common-options.js'
import type { Output } from './output.js'
import { usageError } from './usage-error.js'

export type OptionTypes = NonNullable<ParseArgsConfig['options']>

export interface Invocation {
  positionals: string[]
  /** Options by name, including those that all commands have. */
  options: Record<string, string | boolean | string[] | undefined>
  /** Absolute. */
  cwd: string
  output: Output
  readInput: () => string
  /** Asks a question until `signal` aborts; null without an answer or a terminal. */
  ask: (question: string, signal?: AbortSignal) => Promise<string | null>
  signal: AbortSignal
}

/** The exit code after Ctrl-C. */
export const INTERRUPTED = 130

/** One command of `agent-apps`. */
export interface Command {
  name: string
  /** The number of arguments after its name. */
  positionals: { min: number; max: number }
  options: Record<string, OptionHelp>
  /** An example command line, with what it does. */
  example: string
  /** Runs the command and returns the exit code. */
  run: (invocation: Invocation) => Promise<number>
}

/** The option of commands that look up tools and take no paths as arguments. */
export const PATH_OPTION: Record<string, OptionHelp> = {
  path: {
    type: 'string',
    multiple: true,
    value: 'DIR',
    describes: 'search this directory instead of those configured (repeatable)',
  },
}

/** The options of commands that look up tools as a program would. */
export const LOOK_UP_OPTIONS: Record<string, OptionHelp> = {
  ...PATH_OPTION,
  workspace: {
    type: 'string',
    value: 'DIR',
    describes: 'add the tools for files and processes, with this directory as their workspace',
  },
}

/**
 * Converts a command's `--cwd`, `--config`, `--path` and paths to the options of the library.
 *
 * @throws USAGE
 */
export function projectOptions({ positionals, options, cwd }: Invocation): {
  cwd: string
  config?: string
  paths?: string[]
} {
  const given = [...positionals, ...(Array.isArray(options.path) ? options.path : [])]
  if (given.includes(''))
    throw usageError(
      'One of the paths is empty.',
      'Name a directory, or leave it out for those configured. A shell variable may be unset.',
    )
  return {
    cwd,
    ...(typeof options.config === 'string' && { config: options.config }),
    ...(given.length > 0 && { paths: given }),
  }
}
