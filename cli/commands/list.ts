import { normalizeTags, type ToolDef } from 'agent-apps'
import type { Command, Invocation } from '../command.js'
import { asJson, noteDiagnostics, openRuntime } from '../open-runtime.js'
import { count, type Output, printable } from '../output.js'

export const list: Command = {
  name: 'list',
  summary: 'show the tools that resolve, where they come from and what they shadow',
  positionals: { shown: '', min: 0, max: 0 },
  options: {
    tag: {
      type: 'string',
      multiple: true,
      value: 'TAG',
      describes: 'only tools with this tag; repeated: with all of them',
    },
    hidden: { type: 'boolean', describes: 'also those that are hidden from agents' },
  },
  example: 'agent-apps list --tag api',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, output, cwd } = invocation
  const runtime = await openRuntime(invocation)
  const tags = normalizeTags(Array.isArray(options.tag) ? options.tag : [])
  const tools = (await runtime.listTools()).filter(
    ({ frontmatter }) =>
      tags.every(tag => frontmatter.tags.includes(tag)) &&
      (options.hidden === true || frontmatter.visibility !== 'hidden'),
  )
  if (output.json) output.jsonResult(tools.map(tool => asJson(tool, cwd)))
  else show(tools, output)
  noteDiagnostics(runtime, invocation)
  return 0
}

function show(tools: ToolDef[], output: Output): void {
  const width = Math.min(40, Math.max(0, ...tools.map(({ name }) => name.length)))
  const room = (process.stdout.columns ?? 100) - width - 22
  for (const { name, kind, frontmatter, origin } of tools) {
    const description = shortened(
      printable(frontmatter.description ?? '(no description)'),
      Math.max(20, room),
    )
    const shadows =
      origin.shadows.length > 0 ? output.style('yellow', ` (shadows ${origin.shadows.length})`) : ''
    output.result(
      `${output.style('bold', name.padEnd(width))}  ${kind.padEnd(6)}  ${origin.layer.padEnd(8)}  ${description}${shadows}`,
    )
  }
  output.note(count(tools.length, 'tool'))
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
