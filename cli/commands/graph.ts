import { AgentAppsError, nearest } from 'agent-apps'
import { graph, graphAsDot, graphAsMermaid, type ReferenceGraph } from 'agent-apps/compiler'
import { type Command, type Invocation, projectOptions } from '../command.js'
import { fromHere } from '../from-here.js'
import { printable } from '../output.js'

const FORMATS = ['mermaid', 'dot', 'json'] as const
type Format = (typeof FORMATS)[number]

export const graphCommand: Command = {
  name: 'graph',
  summary: 'print what tools refer to, as Mermaid, DOT or JSON',
  positionals: { shown: '[names…]', min: 0, max: Number.POSITIVE_INFINITY },
  options: {
    format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: mermaid)` },
    reverse: { type: 'boolean', describes: 'follow references back: what refers to the tools named' },
    depth: { type: 'string', value: 'N', describes: 'how many references to follow from the tools named' },
  },
  example: 'agent-apps graph release-notes --format dot',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { positionals: names, options, output, cwd } = invocation
  const format = output.json ? 'json' : readFormat(options.format)
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
  else output.result(RENDERERS[format](result).trimEnd())
  return 0
}

const RENDERERS: Record<Exclude<Format, 'json'>, (graph: ReferenceGraph) => string> = {
  mermaid: graphAsMermaid,
  dot: graphAsDot,
}

function readFormat(wanted: unknown): Format {
  const format = FORMATS.find(known => known === (wanted ?? 'mermaid'))
  if (format) return format
  const near = nearest(String(wanted), FORMATS)
  throw new AgentAppsError('USAGE', `There is no format ${JSON.stringify(wanted)}.`, {
    hint: near === null ? `Use one of ${FORMATS.join(', ')}.` : `Did you mean --format ${near}?`,
  })
}

function readDepth(written: unknown): number | null {
  if (written === undefined) return null
  if (typeof written === 'string' && /^\d+$/.test(written)) return Number(written)
  throw new AgentAppsError('USAGE', `${JSON.stringify(written)} is no depth.`, {
    hint: 'Give a number of references to follow, like --depth 2.',
  })
}
