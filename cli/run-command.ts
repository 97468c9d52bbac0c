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

/**
 * Runs a command and gives the exit code.
 *
 * @param name `help` for the help of the command that `argv` begins with; undefined if there is none
 * @param argv what was given besides the name
 */
export async function runCommand(name: string | undefined, argv: string[], io: Io): Promise<number> {
  try {
    if (name === 'help') return print(commandHelp(await findCommand(argv[0] ?? '')), io)
    if (name !== undefined) return await perform(await findCommand(name), argv, io)
    throw new AgentAppsError('USAGE', 'There is no command in what was given.', {
      hint: 'Usage: agent-apps <command> [options]. See `agent-apps --help`.',
    })
  } catch (error) {
    return fail(error, commonOutput(argv, io), process.cwd())
  }
}

async function findCommand(name: string): Promise<Command> {
  const listed = COMMANDS.get(name)
  if (listed) return listed.load()
  const near = nearest(name, COMMANDS.keys())
  throw new AgentAppsError('USAGE', `There is no command ${JSON.stringify(name)}.`, {
    hint:
      near === null ? 'See `agent-apps --help` for those there are.' : `Did you mean \`agent-apps ${near}\`?`,
  })
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
    throw new AgentAppsError('USAGE', `\`agent-apps ${command.name}\` ${problem}.`, {
      hint: `Usage: ${['agent-apps', command.name, COMMANDS.get(command.name)?.shown].filter(Boolean).join(' ')}`,
    })
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
    throw usageError(error as Error & { code?: string }, command, known)
  }
}

/** Writes out the values that were left out, because `parseArgs` takes the next word for one. */
function withOptionalValues(argv: string[], known: Record<string, OptionHelp>): string[] {
  return argv.map((word, index) => {
    const optional = word.startsWith('--') ? known[word.slice(2)]?.optional : undefined
    return optional && !optional.isValue(argv[index + 1] ?? '') ? `${word}=${optional.value}` : word
  })
}

function usageError(
  { message, code }: Error & { code?: string },
  command: Command,
  known: Record<string, OptionHelp>,
): AgentAppsError {
  const flag = /'(-[^\s'=]*)/.exec(message)?.[1] ?? ''
  const help = `See \`agent-apps ${command.name} --help\`.`
  const usage = (problem: string, hint: string): AgentAppsError =>
    new AgentAppsError('USAGE', `\`agent-apps ${command.name}\` ${problem}.`, { hint })
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') {
    const near = nearest(
      flag,
      Object.keys(known).map(name => `--${name}`),
    )
    return usage(`has no option ${flag}`, near === null ? help : `Did you mean ${near}?`)
  }
  const option = known[flag.slice(2)]
  if (option?.type === 'string')
    return usage(`has no value for ${flag}`, `Write ${flag}=${option.value}. ${help}`)
  if (option !== undefined) return usage(`takes no value for ${flag}`, `Write ${flag} alone. ${help}`)
  return new AgentAppsError('USAGE', message, { hint: help })
}

function print(text: string, { stdout }: Io): number {
  stdout.write(`${text}\n`)
  return 0
}

/** The output for a command line that cannot be parsed. */
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
