import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentAppsError, isAgentAppsError } from '../src/base/error.js'
import { nearest } from '../src/base/nearest.js'
import { type Command, INTERRUPTED, type Invocation, type OptionTypes } from './command.js'
import { COMMANDS } from './commands.js'
import { COMMON_OPTIONS, type OptionHelp } from './common-options.js'
import { commandHelp } from './help.js'
import { Output } from './output.js'
import { showError } from './show-error.js'
import type { Io } from './standard-io.js'
import { usageError } from './usage-error.js'

/**
 * Runs a command and returns its exit code.
 *
 * @param name the command, `help` for the help of the command that `argv` begins with, or undefined if none is given
 * @param argv the other words
 */
export async function runCommand(name: string | undefined, argv: string[], io: Io): Promise<number> {
  try {
    if (name === 'help') return print(commandHelp(await findCommand(argv[0] ?? '')), io)
    if (name !== undefined) return await perform(await findCommand(name), argv, io)
    throw usageError(
      'No command was given.',
      'Usage: agent-apps <command> [options]. See `agent-apps --help`.',
    )
  } catch (error) {
    return fail(error, commonOutput(argv, io), process.cwd())
  }
}

async function findCommand(name: string): Promise<Command> {
  const listed = COMMANDS.get(name)
  if (listed) return listed.load()
  const near = nearest(name, COMMANDS.keys())
  throw usageError(
    `There is no command ${JSON.stringify(name)}.`,
    near === null ? 'See `agent-apps --help` for all commands.' : `Did you mean \`agent-apps ${near}\`?`,
  )
}

async function perform(command: Command, argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(command, argv)
  if (values.help) return print(commandHelp(command), io)
  const { min, max } = command.positionals
  if (positionals.length < min || positionals.length > max) {
    const problem =
      positionals.length < min
        ? 'is missing an argument'
        : `takes no argument ${JSON.stringify(positionals[max])}`
    const usage = ['agent-apps', command.name, COMMANDS.get(command.name)?.shown].filter(Boolean)
    throw usageError(`\`agent-apps ${command.name}\` ${problem}.`, `Usage: ${usage.join(' ')}`)
  }
  const cwd = resolve(typeof values.cwd === 'string' ? values.cwd : '.')
  if (!existsSync(cwd)) {
    throw new AgentAppsError('DIRECTORY_NOT_FOUND', `There is no directory ${cwd}.`, {
      hint: 'Correct --cwd, or create the directory.',
    })
  }
  const invocation: Invocation = {
    positionals,
    options: values,
    cwd,
    output: new Output(io, {
      json: values.json === true,
      quiet: values.quiet === true,
      verbose: values.verbose === true,
      color: values['no-color'] ? false : values.color === true ? true : undefined,
    }),
    readInput: io.readInput,
    ask: io.ask,
    signal: io.signal,
  }
  try {
    return await command.run(invocation)
  } catch (error) {
    return fail(error, invocation.output, cwd)
  }
}

function parse(command: Command, argv: string[]): { values: Invocation['options']; positionals: string[] } {
  const known = { ...command.options, ...COMMON_OPTIONS }
  const options: OptionTypes = Object.fromEntries(
    Object.entries(known).map(([name, { type, multiple = false }]) => [name, { type, multiple }]),
  )
  options.help = { type: 'boolean', short: 'h' }
  try {
    const args = withOptionalValues(argv, known)
    const { values, positionals } = parseArgs({ args, options, allowPositionals: true })
    return { values: values as Invocation['options'], positionals }
  } catch (error) {
    throw parseError(error as Error & { code?: string }, command, known)
  }
}

/** Adds the values that were left out, since `parseArgs` would take the next word for one. */
function withOptionalValues(argv: string[], known: Record<string, OptionHelp>): string[] {
  return argv.map((word, index) => {
    const optional = word.startsWith('--') ? known[word.slice(2)]?.optional : undefined
    return optional && !optional.isValue(argv[index + 1] ?? '') ? `${word}=${optional.value}` : word
  })
}

function parseError(
  { message, code }: Error & { code?: string },
  command: Command,
  known: Record<string, OptionHelp>,
): AgentAppsError {
  const flag = /'(-[^\s'=]*)/.exec(message)?.[1] ?? ''
  const help = `See \`agent-apps ${command.name} --help\`.`
  const faulty = (problem: string, hint: string): AgentAppsError =>
    usageError(`\`agent-apps ${command.name}\` ${problem}.`, hint)
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const flags = Object.keys(known).map(name => `--${name}`)
    const near = nearest(flag, flags)
    return faulty(`has no option ${flag}`, near === null ? help : `Did you mean ${near}?`)
  }
  const option = known[flag.slice(2)]
  if (option?.type === 'string')
    return faulty(`has no value for ${flag}`, `Write ${flag}=${option.value}. ${help}`)
  if (option !== undefined) return faulty(`takes no value for ${flag}`, `Write ${flag} alone. ${help}`)
  return usageError(message, help)
}

function print(text: string, { stdout }: Io): number {
  stdout.write(`${text}\n`)
  return 0
}

/** The output for a command line that is not parsed. */
function commonOutput(argv: string[], io: Io): Output {
  return new Output(io, {
    json: argv.includes('--json'),
    quiet: false,
    verbose: false,
    color: argv.includes('--no-color') ? false : undefined,
  })
}

function fail(error: unknown, output: Output, cwd: string): number {
  showError(error, output, cwd)
  if (!isAgentAppsError(error)) return 1
  if (error.code === 'USAGE') return 2
  return error.code === 'COMPILE_ABORTED' ? INTERRUPTED : 1
}
