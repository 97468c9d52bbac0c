import { COMMON_OPTIONS, type Command, type OptionHelp } from './command.js'
import { COMMANDS } from './commands.js'

/** Returns the output of `agent-apps --help`. */
export async function overview(): Promise<string> {
  const commands = await Promise.all([...COMMANDS.values()].map(load => load()))
  const rows = commands.map(({ name, positionals, summary }): [string, string] => [
    `${name} ${positionals.shown}`,
    summary,
  ])
  return [
    'agent-apps: compile skills once, find them by name without scanning.',
    '',
    'Usage: agent-apps <command> [options]',
    '',
    ...columns(rows),
    '',
    'Options of every command:',
    ...columns(optionRows(COMMON_OPTIONS)),
    '',
    'Start with `agent-apps init`. `agent-apps <command> --help` has an example.',
  ].join('\n')
}

/** Returns the output of `agent-apps <command> --help`. */
export function commandHelp({ name, summary, positionals, options, example }: Command): string {
  const own = optionRows(options)
  return [
    `agent-apps ${name}: ${summary}`,
    '',
    `Usage: agent-apps ${[name, positionals.shown, '[options]'].filter(Boolean).join(' ')}`,
    ...(own.length > 0 ? ['', 'Options:', ...columns(own)] : []),
    '',
    'Options of every command:',
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
