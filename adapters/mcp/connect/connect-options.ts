import { AgentAppsError } from 'agent-apps'
import { readPatterns } from '../../read-patterns.js'
import { checkOptionsOf } from '../../skill-tools/offer-options.js'

export interface ConnectOptions {
  /** The server's name here: at most 32 of a-z, 0-9 and `-`. Its tools are `mcp://<server>/<tool>`. */
  server: string
  /** Patterns over the names of its tools and skills: only matches are registered. Default: all. */
  select?: string | readonly string[] | undefined
  /** Names of your own for some of its tools, by their names there. Default: `mcp__<server>__<tool>`. */
  names?: Readonly<Record<string, string>> | undefined
  /** How long a call may take without a sign of progress, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
}

/** Throws OPTIONS_INVALID for what would otherwise be overlooked. */
export function checkOptions(options: ConnectOptions): void {
  checkOptionsOf('connectMcp').keys(options, ['server', 'select', 'names', 'timeoutMs'])
  const { server, select, names = {}, timeoutMs = 1 } = options
  if (typeof server !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(server) || server.length > 32)
    throw invalid(`the server ${JSON.stringify(server)}`, 'Its name has at most 32 of a-z, 0-9 and "-".')
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)
    throw invalid(`the \`timeoutMs\` ${timeoutMs}`, 'Give whole milliseconds, from 1.')
  const given = Object.values(names)
  const wrong = given.find((name, place) => !isName(name) || given.indexOf(name) !== place)
  if (wrong !== undefined)
    throw invalid(
      `the name ${JSON.stringify(wrong)}`,
      'A name has at most 64 of the characters a-z, A-Z, 0-9, _ and -, and is that of one tool.',
    )
  if (select !== undefined) readPatterns(select)
}

function isName(name: unknown): boolean {
  return typeof name === 'string' && /^[a-zA-Z0-9_-]{1,64}$/.test(name)
}

export function invalid(problem: string, hint: string): AgentAppsError {
  return new AgentAppsError('OPTIONS_INVALID', `\`connectMcp\` has ${problem}.`, { hint })
}
