import { graph, graphAsDot, graphAsMermaid } from 'agent-apps/compiler'
import { AgentAppsError } from '../../src/base/error.js'
import { type Command, type Invocation, PATH_OPTION, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { printable } from '../output.js'
import { readChoice } from '../read-choice.js'

const FORMATS = ['mermaid', 'dot', 'json'] as const

export const graphCommand: Command = {
  name: 'graph',
  positionals: { min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    ...PATH_OPTION,
    format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: mermaid)` },
    reverse: { type: 'boolean', describes: 'follow references back: what refers to the tools named' },
    depth: { type: 'string', value: 'N', describes: 'how many references to follow from the tools named' },
  },
  example: 'agent-apps graph release-notes --format dot',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { positionals: names, options, output, cwd } = invocation
  const format = output.json ? 'json' : readChoice('format', options.format, FORMATS)
  const depth = readDepth(options.depth)
  const result = await graph({
    ...projectOptions({ ...invocation, positionals: [] }),
    ...(names.length > 0 && { names }),
    reverse: options.reverse === true,
    ...(depth !== null && { depth }),
    onDiagnostic: ({ file = '', line, column, severity, reason }) =>
      output.note(`${printable(fromHere(file, cwd))}:${line}:${column} ${severity} ${printable(reason)}`),
  })
  if (format === 'json') output.jsonResult(result)
  else output.result((format === 'dot' ? graphAsDot : graphAsMermaid)(result).trimEnd())
  return 0
}

function readDepth(written: unknown): number | null {
  if (written === undefined) return null
  if (typeof written === 'string' && /^\d+$/.test(written)) return Number(written)
  throw new AgentAppsError('USAGE', `${JSON.stringify(written)} is not a depth.`, {
    hint: 'Give a number of references to follow, like --depth 2.',
  })
}
