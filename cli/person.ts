import type { HostRequest, Interact } from 'agent-apps'
import type { Invocation } from './command.js'
import { printable } from './output.js'

type Answer = 'allow-once' | 'allow-session' | 'allow-project' | 'deny'

const ANSWERS: Readonly<Record<string, Answer>> = {
  o: 'allow-once',
  s: 'allow-session',
  p: 'allow-project',
  d: 'deny',
}

/**
 * Asks the person at the terminal what the runtime asks. Undefined where there is none, so that the runtime says
 * that there is nobody.
 */
export function personAt({ output, ask }: Invocation, isTerminal: boolean): Interact | undefined {
  if (!isTerminal) return undefined
  return async request => {
    const question = questionOf(request)
    for (let times = 0; times < 3; times++) {
      const said = await ask(`${question}  [o]nce, for the [s]ession, for this [p]roject, or [d]eny? `)
      if (said === null) throw new Error('nobody answers at the terminal')
      const answer = ANSWERS[said.trim().slice(0, 1).toLowerCase()]
      if (answer) return answer
      output.note('Answer o, s, p or d.')
    }
    return 'deny'
  }
}

function questionOf(request: HostRequest): string {
  const lines = request.kind === 'project' ? projectLines(request) : callLines(request)
  return `${lines.map(line => printable(line)).join('\n')}\n`
}

function callLines({ tool, args, reason, origin }: Extract<HostRequest, { kind: 'approval' }>): string[] {
  return [`${tool} (${origin.layer}) needs approval, as ${reason}:`, `  ${JSON.stringify(args)}`]
}

function projectLines({ root, tools, configuration }: Extract<HostRequest, { kind: 'project' }>): string[] {
  return [
    `Do you trust ${root}? An agent calls its code, which may do whatever you may do:`,
    ...tools.map(({ name, file, permissions: { required, optional }, shadows }) =>
      [
        `  ${name}  ${file}`,
        required.length + optional.length > 0 && `says it does ${[...required, ...optional].join(', ')}`,
        shadows.length > 0 && `takes the place of ${shadows.map(({ layer }) => layer).join(', ')}`,
      ]
        .filter(Boolean)
        .join('  '),
    ),
    ...Object.entries(configuration)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `  its configuration sets ${key}: ${JSON.stringify(value)}`),
  ]
}
