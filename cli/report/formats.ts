import type { Invocation } from '../command.js'
import { readChoice } from '../read-option.js'

const FORMATS = ['pretty', 'json', 'github', 'sarif'] as const
export type Format = (typeof FORMATS)[number]

/** The options of commands that report diagnostics. */
export const REPORT_OPTIONS = {
  strict: { type: 'boolean', describes: 'fail on warnings too' },
  format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: pretty)` },
  all: { type: 'boolean', describes: 'in a terminal, show every place, not only ten of each rule' },
} as const

/** Reads `--format`; `--json` is short for `--format json`. Throws USAGE. */
export function readFormat({ options, output }: Invocation): Format {
  return output.json ? 'json' : readChoice('format', options.format, FORMATS)
}
