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
    if (request.kind !== 'approval' && request.kind !== 'project') return promptAnswer(request, ask)
    const question = questionOf(request)
    for (let times = 0; times < 3; times++) {
      const form = '[o]nce, for the [s]ession, for this [p]roject, or [d]eny?'
      const said = await ask(`${question}  ${form} `, request.signal)
      if (said === null) throw new Error('no answer came from the terminal')
      const answer = ANSWERS[said.trim().slice(0, 1).toLowerCase()]
      if (answer) return answer
      output.note('Answer o, s, p or d.')
    }
    return 'deny'
  }
}

type PromptRequest = Exclude<HostRequest, { kind: 'approval' | 'project' }>

/** Asks what a tool asks; the line begins with the tool's name, so that it passes for no approval. */
async function promptAnswer(request: PromptRequest, ask: Invocation['ask']): Promise<unknown> {
  const { tool, message } = request
  const options = request.kind === 'choice' ? ` [${request.choices.join(', ')}]` : ''
  const form = request.kind === 'confirm' ? ' [y]es or [n]o' : options
  const said = await ask(printable(`${tool} asks: ${message}${form} `), request.signal)
  if (said === null) throw new Error('no answer came from the terminal')
  const text = said.trim()
  if (text === '' && request.default !== undefined) return request.default
  return request.kind === 'confirm' ? /^y/i.test(text) : text
}

function questionOf(request: Exclude<HostRequest, PromptRequest>): string {
  const lines = request.kind === 'project' ? projectLines(request) : request.text.split('\n')
  return `${lines.map(line => printable(line)).join('\n')}\n`
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
