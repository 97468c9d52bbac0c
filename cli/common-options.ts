/** An option as `--help` shows it. */
export interface OptionHelp {
  type: 'string' | 'boolean'
  multiple?: boolean
  /** The placeholder of its value, for an option that takes one. */
  value?: string
  /** The default of a value that may be left out, and the test for words that are one. */
  optional?: { value: string; isValue: (word: string) => boolean }
  describes: string
}

/** The options that every command has. */
export const COMMON_OPTIONS: Record<string, OptionHelp> = {
  cwd: { type: 'string', value: 'DIR', describes: 'run in this directory' },
  config: { type: 'string', value: 'FILE', describes: 'use this configuration file' },
  json: { type: 'boolean', describes: 'print results as JSON' },
  quiet: { type: 'boolean', describes: 'print only results and errors' },
  verbose: { type: 'boolean', describes: 'print details' },
  color: { type: 'boolean', describes: 'use colours; --no-color disables them (default: in a terminal)' },
  'no-color': { type: 'boolean', describes: '' },
  help: { type: 'boolean', describes: 'show help' },
}
