import type { AgentCatalog } from 'agent-apps'
import { visibleJson, visibleLines } from '../../src/policy/shown-text.js'
import { noteForPrograms } from '../agent-options.js'
import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { noteAll, noteDiagnostics, openRuntime } from '../open-runtime.js'
import { count, type Output, printable } from '../output.js'
import { readChoice, readList, readNumber } from '../read-option.js'

const FORMATS = ['xml', 'markdown', 'json'] as const

export const catalog: Command = {
  name: 'catalog',
  positionals: { min: 0, max: 0 },
  options: {
    ...LOOK_UP_OPTIONS,
    format: { type: 'string', value: 'NAME', describes: `${FORMATS.join(', ')} (default: xml)` },
    budget: { type: 'string', value: 'TOKENS', describes: 'limit it to about this many tokens' },
    available: {
      type: 'string',
      multiple: true,
      value: 'NAME',
      describes: 'a tool that the agent has besides (repeatable)',
    },
    for: {
      type: 'string',
      value: 'TEXT',
      describes: 'also describe the tools that these words of a user find',
    },
    'names-first': { type: 'boolean', describes: 'describe no tool before all are named' },
    location: { type: 'boolean', describes: "include each tool's file" },
    library: { type: 'boolean', describes: "include the library's own tools" },
  },
  example: 'agent-apps catalog --budget 4000 > skills.xml',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output } = invocation
  const format = readChoice('format', options.format, FORMATS)
  const runtime = await openRuntime(invocation, false)
  const made = await runtime.forAgent().catalog({
    format,
    budget: readNumber('budget', options.budget, 4000),
    available: readList(options.available) ?? [],
    ...(typeof options.for === 'string' && { for: options.for }),
    namesFirst: options['names-first'] === true,
    location: options.location === true,
    library: options.library === true,
    content: ({ name }) => runtime.render(name),
  })
  if (output.json) output.jsonResult({ ...made, failed: made.failed.map(({ name }) => name) })
  else
    for (const text of [made.text, made.relevant])
      output.exact(format === 'json' ? visibleJson(text) : visibleLines(text))
  note(made, output)
  noteDiagnostics(runtime, invocation)
  const withheld = await noteForPrograms(invocation)
  if (withheld) noteAll([withheld], invocation)
  return 0
}

function note(made: AgentCatalog, output: Output): void {
  const { described, named, unnamed, tokens, failed } = made
  for (const { name, error } of failed)
    output.note(`left out the content of ${printable(name)}: ${printable((error as Error).message)}`)
  const all = described.length + named.length + unnamed.length
  output.note(
    [
      `${count(described.length)} of ${count(all, 'tool')} described`,
      ...(named.length > 0 ? [`${count(named.length)} named`] : []),
      ...(unnamed.length > 0 ? [`${count(unnamed.length)} not listed`] : []),
      `about ${count(tokens, 'token')}`,
    ].join(', '),
  )
  if (made.relevant !== '')
    output.note(
      `${count(made.relevantTools.length)} more found, about ${count(made.relevantTokens, 'token')}`,
    )
}
