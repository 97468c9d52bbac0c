import { type Command, type Invocation, LOOK_UP_OPTIONS } from '../command.js'
import { noteDiagnostics, openRuntime } from '../open-runtime.js'
import { ARGUMENT_OPTIONS, readArguments } from '../read-arguments.js'
import { usageError } from '../usage-error.js'

export const render: Command = {
  name: 'render',
  positionals: { min: 1, max: 1 },
  options: {
    ...LOOK_UP_OPTIONS,
    ...ARGUMENT_OPTIONS,
    host: {
      type: 'string',
      value: 'NAME',
      describes:
        'also fill in the variables and arguments of this host (claude); --args may then be any JSON',
    },
  },
  example: 'agent-apps render release-notes > prompt.md',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { output } = invocation
  const runtime = await openRuntime(invocation, true)
  const ref = invocation.positionals[0] ?? ''
  const host = readHost(invocation)
  const args = readArguments(invocation, await runtime.findTool(ref), host !== undefined)
  const content = await runtime.render(ref, { args, ...(host && { host }) })
  if (output.json) output.jsonResult({ content })
  else output.exact(content)
  noteDiagnostics(runtime, invocation)
  return 0
}

function readHost({ options: { host } }: Invocation): 'claude' | undefined {
  if (host === undefined || host === 'claude') return host
  throw usageError(`There is no host ${JSON.stringify(host)}.`, 'Use --host claude.')
}
