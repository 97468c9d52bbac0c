import { COMMON_OPTIONS } from './common-options.js'
import { overview } from './help.js'
import { packageVersion } from './package-version.js'
import type { Io } from './standard-io.js'

/**
 * Runs a command line and returns the exit code: 0 done, 1 errors, 2 wrong usage, 130 interrupted. Only a command loads
 * the runtime.
 *
 * @param load loads the commands; it gets a command's name unless only help is asked for
 */
export async function run(
  argv: string[],
  io: Io,
  load: (name?: string) => Promise<typeof import('./run-command.js')> = () => import('./run-command.js'),
): Promise<number> {
  const { name, rest } = splitCommand(argv)
  const isHelp = rest.includes('--help') || rest.includes('-h')
  const isVersion = rest.includes('--version') || rest.includes('-v')
  if (name === undefined && isVersion) return print(packageVersion(), io)
  if (name === undefined && (isHelp || rest.length === 0)) return print(overview(), io)
  if (name === 'help' && (rest[0] === undefined || rest[0].startsWith('-'))) return print(overview(), io)
  const { runCommand } = await load(isHelp ? undefined : name)
  return runCommand(name, rest, io)
}

/** Separates the command's name from the other words. Options may precede the name. */
function splitCommand(argv: string[]): { name: string | undefined; rest: string[] } {
  const takesValue = (option: string | undefined): boolean =>
    option?.startsWith('--') === true && COMMON_OPTIONS[option.slice(2)]?.type === 'string'
  const at = argv.findIndex((word, index) => !word.startsWith('-') && !takesValue(argv[index - 1]))
  return at === -1 ? { name: undefined, rest: argv } : { name: argv[at], rest: argv.toSpliced(at, 1) }
}

function print(text: string, { stdout }: Io): number {
  stdout.write(`${text}\n`)
  return 0
}
