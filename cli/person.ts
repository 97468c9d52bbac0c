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

/** Asks the runtime's questions in the terminal. Undefined without a terminal, so that the runtime knows it cannot ask. */
export function personAt({ output, ask }: Invocation, isTerminal: boolean): Interact | undefined {
  if (!isTerminal) return undefined
  return async request => {
    if (request.kind !== 'approval' && request.kind !== 'project') return promptAnswer(request, ask)
    const question = questionOf(request)
    for (let times = 0; times < 3; times++) {
      const form = '[o]nce, for the [s]ession, for this [p]roject, or [d]eny?'
      const typed = await ask(`${question}  ${form} `, request.signal)
      if (typed === null) throw new Error('the terminal gave no answer')
      const answer = ANSWERS[typed.trim().slice(0, 1).toLowerCase()]
      if (answer) return answer
      output.note('Answer o, s, p or d.')
    }
    return 'deny'
  }
}

type PromptRequest = Exclude<HostRequest, { kind: 'approval' | 'project' }>

/** Asks a tool's question. The line begins with the tool's name, so that it cannot pass for an approval. */
async function promptAnswer(request: PromptRequest, ask: Invocation['ask']): Promise<unknown> {
  const { tool, message } = request
  const options = request.kind === 'choice' ? ` [${request.choices.join(', ')}]` : ''
  const form = request.kind === 'confirm' ? ' [y]es or [n]o' : options
  const typed = await ask(printable(`${tool} asks: ${message}${form} `), request.signal)
  if (typed === null) throw new Error('the terminal gave no answer')
  const text = typed.trim()
  if (text === '' && request.default !== undefined) return request.default
  return request.kind === 'confirm' ? /^y/i.test(text) : text
}

function questionOf(request: Exclude<HostRequest, PromptRequest>): string {
  const lines = request.kind === 'project' ? projectLines(request) : request.text.split('\n')
  return `${lines.map(line => printable(line)).join('\n')}\n`
}

function projectLines({ root, tools, configuration }: Extract<HostRequest, { kind: 'project' }>): string[] {
  return [
    `Do you trust ${root}? An agent calls its code, which can do anything that you can do:`,
    ...tools.map(({ name, file, permissions: { required, optional }, shadows }) =>
      [
        `  ${name}  ${file}`,
        required.length + optional.length > 0 && `declares ${[...required, ...optional].join(', ')}`,
        shadows.length > 0 && `shadows ${shadows.map(({ layer }) => layer).join(', ')}`,
      ]
        .filter(Boolean)
        .join('  '),
    ),
    ...Object.entries(configuration)
      .filter(([, value]) => value !== undefined)
      .map(([key, value]) => `  the configuration sets ${key}: ${JSON.stringify(value)}`),
  ]
}
