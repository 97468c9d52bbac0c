import type { Runtime } from 'agent-apps'
import type { ServedSkills } from 'agent-apps/mcp'
import { AgentAppsError, isAgentAppsError } from '../../../src/base/error.js'
import {
  AGENT_OPTIONS,
  agentOf,
  noteAgentDiagnostics,
  openForAgents,
  withCommandHint,
} from '../../agent-options.js'
import { type Command, INTERRUPTED, type Invocation, PATH_OPTION } from '../../command.js'
import { count, type Output, printable } from '../../output.js'
import { packageVersion } from '../../package-version.js'

export const mcp: Command = {
  name: 'mcp',
  positionals: { min: 0, max: 0 },
  options: {
    ...PATH_OPTION,
    tools: {
      type: 'string',
      value: 'PATTERNS',
      describes: 'serve only these tools (default: those of the project)',
    },
    http: {
      type: 'string',
      value: '[HOST:]PORT',
      describes:
        'serve over HTTP, to clients with the token in $AGENT_APPS_MCP_TOKEN (default host: 127.0.0.1)',
    },
    ...AGENT_OPTIONS,
  },
  example: 'agent-apps mcp --cwd ./project',
  run,
}

async function run(invocation: Invocation): Promise<number> {
  const { options, signal } = invocation
  const runtime = await openForAgents(invocation, true)
  try {
    const served = await serve(runtime, invocation)
    // Clients are never told why a tool is not served.
    await agentOf(runtime, invocation).offer()
    noteAgentDiagnostics(runtime, invocation)
    if (typeof options.http === 'string') {
      const { serveHttp } = await import('./serve-http.js')
      await serveHttp(served, options.http, invocation)
    } else {
      const { serveStandardIo } = await import('./serve-stdio.js')
      await serveStandardIo(served, invocation)
    }
  } catch (error) {
    withCommandHint(withPackage(error))
  } finally {
    await runtime.close()
  }
  return signal.aborted ? INTERRUPTED : 0
}

async function serve(runtime: Runtime, { options, output }: Invocation): Promise<ServedSkills> {
  const { serveSkills } = await import('agent-apps/mcp')
  return serveSkills(runtime, {
    server: { name: 'agent-apps', version: packageVersion() },
    onRefused: noteRefused(output),
    ...(typeof options.agent === 'string' && { policy: options.agent }),
    ...(typeof options.tools === 'string' && { tools: options.tools }),
  })
}

/** The packages of the protocol are optional, since most users never serve. */
function withPackage(error: unknown): unknown {
  if (isAgentAppsError(error) || (error as { code?: unknown }).code !== 'ERR_MODULE_NOT_FOUND') return error
  const [name] = /@modelcontextprotocol\/\w+/.exec((error as Error).message) ?? []
  if (name === undefined) return error
  return new AgentAppsError('MODULE_MISSING', `The package ${name} is not installed.`, {
    hint: `Run \`npm install ${name}\`.`,
    cause: error,
  })
}

/** Milliseconds after the last refused skill until the summary: a client lists page by page. */
const DELAY = 1000

/** Reports how many skills are served as tools and prompts only, and why; with `--verbose`, which. */
function noteRefused(output: Output): (uri: string, reason: string) => void {
  const reasons = new Map<string, number>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const sumUp = (): void => {
    const total = [...reasons.values()].reduce((sum, number) => sum + number, 0)
    output.note(`${count(total, 'skill')} not served under the Skills extension:`)
    const sorted = [...reasons].sort(([, a], [, b]) => b - a)
    for (const [reason, number] of sorted) output.note(`  ${count(number)}  ${printable(reason)}`)
  }
  return (uri, reason) => {
    if (output.verbose) output.note(printable(`${uri}: ${reason}`))
    // Quoted details of a skill would make each reason unique.
    const alike = reason.replace(/"[^"]*"/g, '…')
    reasons.set(alike, (reasons.get(alike) ?? 0) + 1)
    clearTimeout(timer)
    timer = setTimeout(sumUp, DELAY)
    timer.unref()
  }
}
