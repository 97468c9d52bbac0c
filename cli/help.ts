import type { Command } from './command.js'
import { COMMANDS } from './commands.js'
import { COMMON_OPTIONS, type OptionHelp } from './common-options.js'

/** The output of `agent-apps --help`. */
export function overview(): string {
  const rows = [...COMMANDS].map(([name, { shown, summary }]): [string, string] => [
    `${name} ${shown}`,
    summary,
  ])
  return [
    'agent-apps: compile skills once, find them by name without scanning.',
    '',
    'Usage: agent-apps <command> [options]',
    '',
    ...columns(rows),
    '',
    'Global options:',
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    'Start with `agent-apps init`. Run `agent-apps <command> --help` for options and an example.',
  ].join('\n')
}

export function commandHelp({ name, options, example }: Command): string {
  const { shown = '', summary = '' } = COMMANDS.get(name) ?? {}
  const own = optionRows(options)
  return [
    `agent-apps ${name}: ${summary}`,
    '',
    `Usage: agent-apps ${[name, shown, '[options]'].filter(Boolean).join(' ')}`,
    ...(own.length > 0 ? ['', 'Options:', ...columns(own)] : []),
    '',
    'Global options:',
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    'Example:',
    `  ${example}`,
  ].join('\n')
}

function optionRows(options: Record<string, OptionHelp>): [string, string][] {
  return Object.entries(options)
    .filter(([, { describes }]) => describes !== '')
    .map(([name, { value, optional, describes }]) => [
      value === undefined ? `--${name}` : `--${name} ${optional ? `[${value}]` : value}`,
      describes,
    ])
}

function columns(rows: [string, string][]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`)
}
