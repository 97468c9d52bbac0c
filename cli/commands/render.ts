import type { Command, Invocation } from '../command.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { ARGUMENT_OPTIONS, readArguments } from '../read-arguments.js'

export const render: Command = {
  name: 'render',
  summary: "print a tool's content with its directives run, and nothing that runs around the tool",
  positionals: { shown: '<ref>', min: 1, max: 1 },
  options: ARGUMENT_OPTIONS,
  example: 'agent-apps render release-notes > prompt.md',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation
  const runtime = await openRuntime(invocation, true)
  const ref = invocation.positionals[0] ?? ''
  const args = readArguments(invocation, await runtime.findTool(ref))
  const content = await runtime.render(ref, { args })
  if (output.json) output.jsonResult({ content })
  else output.exact(content)
  noteDiagnostics(runtime, invocation)
  return 0
}
