import { checkOptionsOf } from '../../check-options.js'
import { isModelName } from '../../model-names.js'
import { readPatterns } from '../../read-patterns.js'

/** The options of `connectMcp`. */
export interface ConnectOptions {
  /** The server's name: at most 32 of a-z, 0-9 and `-`. Its tools are `mcp://<server>/<tool>`. */
  server: string
  /** Patterns of the tools and skills to register. Default: all. */
  select?: string | readonly string[] | undefined
  /** Your names for some of its tools, by their names on the server. Default: `mcp__<server>__<tool>`. */
  names?: Readonly<Record<string, string>> | undefined
  /** The time that a call may take without progress, in milliseconds. Default: 60,000. */
  timeoutMs?: number | undefined
}

const { keys, invalid } = checkOptionsOf('connectMcp')

/** @throws OPTIONS_INVALID */
export function checkOptions(options: ConnectOptions): void {
  keys(options, ['server', 'select', 'names', 'timeoutMs'])
  const { server, select, names = {}, timeoutMs = 1 } = options
  if (typeof server !== 'string' || !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(server) || server.length > 32)
    throw invalid(`has the server ${JSON.stringify(server)}`, 'A name has at most 32 of a-z, 0-9 and "-".')
  if (!Number.isInteger(timeoutMs) || timeoutMs < 1 || timeoutMs > 2 ** 31 - 1)
    throw invalid(`has the \`timeoutMs\` ${timeoutMs}`, 'Give whole milliseconds, from 1.')
  const given = Object.values(names)
  const wrong = given.find(
    (name, place) => !(typeof name === 'string' && isModelName(name)) || given.indexOf(name) !== place,
  )
  if (wrong !== undefined)
    throw invalid(
      `has the name ${JSON.stringify(wrong)}`,
      'A name has at most 64 of the characters a-z, A-Z, 0-9, _ and -, and belongs to one tool.',
    )
  if (select !== undefined) readPatterns(select)
}

export { invalid }
