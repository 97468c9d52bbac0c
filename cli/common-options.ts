/** An option as `--help` shows it. */
export interface OptionHelp {
  type: 'string' | 'boolean'
  multiple?: boolean
  /** The placeholder of its value, for an option that takes one. */
  value?: string
  /** For an option whose value may be left out: what it is then, and what else can be one. */
  optional?: { value: string; isValue: (word: string) => boolean }
  describes: string
}

/** The options that every command has. */
export const COMMON_OPTIONS: Record<string, OptionHelp> = {
  cwd: { type: 'string', value: 'DIR', describes: 'work as if started there' },
  config: { type: 'string', value: 'FILE', describes: 'use this configuration' },
  json: { type: 'boolean', describes: 'print results as JSON' },
  quiet: { type: 'boolean', describes: 'print results and errors only' },
  verbose: { type: 'boolean', describes: 'print everything there is to say' },
  color: { type: 'boolean', describes: 'use colours; --no-color for none (default: on a terminal)' },
  'no-color': { type: 'boolean', describes: '' },
  help: { type: 'boolean', describes: 'show help' },
}
