import type { Hit } from 'agent-apps/runtime'
import { noteForPrograms } from '../agent-options.js'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { noteAll, noteDiagnostics, openRuntime } from '../open-runtime.js'
import { type Output, printable } from '../output.js'
import { toolAsJson } from '../tool-as-json.js'
import { usageError } from '../usage-error.js'

export const search: Command = {
  name: 'search',
  positionals: { min: 1, max: Number.POSITIVE_INFINITY },
  options: {
    ...LOOK_UP_OPTIONS,
    limit: { type: 'string', value: 'N', describes: 'at most so many (default: 10)' },
    tag: {
      type: 'string',
      multiple: true,
      value: 'TAG',
      describes: 'only tools with this tag; repeated: with all of them',
    },
    pattern: { type: 'string', value: 'PATTERN', describes: 'only tools that this pattern matches' },
    library: { type: 'boolean', describes: "also the library's own" },
    explain: { type: 'boolean', describes: 'which field has each word, with its weight there' },
  },
  example: 'agent-apps search deploy to production',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { positionals, options, output, cwd } = invocation
  const { tag, pattern, explain, library } = options
  const limit = readLimit(options.limit)
  const runtime = await openRuntime(invocation, false)
  const hits = await runtime.forAgent().search(positionals.join(' '), {
    limit,
    ...(Array.isArray(tag) && { tags: tag }),
    ...(typeof pattern === 'string' && { pattern }),
    library: library === true,
    explain: explain === true,
  })
  if (output.json)
    output.jsonResult(
      hits.map(({ tool, score, matched, fields }) => ({
        ...toolAsJson(tool, cwd),
        ...{ score, matched },
        ...(fields && { fields }),
      })),
    )
  else show(hits, output)
  if (hits.length === 0)
    output.note(
      `no tool ${[tag, pattern].some(Boolean) ? 'with this tag or pattern ' : ''}has one of these words`,
    )
  noteDiagnostics(runtime, invocation)
  const withheld = await noteForPrograms(invocation)
  if (withheld) noteAll([withheld], invocation)
  return 0
}

function show(hits: readonly Hit[], output: Output): void {
  const width = Math.max(0, ...hits.map(({ tool }) => tool.name.length))
  for (const { tool, score, matched, fields } of hits) {
    const { description = '' } = tool.frontmatter
    output.result(
      `${score.toFixed(2).padStart(5)}  ${printable(tool.name.padEnd(width))}  ${output.style('dim', printable(firstLine(description)))}`,
    )
    for (const word of fields ? matched : []) {
      const weights = Object.entries(fields?.[word] ?? {}).map(
        ([field, weight]) => `${field} ${weight.toFixed(2)}`,
      )
      output.result(`       ${printable(word)}: ${weights.join(', ')}`)
    }
  }
}

const DESCRIPTION_MAX = 100

function firstLine(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length > DESCRIPTION_MAX ? `${line.slice(0, DESCRIPTION_MAX - 1)}…` : line
}

function readLimit(wanted: unknown): number {
  if (wanted === undefined) return 10
  if (/^[1-9]\d*$/.test(String(wanted))) return Number(wanted)
  throw usageError(
    `${JSON.stringify(wanted)} is not a number of tools.`,
    'Write a whole number from 1: --limit 5.',
  )
}
