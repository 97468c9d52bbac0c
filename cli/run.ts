import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { AgentAppsError, isAgentAppsError, nearest } from 'agent-apps'
import {
  COMMON_OPTIONS,
  type Command,
  INTERRUPTED,
  type Invocation,
  type OptionHelp,
  type OptionTypes,
} from './command.js'
import { COMMANDS } from './commands.js'
import { commandHelp, overview } from './help.js'
import { Output } from './output.js'
import { packageVersion } from './package-version.js'
import { showError } from './show-error.js'
import type { Io } from './standard-io.js'

/** Runs a command line and gives the exit code: 0 done, 1 errors, 2 wrong usage, 130 interrupted. */
export async function run(argv: string[], io: Io): Promise<number> {
  const { name, rest } = splitCommand(argv)
  try {
    if (name === 'help') return await help(rest[0], io)
    if (name !== undefined) return await runCommand(await findCommand(name), rest, io)
    if (rest.includes('--version') || rest.includes('-v')) return print(packageVersion(), io)
    if (rest.length === 0 || rest.includes('--help') || rest.includes('-h')) return await help(undefined, io)
    throw new AgentAppsError('USAGE', 'There is no command in what was given.', {
      hint: 'Usage: agent-apps <command> [options]. See `agent-apps --help`.',
    })
  } catch (error) {
    return fail(error, commonOutput(argv, io), process.cwd())
  }
}

/** The command's name, and all else in its order: options may stand before the name as well. */
function splitCommand(argv: string[]): { name: string | undefined; rest: string[] } {
  const takesValue = (option: string | undefined): boolean =>
    option?.startsWith('--') === true && COMMON_OPTIONS[option.slice(2)]?.type === 'string'
  const at = argv.findIndex((word, index) => !word.startsWith('-') && !takesValue(argv[index - 1]))
  return at === -1 ? { name: undefined, rest: argv } : { name: argv[at], rest: argv.toSpliced(at, 1) }
}

async function findCommand(name: string): Promise<Command> {
  const load = COMMANDS.get(name)
  if (load) return load()
  const near = nearest(name, COMMANDS.keys())
  throw new AgentAppsError('USAGE', `There is no command ${JSON.stringify(name)}.`, {
    hint:
      near === null ? 'See `agent-apps --help` for those there are.' : `Did you mean \`agent-apps ${near}\`?`,
  })
}

async function runCommand(command: Command, argv: string[], io: Io): Promise<number> {
  const { values, positionals } = parse(command, argv)
  if (values.help) return print(commandHelp(command), io)
  const { shown, min, max } = command.positionals
  if (positionals.length < min || positionals.length > max) {
    const problem =
      positionals.length < min
        ? 'is missing an argument'
        : `takes no argument ${JSON.stringify(positionals[max])}`
    throw new AgentAppsError('USAGE', `\`agent-apps ${command.name}\` ${problem}.`, {
      hint: `Usage: ${['agent-apps', command.name, shown].filter(Boolean).join(' ')}`,
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

async function help(name: string | undefined, io: Io): Promise<number> {
  if (name !== undefined && !name.startsWith('-')) return print(commandHelp(await findCommand(name)), io)
  return print(await overview(), io)
}

function print(text: string, { stdout }: Io): number {
  stdout.write(`${text}\n`)
  return 0
}

/** Where the words of a command line go that cannot be read. */
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
