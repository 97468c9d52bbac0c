import { graph, graphAsDot, graphAsMermaid } from 'agent-apps/compiler'
import { type Command, type Invocation, PATH_OPTION, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { printable } from '../output.js'
import { readChoice, readNumber } from '../read-option.js'

const FORMATS = ['mermaid', 'dot', 'json'] as const

export const graphCommand: Command = {
  name: 'graph',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    ...PATH_OPTION,
    format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: mermaid)` },
    reverse: { type: 'boolean', describes: 'follow references backwards, to what refers to the named tools' },
    depth: {
      type: 'string',
      value: 'N',
      describes: 'follow at most this many references from the named tools',
    },
  },
  example: 'agent-apps graph release-notes --format dot',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { positionals: names, options, output, cwd } = invocation
  const format = output.json ? 'json' : readChoice('format', options.format, FORMATS)
  const depth = readNumber('depth', options.depth, 2)
  const result = await graph({
    ...projectOptions({ ...invocation, positionals: [] }),
    ...(names.length > 0 && { names }),
    reverse: options.reverse === true,
    ...(depth !== undefined && { depth }),
    onDiagnostic: ({ file = '', line, column, severity, reason }) =>
      output.note(`${printable(fromHere(file, cwd))}:${line}:${column} ${severity} ${printable(reason)}`),
  })
  if (format === 'json') output.jsonResult(result)
  else output.result((format === 'dot' ? graphAsDot : graphAsMermaid)(result).trimEnd())
  return 0
}
